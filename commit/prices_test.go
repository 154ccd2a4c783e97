package commit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/tree"
)

// manyColumns are those of the tables below, with statistics in each file that has any.
const manyColumns = 100

// manyColumnsTable makes a table without files.
func manyColumnsTable(t *testing.T, properties map[string]string) testtable.Store {
	t.Helper()
	s := newStore(t, properties)
	_, err := s.Open(1, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
		var err error
		for id := 2; id <= manyColumns && err == nil; id++ {
			m, err = m.EvolveSchema(metadata.AddColumn{Name: fmt.Sprint("c", id), Type: iceberg.PrimitiveTypes.String})
		}
		return m, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// made says what files are like: they have statistics of so many columns, with bounds of so many characters, each of three bytes, that are
// like those of no other file.
type made struct{ columns, characters int }

var bare, few, narrow, wide = made{}, made{25, 2}, made{manyColumns, 2}, made{manyColumns, 16}

// file returns file n.
func (m made) file(n int) tree.File {
	f, noise := testtable.File(n), rand.New(rand.NewPCG(1, uint64(n)))
	f.Location = fmt.Sprintf("%s/data/%016x%016x.parquet", testtable.Location, noise.Uint64(), noise.Uint64())
	f.Stats = nil
	bound := func(first rune) tree.Value {
		text := []rune{first}
		for range m.characters {
			text = append(text, 0x4e00+noise.Int32N(0x5000))
		}
		return tree.String(string(text))
	}
	for id := 2; id <= m.columns; id++ {
		f.Stats = append(f.Stats, tree.FieldStats{
			FieldID: id, Lower: bound('a'), Upper: bound('b'), ValueCount: number(f.RecordCount), NullCount: number(0),
		})
	}
	return f
}

func number(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }

// leavesOf writes each so many new files into a leaf.
type leavesOf int

func (leavesOf) Name() string { return "leaves-of" }

func (n leavesOf) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	for size := 0; len(rest) > 0; rest = rest[size:] {
		size = min(int(n), len(rest))
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Push, Written: -1, Members: rest[:size], Reason: "as the test says"})
	}
	return plan, nil
}

// appendMany appends so many files from a number on, and returns the length of the root and of all else that this wrote.
func appendMany(t *testing.T, s testtable.Store, p policy.Policy, first, files int, m made) (root, others int64) {
	t.Helper()
	x := begin(t, s.Open(int64(first+2), nil), commit.TxnOptions{Policy: p}, func(x *commit.Txn) {
		for n := first; n < first+files; n++ {
			x.Append(m.file(n))
		}
	})
	r, err := x.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Objects.Stat(t.Context(), r.RootLocation)
	if err != nil {
		t.Fatal(err)
	}
	return info.SizeBytes, r.BytesWritten - info.SizeBytes
}

// TestRootsKeepTheirLimit: what rows take is learned from what is there, but never to be less than those take that come now.
func TestRootsKeepTheirLimit(t *testing.T) {
	for name, c := range map[string]struct {
		properties map[string]string
		// What another engine wrote, in leaves of so many files.
		old, leaf      int
		oldFiles       made
		commits, files int
		newFiles       made
		limit          int64
	}{
		"leaves of few files":          {nil, 250, 10, narrow, 5, 250, narrow, 1 << 20},
		"old files without statistics": {nil, 20_000, 20_000, bare, 5, 300, narrow, 1 << 20},
		"wide rows":                    {map[string]string{choose.PropertyRootBytes: "524288"}, 0, 1, bare, 14, 10, wide, 1 << 19},
	} {
		t.Run(name, func(t *testing.T) {
			// Where objects are dear, files stay in the root as long as there is room.
			properties := map[string]string{choose.PropertyRequestBytes: "60000000"}
			for key, value := range c.properties {
				properties[key] = value
			}
			s := manyColumnsTable(t, properties)
			if c.old > 0 {
				appendMany(t, s, leavesOf(c.leaf), 0, c.old, c.oldFiles)
			}
			most := int64(0)
			for n := range c.commits {
				root, _ := appendMany(t, s, nil, 100_000+1000*n, c.files, c.newFiles)
				most = max(most, root)
			}
			if most > c.limit || most < c.limit/2 {
				t.Errorf("a root of %d bytes, of %d", most, c.limit)
			}
		})
	}
}

// TestRootsKeepTheirLimitWhenFilesGetStatistics: files of before that have statistics of few columns say nothing of what those take that come
// now, wherever they are.
func TestRootsKeepTheirLimitWhenFilesGetStatistics(t *testing.T) {
	for _, inLeaf := range []int{0, 1000} {
		s := manyColumnsTable(t, map[string]string{choose.PropertyRequestBytes: "60000000"})
		if inLeaf > 0 {
			appendMany(t, s, leavesOf(inLeaf), 50_000, inLeaf, few)
		}
		for n := range 4 {
			appendMany(t, s, simple.Never{}, 10_000*n, 250, few)
		}
		if root, _ := appendMany(t, s, nil, 100_000, 1200, narrow); root > 1<<20 {
			t.Errorf("with %d files in leaves: a root of %d bytes", inLeaf, root)
		}
	}
}

// TestWritersKeepTheirLimitBesideCheapRows: nor do rows in the root without statistics make those in small leaves cheap.
func TestWritersKeepTheirLimitBesideCheapRows(t *testing.T) {
	s := manyColumnsTable(t, nil)
	appendMany(t, s, leavesOf(20), 0, 4000, narrow)
	appendMany(t, s, simple.Never{}, 50_000, 4000, bare)
	if _, others := appendMany(t, s, nil, 100_000, 10, narrow); others > 1<<20+300_000 {
		t.Errorf("wrote %d bytes beside the root", others)
	}
}

// TestWritersKeepTheirLimit: a writer does not write more of old leaves again than he may, whatever those of few files say that rows take.
func TestWritersKeepTheirLimit(t *testing.T) {
	s := manyColumnsTable(t, nil)
	appendMany(t, s, leavesOf(9), 0, 2000, narrow)
	if _, others := appendMany(t, s, nil, 100_000, 10, narrow); others > 1<<20+300_000 { // the metadata file, and what a leaf takes without rows
		t.Errorf("wrote %d bytes beside the root", others)
	}
}
