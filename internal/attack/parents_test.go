package attack_test

import (
	"math"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// twoInLeaf is a first snapshot with one leaf of two files.
const twoInLeaf = `
leaf ADDED metadata/l1.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0
  0 ADDED data/a.parquet
  1 ADDED data/b.parquet
`

func handTwo(t *testing.T) testtable.Store {
	t.Helper()
	s := newStore(t, nil)
	hand(t, s, handSnapshot{id: 9001, addedRows: 200}, twoInLeaf)
	return s
}

// carried is the pointer of twoInLeaf in a second snapshot, with this text in place of its status and bitmaps.
func carried(t *testing.T, s testtable.Store, edit func(*tree.Entry)) {
	t.Helper()
	e := head(t, s).Tree.Rows[0]
	hand(t, s, handSnapshot{id: 9002, edit: func(rows []tree.Entry) { edit(&e); rows[0] = e }},
		"loose EXISTING placeholder snapshot=9001 seq=1 file_seq=1 first_row_id=0\n")
}

// TestBrokenMasks: a parent whose bitmap is not one of its leaf. No commit may go on from it, least of all by dropping
// the leaf as one of which nothing is live.
func TestBrokenMasks(t *testing.T) {
	for what, dv := range map[string][]byte{
		"as many positions as rows, beyond them": {1, 2, 0, 0, 1, 0, 0, 0, 2, 5, 6},
		"one position beyond":                    {1, 2, 0, 0, 1, 0, 0, 0, 2, 0, 6},
		"a header that says all":                 {1, 2, 0, 0, 1, 0, 0, 0, 1, 0},
		"cut":                                    {1, 2, 0, 0, 1, 0, 0, 0, 2, 0},
		"no bytes":                               {},
	} {
		s := handTwo(t)
		carried(t, s, func(e *tree.Entry) {
			e.Tracking.Status, e.Tracking.ModifiedSnapshotID = tree.Modified, some(int64(9002))
			e.Manifest.Val.DV = dv
		})
		before := head(t, s).MetadataLocation
		if err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }); err == nil {
			t.Errorf("%s: committed, live files %q", what, live(t, s))
		}
		if _, err := s.Live(t.Context()); err == nil || head(t, s).MetadataLocation != before {
			t.Errorf("%s: it reads: %v", what, err)
		}
	}
}

// TestFileLiveTwice: a parent in which a file is live twice. Removing one of the entries would not remove the file.
func TestFileLiveTwice(t *testing.T) {
	for what, text := range map[string]string{
		"in one leaf": `
leaf ADDED metadata/l1.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0
  0 ADDED data/a.parquet
  1 ADDED mem://wh/t/data/a.parquet
`,
		"in the root": `
loose ADDED data/a.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0
loose ADDED mem://wh/t/data/a.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=100
`,
	} {
		s := newStore(t, nil)
		hand(t, s, handSnapshot{id: 9001, addedRows: 200}, text)
		err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(commit.Target{Location: "data/a.parquet"}) })
		wantError(t, err, nil, "live twice")
		if got := live(t, s); len(got) != 2 {
			t.Errorf("%s: live files %q", what, got)
		}
	}
}

// TestParentsOfOtherEngines: odd but legal parents are carried on without a change of what is live.
func TestParentsOfOtherEngines(t *testing.T) {
	for what, c := range map[string]struct {
		text string
		live []string
	}{
		"a leaf that mixes live and dead rows": {`
leaf ADDED metadata/l1.parquet snapshot=9001 seq=2 file_seq=2 first_row_id=100
  0 ADDED data/a.parquet
  1 DELETED data/f0000.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=0 stats={1:{lower=long(0),upper=long(1),tight=true,values=100,nulls=0}}
`, []string{"data/a.parquet"}},
		"a leaf that was masked at birth": {`
leaf ADDED metadata/l1.parquet live=1/2 dv={0} snapshot=9001 modified=9001 seq=2 file_seq=2 first_row_id=100
  0 masked ADDED data/a.parquet
  1 ADDED data/b.parquet
loose EXISTING data/f0000.parquet snapshot=1001 seq=1 file_seq=1 first_row_id=0
`, []string{"data/b.parquet", name(0)}},
		"a leaf that was masked in full at birth": {`
leaf ADDED metadata/l1.parquet live=0/1 dv={0} snapshot=9001 seq=2 file_seq=2 first_row_id=100
  0 masked ADDED data/a.parquet
loose EXISTING data/f0000.parquet snapshot=1001 seq=1 file_seq=1 first_row_id=0
`, []string{name(0)}},
		"statistics without tightness": {`
loose EXISTING data/f0000.parquet snapshot=1001 seq=1 file_seq=1 first_row_id=0
loose ADDED data/a.parquet snapshot=9001 seq=2 file_seq=2 first_row_id=100 stats={1:{lower=long(0),upper=long(1),values=100,nulls=0}}
`, []string{"data/a.parquet", name(0)}},
	} {
		t.Run(what, func(t *testing.T) {
			s := newStore(t, nil, testtable.Files(0, 1))
			hand(t, s, handSnapshot{id: 9001, addedRows: 200}, c.text)
			mustCommit(t, s.Open(5, nil), func(x *commit.Txn) { x.Append(testtable.File(9)) })
			mustCommit(t, s.Open(6, nil), func(x *commit.Txn) { x.Remove(testtable.Target(9)) })
			if got := live(t, s); strings.Join(got, " ") != strings.Join(c.live, " ") {
				t.Errorf("live files %q, want %q", got, c.live)
			}
		})
	}
}

// TestMetadataThatStepsBack: a metadata file whose counters are below what its tree uses, or at their end.
func TestMetadataThatStepsBack(t *testing.T) {
	for what, edit := range map[string]func(*metadata.Table){
		"next row id":              func(m *metadata.Table) { m.NextRowID = 0 },
		"last sequence number":     func(m *metadata.Table) { m.LastSequenceNumber = 0 },
		"the last sequence number": func(m *metadata.Table) { m.LastSequenceNumber = math.MaxInt64 },
		"the last row id":          func(m *metadata.Table) { m.NextRowID = math.MaxInt64 },
	} {
		for _, properties := range []map[string]string{nil, leafOf(3)} {
			s := newStore(t, properties, testtable.Files(0, 1))
			publish(t.Context(), t, s, head(t, s), func(m metadata.Table) (metadata.Table, error) { edit(&m); return m, nil })
			if err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }); err == nil {
				t.Errorf("%s: committed", what)
			}
			if got := live(t, s); len(got) != 1 {
				t.Errorf("%s: live files %q", what, got)
			}
		}
	}
}

// TestLegacyLeaf: a manifest that cannot be read yet is carried, and is refused by name where its files matter.
func TestLegacyLeaf(t *testing.T) {
	s := newStore(t, nil)
	hand(t, s, handSnapshot{id: 9001, addedRows: 100}, `
legacy EXISTING mem://wh/t/m.avro live=1/1 spec=0 size=10 snapshot=900 seq=0 file_seq=0 first_row_id=0 format=avro counts={existing:1/100}
loose ADDED data/a.parquet snapshot=9001 seq=1 file_seq=1 first_row_id=100
`)
	wantError(t, try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Remove(testtable.Target(5)) }), treeio.ErrLegacy, "m.avro")
	if err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(1)) }); err != nil {
		t.Log(err) // the hand-made numbers may break a rule; the manifest must stay
	}
	if rows := head(t, s).Tree.Rows; rows[0].Location != "mem://wh/t/m.avro" {
		t.Errorf("the manifest is gone: %+v", rows[0])
	}
}
