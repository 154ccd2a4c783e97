package manifestio

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// checker refuses entries that no v4 manifest can hold, apart from what shredding refuses value by value.
type checker struct {
	storable []int // the partition fields that have a column, ascending
}

func newChecker(s Schema) checker {
	var c checker
	for _, f := range s.Partition {
		if _, ok := leafTypeOf(f.Type); ok {
			c.storable = append(c.storable, f.ID)
		}
	}
	slices.Sort(c.storable)
	return c
}

// entries checks the entries from row first on.
func (c checker) entries(entries []tree.Entry, first int) error {
	for i := range entries {
		e := &entries[i]
		r := refusal{}
		checkFile(&r, e)
		checkTuple(&r, e.Partition, c.storable)
		checkStats(&r, e.Stats)
		if e.DeletionVector.Valid {
			checkVector(&r, &e.DeletionVector.Val)
		}
		if e.Manifest.Valid {
			checkInfo(&r, &e.Manifest.Val)
		}
		if r.what != "" {
			return fmt.Errorf("manifestio: row %d: field %d %s", first+i, r.id, r.what)
		}
	}
	return nil
}

// refusal is the first reason to refuse an entry.
type refusal struct {
	id   int
	what string
}

func (r *refusal) because(id int, format string, args ...any) {
	if r.what == "" {
		r.id, r.what = id, fmt.Sprintf(format, args...)
	}
}

// count refuses a negative number.
func (r *refusal) count(id int, name string, n int64) {
	if n < 0 {
		r.because(id, "%s: %d is negative", name, n)
	}
}

// text refuses an empty string and one that is not UTF-8.
func (r *refusal) text(id int, name, v string) {
	if v == "" {
		r.because(id, "%s: it is required", name)
	} else if !utf8.ValidString(v) {
		r.because(id, "%s: %s", name, errNotUTF8)
	}
}

func checkFile(r *refusal, e *tree.Entry) {
	if e.Tracking.Status < tree.Existing || e.Tracking.Status > tree.Modified {
		r.because(idStatus, "tracking.status: %d is no status", e.Tracking.Status)
	}
	switch e.Content {
	case tree.Data, tree.DataManifest, tree.DeleteManifest:
	case tree.PositionDeletes, tree.EqualityDeletes:
		r.because(idContentType, "content_type: no v4 manifest holds delete files (rules 2.1.2)")
	default:
		r.because(idContentType, "content_type: %d is no content type", e.Content)
	}
	r.text(idLocation, "location", e.Location)
	r.text(idFileFormat, "file_format", e.FileFormat)
	r.count(idRecordCount, "record_count", e.RecordCount)
	r.count(idFileSizeInBytes, "file_size_in_bytes", e.FileSizeBytes)
}

// checkTuple refuses a tuple that the schema's partition type cannot bear.
func checkTuple(r *refusal, tuple tree.Tuple, storable []int) {
	if tuple != nil && len(storable) == 0 {
		r.because(idPartition, "partition: the schema has no partition fields")
	}
	for i, v := range tuple {
		if i > 0 && tuple[i-1].FieldID >= v.FieldID {
			r.because(v.FieldID, "partition: the tuple is not in the order of field ids")
		}
		if _, ok := slices.BinarySearch(storable, v.FieldID); !ok && !v.Value.IsNull() {
			r.because(v.FieldID, "partition: the schema has no such field")
		}
	}
}

func checkStats(r *refusal, stats tree.Stats) {
	for i := range stats {
		s := &stats[i]
		if i > 0 && stats[i-1].FieldID >= s.FieldID {
			r.because(idContentStats, "content_stats: the columns are not in the order of their ids at column %d", s.FieldID)
		}
		if negative(s.ValueCount) || negative(s.NullCount) || negative(s.NaNCount) || negative(s.AvgSizeBytes) {
			r.because(idContentStats, "content_stats: a count of column %d is negative", s.FieldID)
		}
	}
}

func negative[T int32 | int64](o iceberg.Optional[T]) bool { return o.Valid && o.Val < 0 }

func checkVector(r *refusal, d *tree.DeletionVector) {
	r.text(idDVLocation, "deletion_vector.location", d.Location)
	r.count(idDVOffset, "deletion_vector.offset", d.OffsetBytes)
	r.count(idDVSize, "deletion_vector.size_in_bytes", d.SizeBytes)
	r.count(idDVCardinality, "deletion_vector.cardinality", d.Cardinality)
}

func checkInfo(r *refusal, m *tree.ManifestInfo) {
	for _, c := range []struct {
		id   int
		name string
		n    int64
	}{
		{idAddedFiles, "added_files_count", int64(m.AddedFiles)},
		{idExistingFiles, "existing_files_count", int64(m.ExistingFiles)},
		{idDeletedFiles, "deleted_files_count", int64(m.DeletedFiles)},
		{idReplacedFiles, "replaced_files_count", int64(m.ReplacedFiles)},
		{idModifiedFiles, "modified_files_count", int64(m.ModifiedFiles)},
		{idAddedRows, "added_rows_count", m.AddedRows},
		{idExistingRows, "existing_rows_count", m.ExistingRows},
		{idDeletedRows, "deleted_rows_count", m.DeletedRows},
		{idReplacedRows, "replaced_rows_count", m.ReplacedRows},
		{idModifiedRows, "modified_rows_count", m.ModifiedRows},
		{idMinSequenceNumber, "min_sequence_number", m.MinSequenceNumber},
	} {
		r.count(c.id, "manifest_info."+c.name, c.n)
	}
	if m.FormatVersion != legacyFormatVersion && m.FormatVersion != formatVersion {
		r.because(idFormatVersion, "manifest_info.format_version: %d is neither 0 nor 4 (rules 2.4.4)", m.FormatVersion)
	}
}
