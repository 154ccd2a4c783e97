package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// entryInput is one row with its bitmaps decoded.
type entryInput struct {
	table                 Table
	entry                 *tree.Entry
	dv, deleted, replaced bitmap
}

func newEntryInput(t Table, e *tree.Entry) *entryInput {
	in := &entryInput{table: t}
	in.of(e)
	return in
}

// of makes the input that of another row.
func (in *entryInput) of(e *tree.Entry) {
	in.entry = e
	in.dv = decodeBitmap(e.Manifest.Val.DV)
	in.deleted = decodeBitmap(e.Tracking.DeletedPositions)
	in.replaced = decodeBitmap(e.Tracking.ReplacedPositions)
}

// ofPointer makes the input that of a pointer, whose bitmaps are decoded already.
func (in *entryInput) ofPointer(p *pointer) {
	in.entry, in.dv, in.deleted, in.replaced = p.entry, p.dv, p.deleted, p.replaced
}

var entryInvariants = []Invariant{
	{
		ID: "E-STATUS", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 6.1",
		Statement: "The status is EXISTING, ADDED, DELETED, REPLACED or MODIFIED.",
		Symptom:   "Readers that know fewer states fail, others guess whether the file is live.",
		Advice:    "Find the writer of the manifest; the entry's meaning is lost.",
		check:     checker{entry: checkStatus},
	},
	{
		ID: "E-CONTENT", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1, 5",
		Statement: "The content type is one that the format knows.",
		Symptom:   "Readers fail on the row.",
		Advice:    "Find the writer of the manifest; the entry's meaning is lost.",
		check:     checker{entry: checkContent},
	},
	{
		ID: "E-DELETE-FILE", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1.2, 5.2, 5.3, 20.12, Q1",
		Statement: "A v4 manifest holds no position or equality delete files.",
		Symptom:   "A row of content type 1 or 2: v4 readers apply no such deletes, so deleted rows come back.",
		Advice:    "Write row-level deletes as a deletion vector in the entry of the data file.",
		check:     checker{entry: checkDeleteFile},
	},
	{
		ID: "E-LOCATION", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1, 12.1",
		Statement: "The location is not empty.",
		Symptom:   "The entry names no file.",
		Advice:    "Find the writer of the manifest.",
		check:     checker{entry: checkLocation},
	},
	{
		ID: "E-DOTS", Scope: ScopeEntry, Severity: Warning, Firmness: Firm, Rule: "rules 12.2, B31",
		Statement: "No segment of a location is '.' or '..'.",
		Symptom:   "The segments have no meaning in the format; a reader that cleans paths opens another file.",
		Advice:    "Write the plain path.",
		check:     checker{entry: checkDots},
	},
	{
		ID: "E-FORMAT", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1, Q26",
		Statement: "The file format is parquet, avro, orc or puffin, in any letter case.",
		Symptom:   "Readers do not know how to open the file.",
		Advice:    "Find the writer of the manifest.",
		check:     checker{entry: checkFormat},
	},
	{
		ID: "E-SIGN", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 2.1, 2.2",
		Statement: "Counts, sizes, sequence numbers and row ids are not negative.",
		Symptom:   "A negative number where readers add, compare or allocate.",
		Advice:    "Find the writer of the manifest.",
		check:     checker{entry: checkSigns},
	},
	{
		ID: "E-EMPTY", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.6.4",
		Statement: "The record count is not zero.",
		Symptom:   "Readers drop the entry; the file or leaf is referenced for nothing.",
		Advice:    "Write no entry for a data file without rows, and no pointer to an empty leaf.",
		check:     checker{entry: checkEmpty},
	},
	{
		ID: "E-SHAPE", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1.3, 9.14, 20.1",
		Statement: "manifest_info, deleted_positions and replaced_positions are for manifests, deletion_vector, " +
			"sort_order_id and split_offsets for data files; manifest_info is never missing from a manifest.",
		Symptom: "A field that the content type does not have, or a pointer without counts.",
		Advice:  "Find the writer of the manifest; the row mixes two kinds of entries.",
		check:   checker{entry: checkShape},
	},
	{
		ID: "E-SPLITS", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.1",
		Statement: "Split offsets ascend.",
		Symptom:   "Scans cut the file in the wrong places: rows are missing or read twice.",
		Advice:    "Leave split_offsets null rather than wrong.",
		check:     checker{entry: checkSplits},
	},
	{
		ID: "E-DV", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 2.3, 2.3.1",
		Statement: "A deletion vector names a range of a Puffin file that can hold a blob, and deletes no more rows " +
			"than the file has.",
		Symptom: "An empty location, a range too short for length, magic and checksum, or a cardinality out of bounds.",
		Advice:  "Write offset, size and cardinality as the Puffin writer reported them, length and checksum included.",
		check:   checker{entry: checkDV},
	},
	{
		ID: "E-MODIFIED", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 6.6, 7.10",
		Statement: "A MODIFIED entry says in modified_snapshot_id which snapshot modified it.",
		Symptom:   "Change feeds cannot tell when the file changed.",
		Advice:    "Set modified_snapshot_id, which is never inherited, to the committing snapshot.",
		check:     checker{entry: checkModified},
	},
}

func isData(e *tree.Entry) bool { return e.Content == tree.Data }

func isManifest(e *tree.Entry) bool {
	return e.Content == tree.DataManifest || e.Content == tree.DeleteManifest
}

