package soak_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/internal/s3test"
	"github.com/firn-io/firn/internal/soak"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// commits is how many commits a run makes: FIRN_SOAK, else few enough for every day.
func commits(t *testing.T) int {
	t.Helper()
	text := os.Getenv("FIRN_SOAK")
	if text == "" {
		return 120
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("FIRN_SOAK: %v", err)
	}
	return n
}

func open(t *testing.T, uri string) store.Catalog {
	t.Helper()
	c, err := sqlcatalog.Open(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestSoak lets 16 writers loose on one table, on each combination of catalog and store.
func TestSoak(t *testing.T) {
	for _, c := range []struct {
		name  string
		where func(t *testing.T) (store.Catalog, store.Objects, string)
	}{
		{"memory", func(*testing.T) (store.Catalog, store.Objects, string) {
			return &mem.Catalog{}, &mem.Objects{}, "mem://wh/t"
		}},
		{"SQLite and folder", func(t *testing.T) (store.Catalog, store.Objects, string) {
			return open(t, "sqlite:"+filepath.Join(t.TempDir(), "firn.db")), dir.New(), "file://" + t.TempDir()
		}},
		{"PostgreSQL and folder", func(t *testing.T) (store.Catalog, store.Objects, string) {
			return open(t, pgtest.Schema(t)), dir.New(), "file://" + t.TempDir()
		}},
		{"SQLite and S3", func(t *testing.T) (store.Catalog, store.Objects, string) {
			objects, location := s3test.Store(t)
			return open(t, "sqlite:"+filepath.Join(t.TempDir(), "firn.db")), objects, location
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			catalog, objects, location := c.where(t)
			report, err := soak.Run(t.Context(), soak.Config{
				Writers: 16, Commits: commits(t), KeepLast: 50, Seed: 1,
				Objects: objects, Catalog: catalog, Location: location,
			})
			t.Log("\n" + report.String())
			if err != nil {
				t.Error(err)
			}
		})
	}
}
