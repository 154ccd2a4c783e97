package attack_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// The rows of a second snapshot that keeps all of a first one, which had file f0 loose and files a and b in a leaf.
const (
	pointerIDs = "snapshot=9001 seq=2 file_seq=2 first_row_id=100"
	keptLoose  = "loose EXISTING data/f0000.parquet snapshot=1001 seq=1 file_seq=1 first_row_id=0 stats={1:{lower=long(0),upper=long(1),tight=true,values=100,nulls=0}}\n"
	keptLeaf   = "leaf EXISTING metadata/l1.parquet live=2/2 " + pointerIDs + "\n"
)

// base is the parent of every attempt below.
func base(t *testing.T) testtable.Store {
	t.Helper()
	s := newStore(t, nil, testtable.Files(0, 1))
	hand(t, s, handSnapshot{id: 9001, addedRows: 200}, keptLoose+"leaf ADDED metadata/l1.parquet "+pointerIDs+`
  0 ADDED data/a.parquet
  1 ADDED data/b.parquet
`)
	if ids := findings(t, s); len(ids) > 0 {
		t.Fatal(ids)
	}
	return s
}

// next publishes a child whose pointer to l1 is the parent's but for what edit changes.
func next(t *testing.T, s testtable.Store, addedRows int64, text string, edit func(rows []tree.Entry)) {
	t.Helper()
	var old tree.Entry
	for _, e := range head(t, s).Tree.Rows {
		if e.Manifest.Valid {
			old = e
		}
	}
	hand(t, s, handSnapshot{id: 9002, addedRows: addedRows, edit: func(rows []tree.Entry) {
		for i := range rows {
			if rows[i].Location == old.Location {
				keep := rows[i]
				rows[i].FileSizeBytes, rows[i].RecordCount, rows[i].Manifest = old.FileSizeBytes, old.RecordCount, old.Manifest
				rows[i].Manifest.Val.DV = keep.Manifest.Val.DV
			}
		}
		if edit != nil {
			edit(rows)
		}
	}}, text)
}

func masks(status, bitmaps string) string {
	return "leaf " + status + " metadata/l1.parquet " + bitmaps + " modified=9002 " + pointerIDs + "\n"
}