// isLegacy reports whether a pointer points to a v1 to v3 manifest (rules 2.4.4).
func isLegacy(e *tree.Entry) bool { return e.Manifest.Valid && e.Manifest.Val.FormatVersion == 0 }

// isLive reports whether a status is one of the live ones (rules 6.2).
func isLive(s tree.Status) bool {
	return s == tree.Existing || s == tree.Added || s == tree.Modified
}

func checkStatus(in *entryInput, r reporter) {
	if s := in.entry.Tracking.Status; s < tree.Existing || s > tree.Modified {
		r.report("tracking.status", "a number from 0 to 4", int(s)-1)
	}
}

func checkContent(in *entryInput, r reporter) {
	if c := in.entry.Content; c < tree.Data || c > tree.DeleteManifest {
		r.report("content_type", "a number from 0 to 4", int(c)-1)
	}
}

func checkDeleteFile(in *entryInput, r reporter) {
	if c := in.entry.Content; c == tree.PositionDeletes || c == tree.EqualityDeletes {
		r.report("content_type", "0, 3 or 4", int(c)-1)
	}
}

func checkLocation(in *entryInput, r reporter) {
	if in.entry.Location == "" {
		r.report("location", "a location", "nothing")
	}
}

func checkDots(in *entryInput, r reporter) {
	for _, l := range []struct{ field, location string }{
		{"location", in.entry.Location},
		{"deletion_vector.location", in.entry.DeletionVector.Val.Location},
	} {
		if hasDotSegment(l.location) {
			r.report(l.field, "no segment '.' or '..'", l.location)
		}
	}
}

var fileFormats = []string{"parquet", "avro", "orc", "puffin"}

func checkFormat(in *entryInput, r reporter) {
	if !slices.Contains(fileFormats, strings.ToLower(in.entry.FileFormat)) {
		r.report("file_format", "one of "+strings.Join(fileFormats, ", "), fmt.Sprintf("%q", in.entry.FileFormat))
	}
}

func checkSigns(in *entryInput, r reporter) {
	e := in.entry
	for _, n := range []struct {
		field string
		value iceberg.Optional[int64]
	}{
		{"record_count", some(e.RecordCount)},
		{"file_size_in_bytes", some(e.FileSizeBytes)},
		{"tracking.sequence_number", e.Tracking.SequenceNumber},
		{"tracking.file_sequence_number", e.Tracking.FileSequenceNumber},
		{"tracking.first_row_id", e.Tracking.FirstRowID},
	} {
		if n.value.Valid && n.value.Val < 0 {
			r.report(n.field, "0 or more", n.value)
		}
	}
}

func checkEmpty(in *entryInput, r reporter) {
	if in.entry.RecordCount == 0 {
		r.report("record_count", "1 or more", 0)
	}
}

func checkShape(in *entryInput, r reporter) {
	e := in.entry
	manifest, data := isManifest(e), isData(e)
	if manifest != e.Manifest.Valid {
		r.report("manifest_info", presence(manifest), presence(e.Manifest.Valid))
	}
	for _, f := range []struct {
		field    string
		has, may bool
	}{
		{"deletion_vector", e.DeletionVector.Valid, data},
		{"sort_order_id", e.SortOrderID.Valid, !manifest},
		{"split_offsets", e.SplitOffsets != nil, !manifest},
		{"tracking.deleted_positions", e.Tracking.DeletedPositions != nil, manifest},
		{"tracking.replaced_positions", e.Tracking.ReplacedPositions != nil, manifest},
	} {
		if f.has && !f.may {
			r.report(f.field, "null", "a value")
		}
	}
}

func presence(there bool) string {
	if there {
		return "a value"
	}
	return "null"
}

func checkSplits(in *entryInput, r reporter) {
	offsets := in.entry.SplitOffsets
	for i := 1; i < len(offsets); i++ {
		if offsets[i] <= offsets[i-1] {
			r.report("split_offsets", fmt.Sprintf("an offset above %d", offsets[i-1]), offsets[i])
		}
	}
}

// The least that the offset and size of a deletion vector can be: the blob follows the magic of the Puffin file and
// begins with a length and its own magic and ends with a checksum, four bytes each.
const (
	minDVOffset = 4
	minDVSize   = 12
)

func checkDV(in *entryInput, r reporter) {
	if !in.entry.DeletionVector.Valid {
		return
	}
	dv := in.entry.DeletionVector.Val
	if dv.Location == "" {
		r.report("deletion_vector.location", "a location", "nothing")
	}
	if dv.OffsetBytes < minDVOffset {
		r.report("deletion_vector.offset", "4 or more", dv.OffsetBytes)
	}
	if dv.SizeBytes < minDVSize {
		r.report("deletion_vector.size_in_bytes", "12 or more", dv.SizeBytes)
	}
	if dv.Cardinality < 0 || dv.Cardinality > in.entry.RecordCount {
		r.report("deletion_vector.cardinality", fmt.Sprintf("0 to record_count %d", in.entry.RecordCount), dv.Cardinality)
	}
}

func checkModified(in *entryInput, r reporter) {
	t := in.entry.Tracking
	if t.Status == tree.Modified && !t.ModifiedSnapshotID.Valid {
		r.report("tracking.modified_snapshot_id", "a snapshot id", t.ModifiedSnapshotID)
	}
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
