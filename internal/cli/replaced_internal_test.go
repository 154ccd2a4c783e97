package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
)

// TestReplacedTable leads the catalog entry to another table while a change is under way: one that knows of the table
// before proves that nothing was committed, any other one does not.
func TestReplacedTable(t *testing.T) {
	for _, test := range []struct {
		code  int
		knows bool
		text  string
	}{
		{exitNotCommitted, true, "table-replaced: the table was replaced by another one"},
		{exitUnknown, false, "unknown"},
	} {
		x, files := moving(t)
		getenv := func(string) string { return "" }
		code := Run(t.Context(), []string{"init", "a.c", "--like", "source.parquet", "--property", "commit.retry.num-retries=0"},
			nil, new(bytes.Buffer), os.Stderr, getenv)
		if code != exitDone {
			t.Fatalf("init: code %d", code)
		}
		replaceTable(t, x, test.knows)
		x.append(files)
		err := x.commit(t.Context())
		if code := exitCode(t.Context(), err); code != test.code || !strings.Contains(err.Error(), test.text) {
			t.Errorf("code %d, %v, want %d, %s", code, err, test.code, test.text)
		}
	}
}

// replaceTable puts the table a.c under the name a.b, with or without the history of that name.
func replaceTable(t *testing.T, x *transaction, knows bool) {
	t.Helper()
	catalog, err := x.access.Catalog(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	name, err := catalog.Load(t.Context(), store.TableID{Namespace: "a", Name: "c"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := x.table.Metadata(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if knows {
		m = m.Successor(x.base.MetadataLocation, m.LastUpdatedMillis)
		data, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(name, ".metadata.json") + "-2.metadata.json"
		if err := x.objects.Put(t.Context(), name, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := catalog.Swap(t.Context(), store.TableID{Namespace: "a", Name: "b"}, x.base.MetadataLocation, name); err != nil {
		t.Fatal(err)
	}
}
