package sqlcatalog_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// kinds are the databases that a catalog can be in, each with what makes an empty one and returns its URI.
var kinds = []struct {
	name string
	make func(t testing.TB) string
}{
	{"sqlite", func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "catalog.db") }},
	{"postgres", pgtest.Schema},
}

// onEach runs a test on an empty database of each kind.
func onEach(t *testing.T, test func(t *testing.T, uri string)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.make(t)) })
	}
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

// raw opens the database as another client would.
func raw(t *testing.T, uri string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(uri, "postgres:") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, strings.TrimPrefix(uri, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// run executes statements of another client.
func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// hold runs the statements of a transaction on a connection of another client. It stays open until release is called,
// which has the locks gone when it returns.
func hold(t *testing.T, uri string, statements ...string) (release func()) {
	t.Helper()
	db := raw(t, uri)
	conn, err := db.Conn(t.Context())
	must(t, err)
	for _, statement := range statements {
		_, err := conn.ExecContext(t.Context(), statement)
		must(t, err)
	}
	return func() {
		_, err := conn.ExecContext(t.Context(), "ROLLBACK")
		must(t, err, conn.Close(), db.Close())
	}
}

// read returns the rows of a query, values joined by bars.
func read(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(columns))
		for i, value := range values {
			texts[i] = value.String
			if !value.Valid {
				texts[i] = "null"
			}
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// table is the entry that the tests swap.
var table = store.TableID{Namespace: "demo.raw", Name: "events"}

// must stops the test if the set-up fails.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
