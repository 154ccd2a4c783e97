package sqlcatalog_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// impatient opens a catalog that does not wait.
func impatient(t *testing.T, path string) *sqlcatalog.Catalog {
	t.Helper()
	catalog, err := sqlcatalog.Options{BusyTimeout: time.Millisecond}.Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { catalog.Close() })
	return catalog
}

func TestBusyIsRefused(t *testing.T) {
	for _, c := range []struct{ name, begin, read string }{
		{"by a writer", "BEGIN IMMEDIATE", "SELECT 1"},
		{"by a reader, at the commit", "BEGIN", "SELECT count(*) FROM iceberg_tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, path := t.Context(), filepath.Join(t.TempDir(), "catalog.db")
			catalog := impatient(t, path)
			must(t, catalog.Swap(ctx, table, "", "one"))
			release := hold(t, path, c.begin, c.read)
			err := catalog.Swap(ctx, table, "one", "two")
			if !errors.Is(err, store.ErrRefused) || errors.Is(err, store.ErrUnknown) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Swap: %v, want ErrRefused", err)
			}
			if location, err := catalog.Load(ctx, table); location != "one" || err != nil {
				t.Errorf("Load = %q, %v", location, err)
			}
			release()
			must(t, catalog.Swap(ctx, table, "one", "three"))
		})
	}
}

func TestContextEndsTheWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	catalog := open(t, path)
	must(t, catalog.Swap(t.Context(), table, "", "one"))
	defer hold(t, path, "BEGIN IMMEDIATE")()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := catalog.Swap(ctx, table, "one", "two")
	if !errors.Is(err, store.ErrRefused) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Swap: %v, want ErrRefused and the context's error", err)
	}
}

func TestFullAndReadOnly(t *testing.T) {
	for _, c := range []struct {
		name, pragma string
		want         error
	}{
		{"full", "PRAGMA max_page_count = 1", syscall.ENOSPC},
		{"read only", "PRAGMA query_only = 1", fs.ErrPermission},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, catalog := t.Context(), open(t, filepath.Join(t.TempDir(), "catalog.db"))
			must(t, catalog.Swap(ctx, table, "", "one"))
			run(t, catalog.DB(), c.pragma)
			err := catalog.Swap(ctx, table, "one", strings.Repeat("long", 100_000))
			if !errors.Is(err, store.ErrRefused) || !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Swap: %v, want ErrRefused and %q", err, c.want)
			}
			if location, err := catalog.Load(ctx, table); location != "one" || err != nil {
				t.Errorf("Load = %q, %v", location, err)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(base, "text"), []byte(strings.Repeat("no database ", 100)), 0o644),
		os.WriteFile(filepath.Join(base, "empty"), nil, 0o644))
	existing := sqlcatalog.Options{Existing: true}
	for _, c := range []struct {
		uri     string
		options sqlcatalog.Options
		want    string
		is      error
	}{
		{"sqlite:", sqlcatalog.Options{}, "the path of the database is missing", sqlcatalog.ErrAddress},
		{"sqlite:" + base + "/no/folder/catalog.db", sqlcatalog.Options{}, "no such file or directory", fs.ErrNotExist},
		{base + "/text/catalog.db", sqlcatalog.Options{}, "not a directory", syscall.ENOTDIR},
		{base + "/missing", existing, "no such file or directory", fs.ErrNotExist},
		{base + "/empty", existing, "no such table: iceberg_tables", nil},
		{base + "/text", sqlcatalog.Options{}, "file is not a database", nil},
		{base + "/text", existing, "file is not a database", nil},
		{base, sqlcatalog.Options{}, ": unable to open database file (14)", nil},
	} {
		catalog, err := c.options.Open(ctx, c.uri)
		if err == nil || catalog != nil || !strings.HasPrefix(err.Error(), "catalog "+c.uri+": ") ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("Open(%q): %v, want %s", c.uri, err, c.want)
		}
	}
	found, err := os.ReadDir(base)
	if err != nil || len(found) != 2 {
		t.Errorf("left behind: %v, %v", found, err)
	}
}

