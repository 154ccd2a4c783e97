package sqlcatalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/store/storetest"
)

func TestCatalog(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			storetest.TestCatalog(t, func(t *testing.T) store.Catalog { return open(t, kind.make(t)) })
		})
	}
}

func TestCatalogKilled(t *testing.T) {
	storetest.TestCatalogKilled(t, func(folder string) (store.Catalog, error) {
		return sqlcatalog.Open(t.Context(), filepath.Join(folder, "catalog.db"))
	})
}

// TestCatalogKilledPostgres tells the processes by a file in their common folder where the catalog is.
func TestCatalogKilledPostgres(t *testing.T) {
	storetest.TestCatalogKilled(t, func(folder string) (store.Catalog, error) {
		note := filepath.Join(folder, "uri")
		uri, err := os.ReadFile(note)
		if os.IsNotExist(err) {
			uri = []byte(pgtest.Schema(t))
			err = os.WriteFile(note, uri, 0o600)
		}
		if err != nil {
			return nil, err
		}
		return sqlcatalog.Open(t.Context(), string(uri))
	})
}

func TestExisting(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		ctx := t.Context()
		must(t, open(t, uri).Swap(ctx, table, "", "one"))
		catalog, err := sqlcatalog.Options{Existing: true}.Open(ctx, uri)
		must(t, err)
		defer catalog.Close()
		must(t, catalog.Swap(ctx, table, "one", "two"))
	})
}

func TestManyOpenersOfANewDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		errs := make(chan error)
		const openers = 8
		for range openers {
			go func() {
				catalog, err := sqlcatalog.Open(t.Context(), uri)
				if err == nil {
					err = catalog.Close()
				}
				errs <- err
			}()
		}
		for range openers {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}