// TestNoRuleIsSilent: for each of the minimum checks (rules 20) a tree that breaks it, and what is found.
func TestNoRuleIsSilent(t *testing.T) {
	dead := strings.Replace(keptLoose, "EXISTING", "DELETED", 1)
	for _, c := range []struct {
		name, text string
		addedRows  int64
		edit       func([]tree.Entry)
		want       string
	}{
		{"20.1: a data file with a bitmap", keptLeaf + keptLoose, 0, func(r []tree.Entry) { r[1].Tracking.DeletedPositions = []byte{1, 1, 0, 0, 1, 0, 0, 0, 1, 0} }, "E-SHAPE"},
		{"20.2: a null number in a root", keptLeaf + strings.Replace(keptLoose, " seq=1", "", 1), 0, nil, "R-EXPLICIT"},
		{"20.3: two numbers of a pointer", strings.Replace(keptLeaf, "file_seq=2", "file_seq=1", 1) + keptLoose, 0, nil, "R-SEQ-EQUAL"},
		{"20.4: a pointer that moves in time", strings.Replace(keptLeaf, "seq=2 file_seq=2", "seq=1 file_seq=1", 1) + keptLoose, 0, nil, "X-CARRY"},
		{"20.4: a pointer with other row ids", strings.Replace(keptLeaf, "id=100", "id=200", 1) + keptLoose, 0, nil, "X-CARRY"},
		{"20.5: a mask that tells nothing", masks("MODIFIED", "live=1/2 dv={0}") + keptLoose, 0, nil, "X-LOST"},
		{"20.5: a mask that says replaced", masks("MODIFIED", "live=1/2 dv={0} rep={0}") + keptLoose, 0, nil, "X-REPLACED"},
		{"20.5: both deltas", masks("MODIFIED", "live=1/2 dv={0} del={0} rep={0}") + keptLoose, 0, nil, "E-MDV-DISJOINT"},
		{"20.5: a delta outside of dv", masks("MODIFIED", "live=1/2 dv={0} del={0-1}") + keptLoose, 0, nil, "E-MDV-SUBSET"},
		{"20.5: beyond the rows", masks("MODIFIED", "dv={0,2} del={0,2}") + keptLoose, 0, nil, "E-MDV-RANGE"},
		{"20.6: MODIFIED alone", keptLeaf + strings.Replace(keptLoose, "EXISTING", "MODIFIED", 1), 0, func(r []tree.Entry) { r[1].Tracking.ModifiedSnapshotID = some(int64(9002)) }, "X-REPLACED"},
		{"20.6: REPLACED alone", keptLeaf + strings.Replace(keptLoose, "EXISTING", "REPLACED", 1), 0, func(r []tree.Entry) { r[1].Tracking.SnapshotID = some(int64(9002)) }, "X-REPLACED"},
		{"20.7: live twice, two spellings", keptLeaf + keptLoose + "loose ADDED mem://wh/t/data/a.parquet snapshot=9002 seq=3 file_seq=3 first_row_id=300\n", 100, nil, "T-LIVE-ONCE"},
		{"20.7: the leaf twice, two spellings", keptLeaf + strings.Replace(keptLeaf, "metadata/", "mem://wh/t/metadata/", 1) + keptLoose, 0, func(r []tree.Entry) { name := r[1].Location; r[1] = r[0]; r[1].Location = name }, "R-LIVE-ONCE"},
		{"20.7: DELETED and live", keptLeaf + keptLoose + "loose DELETED data/a.parquet snapshot=9002 seq=2 file_seq=2 first_row_id=100\n", 0, nil, "T-DELETED-LIVE"},
		{"20.8: an old tombstone", keptLeaf + dead, 0, nil, "R-TOMBSTONE"},
		{"20.9: an id of a live file", keptLeaf + keptLoose + "loose ADDED data/n.parquet snapshot=9002 seq=3 file_seq=3 first_row_id=150\n", 100, nil, "R-ROW-ID-START"},
		{"20.9: an id beyond the end", keptLeaf + keptLoose + "loose ADDED data/n.parquet snapshot=9002 seq=3 file_seq=3 first_row_id=350\n", 100, nil, "R-ROW-ID-END"},
		{"20.9: a moved row with another id", masks("MODIFIED", "live=1/2 dv={0}") + keptLoose + "loose EXISTING data/a.parquet snapshot=9001 seq=2 file_seq=2 first_row_id=50\n", 0, nil, "X-SAME-FILE"},
		{"20.12: a delete manifest comes in", keptLeaf + keptLoose + "deletes EXISTING mem://x/d.avro live=1/1 size=9 spec=0 snapshot=1001 seq=1 file_seq=1 format=avro counts={existing:1/9}\n", 0, nil, "X-POINTER-KNOWN"},
		{"20.12: a delete manifest of v4", keptLeaf + keptLoose + "deletes ADDED metadata/d.parquet live=1/1 size=9 snapshot=9002 seq=3 file_seq=3 counts={added:1/9}\n", 0, func(r []tree.Entry) { r[2].Manifest.Val.FormatVersion = 4 }, "R-DELETES-LEGACY"},
		{"a file without a trace", keptLeaf, 0, nil, "X-LOST"},
		{"a leaf without a trace", keptLoose, 0, nil, "X-LOST"},
		{"a removed file comes back", keptLeaf + keptLoose + "loose EXISTING data/old.parquet snapshot=1001 seq=1 file_seq=1 first_row_id=50\n", 0, nil, "X-INVENTED"},
		{"a pointer that hides its files", keptLeaf + keptLoose, 0, func(r []tree.Entry) {
			r[0].Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(7), Upper: tree.Long(8), Tight: some(false)}}
		}, "X-CARRY-STATS"},
		{"a file of another length", keptLeaf + keptLoose, 0, func(r []tree.Entry) { r[1].FileSizeBytes = 7 }, "X-SAME-FILE"},
		{"a file of another format", keptLeaf + keptLoose, 0, func(r []tree.Entry) { r[1].FileFormat = "orc" }, "X-SAME-FILE"},
		{"a file that hides its rows", keptLeaf + keptLoose, 0, func(r []tree.Entry) {
			r[1].Stats = tree.Stats{{FieldID: 1, Lower: tree.Long(900), Upper: tree.Long(901), Tight: some(false), ValueCount: some(int64(100))}}
		}, "X-FILE-STATS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base(t)
			next(t, s, c.addedRows, c.text, c.edit)
			if ids := findings(t, s); !slices.Contains(ids, c.want) {
				t.Errorf("found %v, want %s", ids, c.want)
			}
		})
	}
}