func TestPathIsLiteral(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	names := []string{"a b.db", "a%20b.db", "a+b.db", "a?mode=memory", "a#b", "a&b=c;d", "å.db", "sqlite:x", ":memory:"}
	for _, name := range names {
		catalog := open(t, "sqlite:"+filepath.Join(base, name))
		must(t, catalog.Swap(ctx, table, "", "in "+name))
	}
	for _, name := range names {
		if location, err := open(t, filepath.Join(base, name)).Load(ctx, table); location != "in "+name || err != nil {
			t.Errorf("%q: Load = %q, %v", name, location, err)
		}
	}
	var found []string
	entries, err := os.ReadDir(base)
	must(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	want := []string{":memory:", "a b.db", "a#b", "a%20b.db", "a&b=c;d", "a+b.db", "a?mode=memory", "sqlite:x", "å.db"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error("files (-want +got):\n", diff)
	}
}

// lossy is a connector whose commits report a lost connection; lands says whether they are sent before. After each
// statement that changes something it calls changed.
type lossy struct {
	source  string
	lands   bool
	changed func()
}

var errLost = errors.New("connection lost")

func (l lossy) Driver() driver.Driver { return &sqlite.Driver{} }

func (l lossy) Connect(context.Context) (driver.Conn, error) {
	conn, err := l.Driver().Open(l.source)
	if err != nil {
		return nil, err
	}
	return lossyConn{conn.(sqliteConn), l}, nil
}

// sqliteConn is what database/sql uses of a connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
}

type lossyConn struct {
	sqliteConn
	lossy
}

func (c lossyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer c.changed()
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c lossyConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.sqliteConn.BeginTx(ctx, o)
	return lossyTx{tx, c.lands}, err
}

type lossyTx struct {
	driver.Tx
	lands bool
}

func (x lossyTx) Commit() error {
	if x.lands {
		return errors.Join(x.Tx.Commit(), errLost)
	}
	return errors.Join(x.Tx.Rollback(), errLost)
}

func TestFailedCommitIsUnknown(t *testing.T) {
	for lands, want := range map[bool]string{true: "two", false: "one"} {
		catalog, err := swapLossily(t, t.Context(), lossy{lands: lands, changed: func() {}})
		if !errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrRefused) || !errors.Is(err, errLost) {
			t.Errorf("Swap whose commit lands %t: %v, want ErrUnknown", lands, err)
		}
		if location, err := catalog.Load(t.Context(), table); location != want || err != nil {
			t.Errorf("Load after it = %q, %v, want %s", location, err, want)
		}
	}
}

// TestContextEndsBeforeTheCommit has the context end when all but the commit is done.
func TestContextEndsBeforeTheCommit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	catalog, err := swapLossily(t, ctx, lossy{lands: true, changed: cancel})
	if !errors.Is(err, store.ErrRefused) || errors.Is(err, store.ErrUnknown) || !errors.Is(err, context.Canceled) {
		t.Errorf("Swap: %v, want ErrRefused and the context's error", err)
	}
	if location, err := catalog.Load(t.Context(), table); location != "one" || err != nil {
		t.Errorf("Load after it = %q, %v", location, err)
	}
}

// swapLossily swaps from one to two through the connector, and returns a sound catalog over the same database.
func swapLossily(t *testing.T, ctx context.Context, connector lossy) (*sqlcatalog.Catalog, error) {
	t.Helper()
	connector.source = filepath.Join(t.TempDir(), "catalog.db")
	catalog := open(t, connector.source)
	must(t, catalog.Swap(t.Context(), table, "", "one"))
	db := sql.OpenDB(connector)
	defer db.Close()
	failing, err := sqlcatalog.OverDB(t.Context(), db)
	must(t, err)
	return catalog, failing.Swap(ctx, table, "one", "two")
}
