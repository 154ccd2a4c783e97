package commit_test

import (
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
)

// TestShortLog: a table that keeps one older metadata file, and deletes the others, still tells a writer that it lost.
func TestShortLog(t *testing.T) {
	properties := map[string]string{
		"firn.policy": "never", "write.metadata.previous-versions-max": "1", "write.metadata.delete-after-commit.enabled": "true",
	}
	s := newStore(t, properties, testtable.Files(0, 2))
	x := begin(t, s.Open(2, nil), commit.TxnOptions{}, func(x *commit.Txn) { x.Append(testtable.File(50)) })
	for n := range 4 {
		mustCommit(t, s.Open(int64(3+n), nil), func(x *commit.Txn) { x.Append(testtable.File(10 + n)) })
	}
	r, err := x.Commit(t.Context())
	if err != nil || r.Attempts != 2 {
		t.Fatalf("%d attempts, %v", r.Attempts, err)
	}
	if files := names(s, "metadata.json"); len(files) != 2 {
		t.Errorf("metadata files %q", files)
	}
	checkLive(t, s, 0, 1, 10, 11, 12, 13, 50)
}