// TestMetadataIsNotSilent: facts of snapshots that do not follow their parents, and keys (rules 20.9 to 20.11).
func TestMetadataIsNotSilent(t *testing.T) {
	for want, edit := range map[string]func(*metadata.Table){
		"M-TIME":           func(m *metadata.Table) { m.Snapshots[1].TimestampMillis = m.Snapshots[0].TimestampMillis },
		"M-NEXT-ROW-ID":    func(m *metadata.Table) { m.NextRowID-- },
		"M-ROW-ID-RANGES":  func(m *metadata.Table) { m.Snapshots[1].FirstRowID = some(int64(50)) },
		"M-SEQUENCE":       func(m *metadata.Table) { m.LastSequenceNumber = 1 },
		"M-SEQUENCE-ORDER": func(m *metadata.Table) { m.Snapshots[1].SequenceNumber = 1 },
		"R-SEQ-RANGE":      func(m *metadata.Table) { m.Snapshots[1].SequenceNumber = 1 },
		"K-SCHEMA-ID": func(m *metadata.Table) {
			m.Schemas, m.CurrentSchemaID = []*iceberg.Schema{iceberg.NewSchema(5, m.Schemas[0].Fields()...)}, 5
		},
	} {
		s := base(t)
		publish(t.Context(), t, s, head(t, s), func(m metadata.Table) (metadata.Table, error) {
			m.Snapshots = slices.Clone(m.Snapshots)
			edit(&m)
			return m, nil
		})
		if ids := findings(t, s); !slices.Contains(ids, want) {
			t.Errorf("found %v, want %s", ids, want)
		}
	}
}

// TestPointerOfAnotherPartition: readers may prune leaves by the pointer's partition (rules 2.4.5), so one that none of
// the leaf's files has hides them.
func TestPointerOfAnotherPartition(t *testing.T) {
	s := testtable.Store{Objects: &mem.Objects{}, Catalog: &mem.Catalog{}}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true})
	spec, err := metadata.ParsePartition("id", schema)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.MustParse("11111111-2222-3333-4444-555555555555"), Location: table, Schema: schema, Spec: spec, TimestampMillis: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = commit.Create(t.Context(), testtable.ID, s.Catalog, s.Objects, m, commit.Options{Env: testtable.Env(0)}); err != nil {
		t.Fatal(err)
	}
	hand(t, s, handSnapshot{id: 9001, addedRows: 100, edit: func(rows []tree.Entry) {
		rows[0].SpecID, rows[0].Partition = some(int32(0)), tree.Tuple{{FieldID: 1000, Value: tree.Long(77)}}
	}}, `
leaf ADDED metadata/l1.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0
  0 ADDED data/a.parquet spec=0 partition={1000:long(5)}
`)
	if ids := findings(t, s); !slices.Contains(ids, "T-PARTITION") {
		t.Errorf("found %v", ids)
	}
}

// TestManyTombstones: tombstones of files that never were, beside as many files that stay: each is found, once.
func TestManyTombstones(t *testing.T) {
	const n = 2000
	s := newStore(t, nil)
	var leaf, root strings.Builder
	for i := range n {
		fmt.Fprintf(&leaf, "  %d ADDED data/a%d.parquet\n", i, i)
		fmt.Fprintf(&root, "loose DELETED data/b%d.parquet snapshot=9002 seq=1 file_seq=1\n", i)
	}
	pointer := " metadata/l1.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0\n"
	hand(t, s, handSnapshot{id: 9001, addedRows: 100 * n}, "leaf ADDED"+pointer+leaf.String())
	next(t, s, 0, "leaf EXISTING"+pointer+root.String(), nil)
	if ids := findings(t, s); !slices.Equal(ids, []string{"X-TOMBSTONE"}) {
		t.Errorf("found %v", ids)
	}
}
