package invariants_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// Histories that are in order, as the scenarios tell them.
var cleanCases = []struct {
	name   string
	sample func() *sample
}{
	{"S5: all files of a leaf go, and the leaf with them", nextEmptied},
	{"S6: one file of a leaf is deleted, one replaced (S13)", nextMasked},
	{"S7: a masked leaf is carried, its deltas cleared", func() *sample {
		s := next(masked(keptL1(), set(0), nil, nil), keptA(), keptB())
		old, now := &s.parent.Rows[0], s.childRow(0)
		*old = masked(*old, set(0), set(0), nil)
		old.Tracking.Status, old.Tracking.ModifiedSnapshotID = tree.Modified, some(parentID)
		now.Tracking.Status, now.Tracking.ModifiedSnapshotID = tree.Existing, some(parentID)
		olderLeaf(s)
		return s
	}},
	{"S10: a loose file is deleted", nextLoose},
	{"S10: its tombstone is gone with the next commit", func() *sample {
		s := next(keptL1(), keptA())
		gone := loose("data/b.parquet", tree.Deleted, 35)
		gone.Tracking.FileSequenceNumber = some(int64(0))
		s.parent.Rows[2] = gone
		return s
	}},
	{"S12: the deletion vector of a loose file is replaced again", nextDV},
	{"S19: a leaf file is deleted and its path added again", func() *sample {
		s := nextSwapped()
		s.childRow(4).Location = "data/w.parquet"
		return s
	}},
	{"S31: a leaf is folded", nextFold},
	{"Q25: a file moves from a leaf to the root", nextMoved},
	{"the first snapshot of a table", func() *sample {
		s := next()
		s.tree, s.parent = s.parent, &tree.Tree{}
		return s
	}},
	{"the partition type of a carried pointer and a carried file is widened", func() *sample {
		s := next(keptL1(), keptA(), keptB())
		s.parent.Rows[1].SpecID, s.parent.Rows[1].Partition = some(int32(1)), tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}}
		s.childRow(1).SpecID, s.childRow(1).Partition = some(int32(1)), tree.Tuple{{FieldID: 1000, Value: tree.String("eu")}, {FieldID: 1001}}
		return s
	}},
	{"the statistics of a carried pointer are promoted to a wider type", func() *sample {
		s := nextStats()
		s.table.Schemas = nil
		s.parent.Rows[0].Stats[0].Lower, s.parent.Rows[0].Stats[0].Upper = tree.Int(1), tree.Int(9)
		s.leafStats(func(f *tree.FieldStats) { f.Lower, f.Upper = tree.Int(3), tree.Int(9) })
		return s
	}},
	{"S45: unknown columns are carried, and a null one appears", func() *sample {
		s := nextIdle()
		s.parent.Rows[1].Foreign = foreign(900, "x")
		s.childRow(1).Foreign = append([]tree.ForeignField{{
			Type: &tree.ForeignType{ID: 901, Repetition: tree.Optional, Physical: "INT32"}, Cells: []tree.ForeignCell{{}},
		}}, foreign(900, "x")...)
		return s
	}},
	{"rules 8.8: a legacy manifest gets its row ids with the first commit after the upgrade", nextUpgraded},
	{"rules 16.3: a carried pointer says the time that its null stood for", func() *sample {
		s := nextIdle()
		s.parent.HasSnapshotTimestamps = true
		s.childRow(0).Tracking.SnapshotTimestampMicros = some(s.parent.TimestampMillis * 1000)
		return s
	}},
	{"rules 9.9: the last file of a leaf goes that another commit masked in part", func() *sample {
		s := next(oldState(masked(keptL1(), set(0, 1, 2), set(0, 1), nil), tree.Deleted), keptA(), keptB())
		s.parent.Rows[0].Manifest.Val.DV, s.parent.Rows[0].Tracking.ModifiedSnapshotID = set(2), some(parentID)
		return s
	}},
	{"a masked pointer has no tight bounds any more", nextTight},
	{"a pointer is carried with its tight bounds", func() *sample {
		s := nextTight()
		s.tree.Rows = append([]tree.Entry{keptL1()}, s.tree.Rows[1:]...)
		s.childRow(0).Stats = s.parent.Rows[0].Stats
		return s
	}},
	{"a leaf is born with a mask and says when", func() *sample {
		s := nextMoved()
		s.childRow(0).Manifest.Val.DV, s.childRow(0).Tracking.ModifiedSnapshotID = set(1), some(childID)
		return s
	}},
	{"rules 15.2: a column file raises the sequence number", func() *sample {
		s := nextLoose()
		s.childRow(3).Foreign, s.childRow(3).Tracking.SequenceNumber = foreign(158, "x"), some(int64(2))
		return s
	}},
	{"Q18: what is in the bitmaps of an earlier change does not matter", nextPremasked},
}

