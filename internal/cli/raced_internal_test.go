package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
)

// TestDeleteRowsRaced: another writer deletes rows of the same file first.
func TestDeleteRowsRaced(t *testing.T) {
	x, files := moving(t)
	x.append(files)
	if err := x.commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for other, merge := range map[string]bool{"1": false, "2": true} {
		y, err := x.app.begin(t.Context(), "a.b", "main")
		if err != nil {
			t.Fatal(err)
		}
		targets, err := y.targets(t.Context(), []string{"source.parquet"})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := dv.ParseText("10-12")
		if err != nil {
			t.Fatal(err)
		}
		y.txn.ExtendDV(targets[0], rows, commit.DVOptions{MergeRaced: merge})
		code := Run(t.Context(), []string{"delete-rows", "a.b", "source.parquet", "--positions", other}, nil,
			new(bytes.Buffer), os.Stderr, func(string) string { return "" })
		if code != exitDone {
			t.Fatalf("delete-rows: code %d", code)
		}
		err = y.commit(t.Context())
		if merge {
			if notices := x.stderr.(*bytes.Buffer).String(); err != nil || !strings.Contains(notices, "rule dv-raced applied to file://") {
				t.Errorf("merged: %v, notices %s", err, notices)
			}
		} else if code := exitCode(t.Context(), err); code != exitNotCommitted || !strings.Contains(err.Error(), "dv-raced") {
			t.Errorf("raced: code %d, %v", code, err)
		}
	}
}
