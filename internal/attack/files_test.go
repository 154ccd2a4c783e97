package attack_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/tree"
)

const table = testtable.Location

// TestFilesRefused: files that say something false or impossible of themselves, loose and in a leaf.
func TestFilesRefused(t *testing.T) {
	vector := func(offset, size, rows int64) func(*tree.File) {
		return func(f *tree.File) {
			f.DeletionVector = some(tree.DeletionVector{Location: "mem://x/d.puffin", OffsetBytes: offset, SizeBytes: size, Cardinality: rows})
		}
	}
	for what, edit := range map[string]func(*tree.File){
		"no records":             func(f *tree.File) { f.RecordCount = 0 },
		"negative records":       func(f *tree.File) { f.RecordCount = math.MinInt64 },
		"no scheme":              func(f *tree.File) { f.Location = "/data/a" },
		"not UTF-8":              func(f *tree.File) { f.Location = table + "/data/\xff" },
		"a location of 17 MiB":   func(f *tree.File) { f.Location = table + "/" + strings.Repeat("x", 17<<20) },
		"17 MiB of key metadata": func(f *tree.File) { f.KeyMetadata = make([]byte, 17<<20) },
		"value count":            func(f *tree.File) { f.Stats[0].ValueCount = some(int64(5)) },
		"more nulls than values": func(f *tree.File) { f.Stats[0].NullCount = some(int64(101)) },
		"bounds of another type": func(f *tree.File) { f.Stats[0].Lower, f.Stats[0].Upper = tree.String("a"), tree.String("b") },
		"bounds of an old type":  func(f *tree.File) { f.Stats[0].Lower, f.Stats[0].Upper = tree.Int(1), tree.Int(2) },
		"bounds upside down":     func(f *tree.File) { f.Stats[0].Lower = tree.Long(1000) },
		"a column twice":         func(f *tree.File) { f.Stats = append(f.Stats, f.Stats[0]) },
		"a spec without fields":  func(f *tree.File) { f.SpecID, f.Partition = some(int32(0)), tree.Tuple{} },
		"an unknown spec":        func(f *tree.File) { f.SpecID, f.Partition = some(int32(9)), tree.Tuple{} },
		"another's field": func(f *tree.File) {
			f.SpecID, f.Partition = some(int32(0)), tree.Tuple{{FieldID: 1000, Value: tree.Long(1)}}
		},
		"a number of the future":  func(f *tree.File) { f.DataSequenceNumber = some(int64(99)) },
		"the greatest number":     func(f *tree.File) { f.DataSequenceNumber = some(int64(math.MaxInt64)) },
		"more deletes than rows":  vector(4, 40, 101),
		"no room for a blob":      vector(0, 1, 1),
		"a blob beyond 64 bits":   vector(math.MaxInt64, math.MaxInt64, 1),
		"splits that do not rise": func(f *tree.File) { f.SplitOffsets = []int64{4, 4} },
		"a split beyond the file": func(f *tree.File) { f.SplitOffsets = []int64{4, 5000} },
		"a puffin file":           func(f *tree.File) { f.Format = "puffin" },
	} {
		for _, properties := range []map[string]string{nil, leafOf(3)} {
			s := newStore(t, properties, testtable.Files(0, 1))
			f := testtable.File(5)
			edit(&f)
			if err := try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(f) }); err == nil {
				t.Errorf("%s: committed", what)
			}
			wantLive(t, s, name(0))
		}
	}
}

// TestLocationsKept: locations are taken literally, whatever they look like, and come back as they were.
func TestLocationsKept(t *testing.T) {
	names := []string{
		table, table + "/", table + "2/data/a", table + "/data/a/", table + "//data/a", table + "/data/a/../b", table + "/data/./a",
		table + "/data/a", table + "/data/A", table + "/data/%61", table + "/data-10:00.parquet", table + "/mem://wh/t/data/a",
		table + "/data/\u00e9", table + "/data/e\u0301", table + "/data/a\x00b", table + "/data/a\nb", "mem:", "MEM://wh/t/data/a",
		table + "/ ", table + "/\"{}[]",
	}
	for _, properties := range []map[string]string{nil, leafOf(30)} {
		s := newStore(t, properties)
		mustCommit(t, s.Open(5, nil), func(x *commit.Txn) {
			for _, name := range names {
				f := testtable.File(1)
				f.Location = name
				x.Append(f)
			}
		})
		got, err := s.Live(t.Context())
		if want := slices.Sorted(slices.Values(names)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v\n got %q\nwant %q", err, got, want)
		}
		if ids := findings(t, s); len(ids) > 0 {
			t.Error(ids)
		}
		for i, name := range names { // each is found again, and is no other
			mustCommit(t, s.Open(int64(6+i), nil), func(x *commit.Txn) { x.Remove(commit.Target{Location: name}) })
		}
		wantLive(t, s)
	}
}

// TestSameFileTwice: one file by two spellings, within a transaction and over two.
func TestSameFileTwice(t *testing.T) {
	s := newStore(t, leafOf(3), testtable.Files(0, 2))
	o := commit.TxnOptions{CheckDuplicates: true}
	for _, c := range []struct {
		part   string
		change func(*commit.Txn)
	}{
		{"added and added", func(x *commit.Txn) { x.Append(testtable.File(5), testtable.File(5)) }},
		{"removed and changed", func(x *commit.Txn) {
			x.Remove(testtable.Target(0))
			x.Replace([]commit.Target{{Location: name(0)}}, testtable.File(6))
		}},
		{"removed and added", func(x *commit.Txn) { x.Remove(commit.Target{Location: name(0)}); x.Append(testtable.File(0)) }},
		{"live in the table already", func(x *commit.Txn) { x.Append(testtable.File(0)) }},
	} {
		wantError(t, try(t, s, o, c.change), commit.ErrRefused, c.part)
	}
	hand(t, s, handSnapshot{id: 9001, addedRows: 100}, `
leaf ADDED metadata/l1.parquet snapshot=9001 seq=2 file_seq=2 first_row_id=200
  0 ADDED mem://wh/t/data/absolute.parquet
`)
	f := testtable.File(5)
	f.Location = table + "/data/absolute.parquet"
	wantError(t, try(t, s, o, func(x *commit.Txn) { x.Append(f) }), commit.ErrRefused, "live in the table already")
}

// TestNumbersRunOut: row ids and sequence numbers end before they wrap, and no total in a summary wraps.
func TestNumbersRunOut(t *testing.T) {
	s := newStore(t, nil)
	f, g := testtable.File(1), testtable.File(2)
	for _, f := range []*tree.File{&f, &g} {
		f.RecordCount, f.FileSizeBytes, f.Stats = math.MaxInt64/2, math.MaxInt64, nil
	}
	mustCommit(t, s.Open(5, nil), func(x *commit.Txn) { x.Append(f, g) })
	snapshot, _ := head(t, s).Metadata.Current()
	for key, value := range snapshot.Summary {
		if strings.HasPrefix(value, "-") {
			t.Errorf("summary: %s is %s", key, value)
		}
	}
	wantError(t, try(t, s, commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(9)) }), nil, "exceed the row ids")
	wantLive(t, s, name(1), name(2))
}