// nextUpgraded is the first snapshot of v4, after one that listed a legacy manifest without row ids.
func nextUpgraded() *sample {
	s := next(keptL1(), keptA(), keptB())
	for _, e := range []*tree.Entry{&s.parent.Rows[0], s.childRow(0)} {
		e.FileFormat, e.SpecID, e.Manifest.Val.FormatVersion = "avro", some(int32(0)), 0
	}
	s.parent.Rows[0].Tracking.FirstRowID = none[int64]()
	s.childRow(0).Tracking.FirstRowID = some(int64(50))
	s.tree.AddedRows, s.upgraded = 3*leafRows, true
	s.leaves[tableLocation+"/"+l1][1].Location = "data/../not held to the rules of v4" // but read all the same
	for _, location := range []string{"metadata/d1.avro", "metadata/d2.avro"} {        // never opened, whether carried or dropped
		d := *s.childRow(0)
		d.Content, d.Location, d.Tracking.FirstRowID = tree.DeleteManifest, location, none[int64]()
		s.parent.Rows = append(s.parent.Rows, d)
	}
	s.addRow(s.parent.Rows[3])
	return s
}

// olderLeaf makes leaf L1 one that a snapshot before the parent wrote.
func olderLeaf(s *sample) {
	for _, e := range []*tree.Entry{&s.parent.Rows[0], s.childRow(0)} {
		e.Tracking.SnapshotID, e.Manifest.Val.MinSequenceNumber = some(int64(100)), 0
		e.Tracking.SequenceNumber, e.Tracking.FileSequenceNumber = some(int64(0)), some(int64(0))
	}
	s.parent.FirstRowID, s.parent.AddedRows = 30, 20
}

func TestCleanCases(t *testing.T) {
	for _, c := range cleanCases {
		for _, depth := range []invariants.Depth{invariants.RootOnly, invariants.AddedLeaves, invariants.AllLeaves} {
			if found := c.sample().violations(depth); len(found) > 0 {
				t.Errorf("%s, %s:%s", c.name, depth, messages(found))
			}
		}
	}
}

