package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/invariants"
)

// javaTables are tables whose manifests Apache's Java code wrote.
const javaTables = "../../testdata/interop/java-1.12.0"

// openJavaTable opens one of them. Its location is one of an object store, and one table has names with two slashes
// in a row, which a file system cannot hold.
func openJavaTable(t *testing.T, folder string) table {
	t.Helper()
	location := "s3://firn-fixtures/" + filepath.Base(folder)
	return openTable(t, folder, location+"="+folder, location+"//="+folder)
}

func eachJavaTable(t *testing.T, test func(t *testing.T, name string, x table)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(javaTables, "*", "metadata"))
	if err != nil || len(names) != 7 {
		t.Fatalf("tables %v, %v; there are 7", names, err)
	}
	for _, name := range names {
		folder := filepath.Dir(name)
		t.Run(filepath.Base(folder), func(t *testing.T) { test(t, folder, openJavaTable(t, folder)) })
	}
}

// TestJavaTablesFiles compares the live files of every snapshot with what a reader in Java found.
func TestJavaTablesFiles(t *testing.T) {
	eachJavaTable(t, func(t *testing.T, folder string, x table) {
		total := 0
		for _, s := range x.meta.Snapshots {
			want, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("expected-%d.tsv", s.ID)))
			if err != nil {
				t.Fatal(err)
			}
			got := x.files(t, s)
			if diff := cmp.Diff(strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"), got); diff != "" {
				t.Errorf("snapshot %d (-java +firn):\n%s", s.ID, diff)
			}
			total += len(got)
		}
		t.Logf("%d snapshots, %d lines", len(x.meta.Snapshots), total)
	})
}

// illegalHistory are the errors of the one table that is no legal history, as its provenance says: data/pre-v3.parquet
// and data/pre-v3-dv.parquet appear as old files that no earlier snapshot lists, and data/explicit.parquet takes row
// ids that a removed file had.
var illegalHistory = []string{"X-INVENTED row 7", "X-INVENTED row 8", "X-ROW-ID-REUSED row 11"}

// TestJavaTablesHistory holds each table to all invariants.
func TestJavaTablesHistory(t *testing.T) {
	eachJavaTable(t, func(t *testing.T, folder string, x table) {
		var want, got []string
		if filepath.Base(folder) == "row-ids" {
			want = illegalHistory
		}
		for _, v := range x.findings(t) {
			t.Log(v.Severity, v.Message())
			if v.Severity == invariants.Error {
				got = append(got, fmt.Sprintf("%s row %d", v.ID, v.Row))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
	})
}
