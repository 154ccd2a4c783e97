package commit_test

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/tree"
)

// TestRootSizeIsKnown: the state of a table says how long its root is, whether a commit made it or somebody has read it: by that plans learn
// what rows take.
func TestRootSizeIsKnown(t *testing.T) {
	s := newStore(t, nil, []tree.File{testtable.File(1), testtable.File(2)})
	table := s.Open(2, nil)
	for n := 3; n < 6; n++ {
		r := mustCommit(t, table, func(x *commit.Txn) { x.Append(testtable.File(n)) })
		info, err := s.Objects.Stat(t.Context(), r.RootLocation)
		if err != nil {
			t.Fatal(err)
		}
		for name, opened := range map[string]*commit.Table{"that committed": table, "opened anew": s.Open(3, nil)} {
			if got := begin(t, opened, commit.TxnOptions{}, func(*commit.Txn) {}).Base().Tree.RootSizeBytes; got != info.SizeBytes {
				t.Errorf("the table %s says %d bytes, the root has %d", name, got, info.SizeBytes)
			}
		}
	}
}