// Faults that were found in other implementations, and what the checker says of them.
var brokenCases = []struct {
	name   string
	sample func() *sample
	want   []string
}{
	{"B09: a root built from another parent loses an entry", func() *sample {
		s := nextIdle()
		s.dropRow(2)
		return s
	}, []string{"X-LOST"}},
	{"B10: a fold brings back what was masked", func() *sample {
		s := nextFold()
		s.parent.Rows[0].Manifest.Val.DV, s.parent.Rows[0].Tracking.ModifiedSnapshotID = set(1), some(parentID)
		return s
	}, []string{"X-INVENTED"}},
	{"a leaf is born with a mask and does not say when", func() *sample {
		s := nextMoved()
		s.childRow(0).Manifest.Val.DV = set(1)
		return s
	}, []string{"E-MDV-UNMARKED"}},
	{"a pointer to such a leaf is carried", func() *sample {
		s := nextMoved()
		s.childRow(0).Manifest.Val.DV = set(1)
		return s.then(0, 1, 2, 3)
	}, []string{"E-MDV-UNMARKED"}},
	{"S24: a file is deleted by a position and added again, for its deletion vector shrinks", func() *sample {
		return nextTakenBack(10)
	}, []string{"X-READDED"}},
	{"S24: and with row ids that it did not have", func() *sample {
		return nextTakenBack(40)
	}, []string{"X-READDED", "X-ROW-ID-REUSED"}},
	{"S24: a file is deleted by a row and added again", func() *sample {
		s := nextLoose()
		b := byChild(loose("data/a.parquet", tree.Added, 0), 50)
		s.addRow(b)
		s.tree.AddedRows = looseRows
		return s
	}, []string{"R-READDED"}},
	{"a file is deleted by a row and added again as the same file", func() *sample {
		s := nextIdle()
		gone := oldState(*s.childRow(3), tree.Deleted)
		gone.Tracking.FirstRowID = some(int64(40))
		s.addRow(gone)
		return s
	}, []string{"R-DELETED-LIVE", "R-OLDER", "X-TOMBSTONE"}},
	{"a file is deleted by a row and stays", func() *sample {
		s := nextIdle()
		s.addRow(oldState(keptA(), tree.Deleted))
		return s
	}, []string{"R-DELETED-LIVE"}},
	{"B15 (d): a file is live in a leaf and loose", func() *sample {
		s := next(keptL1(), keptA(), keptB(), withDV(modified(settledX()), 1))
		return s
	}, []string{"T-LIVE-ONCE", "T-ROW-ID-OVERLAP"}},
	{"B15 (e): modified, the old state neither replaced by row nor by position", func() *sample {
		s := nextMasked()
		s.childRow(0).Tracking.ReplacedPositions = nil
		return s
	}, []string{"X-REPLACED"}},
	{"B19: the cardinality of a bitmap is not the number of its bits", func() *sample {
		s := nextMasked()
		s.childRow(0).Manifest.Val.DV[1] = 3
		return s
	}, []string{"E-MDV-DECODE"}},
	{"B19: the bitmap of the parent is broken, and what went from the leaf is not known", func() *sample {
		s := nextPremasked()
		s.parent.Rows[0].Manifest.Val.DV = []byte{9}
		s.childRow(0).Tracking.DeletedPositions = nil
		return s
	}, []string{"E-MDV-DECODE"}},
	{"B08, B27: two leaves begin at one row id", func() *sample {
		s := nextMoved()
		s.childRow(0).Tracking.FirstRowID = some(int64(50))
		s.addRow(newFile())
		s.childRow(4).Location = "data/m.parquet"
		s.tree.AddedRows += looseRows
		return s
	}, []string{"R-ROW-ID-DISJOINT", "T-ROW-ID-OVERLAP"}},
	{"B08: a legacy manifest is assigned ids that a leaf has", func() *sample {
		s := nextUpgraded()
		s.tree.Rows = append(s.tree.Rows, byChild(loose("data/n.parquet", tree.Added, 0), 75))
		return s
	}, []string{"R-ROW-ID-DISJOINT", "T-ROW-ID-OVERLAP"}},
	{"rules 13.1: one row stands twice in a root", func() *sample {
		s := nextIdle()
		s.addRow(keptA())
		return s
	}, []string{"R-LIVE-ONCE", "T-ROW-ID-OVERLAP"}},
	{"B31: a location with '..' is kept and warned of", func() *sample {
		s := nextIdle()
		s.childRow(3).Location = "../x.parquet"
		return s
	}, []string{"E-DOTS"}},
	{"B44: a position beyond the leaf", func() *sample {
		s := nextMasked()
		s.childRow(0).Manifest.Val.DV = set(0, 1, 3)
		return s
	}, []string{"E-MDV-RANGE"}},
	{"S27: a leaf that mixes live rows and tombstones", func() *sample {
		s := nextFold()
		rows := append(slices.Clone(s.leaves[tableLocation+"/"+l2]), oldState(settledX(), tree.Deleted))
		s.tree.Rows, s.tree.AddedRows = s.tree.Rows[1:3], 0
		return s.withLeaf(50, rows...)
	}, []string{"L-MIXED"}},
	{"S28: ids are inherited by every live row without one, masked or not", func() *sample {
		s := nextMoved()
		rows := []tree.Entry{inLeaf("data/p.parquet"), settledZ(), inLeaf("data/q.parquet")}
		rows[1].Location, rows[1].Tracking.FirstRowID = "data/a.parquet", none[int64]()
		s.tree.Rows, s.tree.AddedRows = s.tree.Rows[1:], 0
		rows[1].RecordCount = looseRows
		return s.withLeaf(50, rows...)
	}, []string{"L-ROW-ID-NULL", "X-SAME-FILE"}},
	{"B10: a file comes in as if it had been modified", func() *sample {
		old := loose("data/old.parquet", tree.Existing, 40)
		return next(keptL1(), keptA(), keptB(), oldState(old, tree.Replaced), withDV(modified(old), 1))
	}, []string{"X-INVENTED"}},
	{"rules 7.2: a new deletion vector does not raise the sequence number", func() *sample {
		s := nextLoose()
		s.childRow(3).Tracking.SequenceNumber = some(int64(2))
		return s
	}, []string{"X-SAME-FILE"}},
	{"S29: the bytes of a bitmap are cut", func() *sample {
		s := nextMasked()
		s.childRow(0).Tracking.DeletedPositions = set(0)[:8]
		return s
	}, []string{"E-MDV-DECODE", "X-LOST"}},
}

func TestBrokenCases(t *testing.T) {
	for _, c := range brokenCases {
		if found := c.sample().violations(invariants.AllLeaves); !slices.Equal(ids(found), c.want) {
			t.Errorf("%s: %v, want %v:%s", c.name, ids(found), c.want, messages(found))
		}
	}
}

