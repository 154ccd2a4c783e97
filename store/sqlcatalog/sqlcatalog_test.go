package sqlcatalog_test

import (
	"path/filepath"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/store/storetest"
)

func TestCatalog(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
		return open(t, filepath.Join(t.TempDir(), "catalog.db"))
	})
}

func TestCatalogKilled(t *testing.T) {
	storetest.TestCatalogKilled(t, func(folder string) (store.Catalog, error) {
		return sqlcatalog.Open(t.Context(), filepath.Join(folder, "catalog.db"))
	})
}

// open opens a catalog for the time of the test.
func open(t *testing.T, uri string) *sqlcatalog.Catalog {
	t.Helper()
	catalog, err := sqlcatalog.Open(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := catalog.Close(); err != nil {
			t.Error(err)
		}
	})
	return catalog
}