// Without leaves the numbers of old and new states are compared.
func TestReplacedByNumber(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*sample)
		want  []string
	}{
		{"as many new states as old ones", func(*sample) {}, nil},
		{"a new state without an old one", func(s *sample) { s.childRow(0).Tracking.ReplacedPositions = nil }, []string{"X-REPLACED"}},
		{"an old state without a new one", func(s *sample) { s.dropRow(3) }, []string{"X-REPLACED"}},
		{"a new state of a file that stays", func(s *sample) { *s.childRow(0) = keptL1() }, []string{"X-REPLACED"}},
		{"nobody knows how many old states", func(s *sample) {
			s.childRow(0).Tracking.ReplacedPositions = []byte{7}
		}, []string{"E-MDV-DECODE"}},
	} {
		s := nextMasked()
		c.spoil(s)
		if found := s.violations(invariants.RootOnly); !slices.Equal(ids(found), c.want) {
			t.Errorf("%s: %v, want %v:%s", c.name, ids(found), c.want, messages(found))
		}
	}
}

// B36, B46: the order of bounds, and units that do not mix.
func TestBoundCases(t *testing.T) {
	low, high := uuid.MustParse("7fffffff-ffff-ffff-ffff-ffffffffffff"), uuid.MustParse("80000000-0000-0000-0000-000000000000")
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		name         string
		column       int
		lower, upper tree.Value
		want         []string
	}{
		{"B36: uuids are unsigned", 9, tree.UUID(low), tree.UUID(high), nil},
		{"B36: uuids are unsigned", 9, tree.UUID(high), tree.UUID(low), []string{"E-BOUND-ORDER"}},
		{"B36: -0.0 below 0.0", 4, tree.Double(zero), tree.Double(0), nil},
		{"B36: -0.0 below 0.0", 4, tree.Double(0), tree.Double(zero), []string{"E-BOUND-ORDER"}},
		{"B36: NaN bound", 4, tree.Double(1), tree.Double(math.NaN()), []string{"E-BOUND-NAN"}},
		{"B36: null bounds", 4, tree.Value{}, tree.Value{}, nil},
		{"bytes are unsigned", 9, tree.String("z"), tree.String("\u00e9"), nil},
		{"decimals by number", 9, tree.DecimalInt64(-1, 2), tree.DecimalBytes([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, 2), nil},
		{"decimals by number", 9, tree.DecimalBytes([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, 2), tree.DecimalInt64(5, 2), []string{"E-BOUND-ORDER"}},
		{"B46: micros in a column of nanos", 5, tree.Timestamp(1), tree.Timestamp(2), []string{"E-BOUND-KIND"}},
		{"B46: nanos in a column of micros", 3, tree.TimestampNano(1), tree.Timestamp(2), []string{"E-BOUND-KIND"}},
		{"a column without a schema", 9, tree.TimestampNano(1), tree.Timestamp(2), []string{"E-BOUND-KIND"}},
	} {
		s := goodFile()
		s.entry.Stats = tree.Stats{{FieldID: c.column, Lower: c.lower, Upper: c.upper, Tight: some(false)}}
		if found := s.violations(invariants.RootOnly); !slices.Equal(ids(found), c.want) {
			t.Errorf("%s: %v, want %v:%s", c.name, ids(found), c.want, messages(found))
		}
	}
}

// B31: what the checker takes for absolute, and that it joins without cleaning.
func TestResolve(t *testing.T) {
	for stored, want := range map[string]string{
		"data/f.parquet": "s3://b/t/data/f.parquet", "/data/f.parquet": "s3://b/t//data/f.parquet",
		"data//f.parquet": "s3://b/t/data//f.parquet", "../x.parquet": "s3://b/t/../x.parquet",
		"a%20b.parquet": "s3://b/t/a%20b.parquet", "a b.parquet": "s3://b/t/a b.parquet",
		"ts=2026-01-01T10:00/f.parquet": "s3://b/t/ts=2026-01-01T10:00/f.parquet", "S3://b/t/f": "S3://b/t/f",
		"file:/wh/f": "file:/wh/f", "2026:11/f": "s3://b/t/2026:11/f", "-x:y/f": "s3://b/t/-x:y/f", ":x/f": "s3://b/t/:x/f",
		"x-y.z+1:opaque": "x-y.z+1:opaque", "": "s3://b/t/", "azAZ09:x": "azAZ09:x", "s3": "s3://b/t/s3", "a_b:x": "s3://b/t/a_b:x",
	} {
		if got := invariants.Resolve(tableLocation, stored); got != want {
			t.Errorf("%q resolves to %q, want %q", stored, got, want)
		}
	}
}

// A lone root, of which nothing but its rows is known, is held to no rule that needs more.
func TestLoneRoot(t *testing.T) {
	for _, good := range []func() *sample{goodRoot, goodLegacy, goodDeletedPointer, goodTwoNew} {
		s := good()
		s.table = invariants.Table{}
		s.root = &tree.Tree{Root: "root.parquet", Rows: s.root.Rows}
		if found := s.violations(invariants.RootOnly); len(found) > 0 {
			t.Errorf("not clean:%s", messages(found))
		}
	}
}
