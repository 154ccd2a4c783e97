package sqlcatalog_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/store/storetest"
)

// raw opens the database as another client would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
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

// oldLayout is the table as clients make it that know no iceberg_type.
const oldLayout = `CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,
	table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),
	PRIMARY KEY (catalog_name, table_namespace, table_name))`

const allRows = `SELECT * FROM iceberg_tables ORDER BY catalog_name, table_namespace, table_name`

// table is the entry that the tests swap.
var table = store.TableID{Namespace: "demo.raw", Name: "events"}

// must stops the test if the set-up fails.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	catalog := open(t, "sqlite:"+path)
	must(t, catalog.Swap(t.Context(), table, "", "one"))
	db := raw(t, path)
	if diff := cmp.Diff([]string{"firn|demo.raw|events|one|null|TABLE"}, read(t, db, allRows)); diff != "" {
		t.Error("rows after the creation (-want +got):\n", diff)
	}
	must(t, catalog.Swap(t.Context(), table, "one", "two"), catalog.Swap(t.Context(), table, "two", "three"))
	if diff := cmp.Diff([]string{"firn|demo.raw|events|three|two|TABLE"}, read(t, db, allRows)); diff != "" {
		t.Error("rows after swaps (-want +got):\n", diff)
	}
	columns := read(t, db, `SELECT m.name, p.name, p.pk FROM sqlite_master m, pragma_table_info(m.name) p
		WHERE m.type = 'table' ORDER BY m.name, p.cid`)
	want := []string{
		"iceberg_namespace_properties|catalog_name|1", "iceberg_namespace_properties|namespace|2",
		"iceberg_namespace_properties|property_key|3", "iceberg_namespace_properties|property_value|0",
		"iceberg_tables|catalog_name|1", "iceberg_tables|table_namespace|2", "iceberg_tables|table_name|3",
		"iceberg_tables|metadata_location|0", "iceberg_tables|previous_metadata_location|0", "iceberg_tables|iceberg_type|0",
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Error("columns and their places in the key (-want +got):\n", diff)
	}
}

func TestSeesSwapsOfOthers(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "catalog.db")
	catalog := open(t, path)
	must(t, catalog.Swap(ctx, table, "", "one"))
	run(t, raw(t, path), `UPDATE iceberg_tables SET metadata_location = 'theirs', previous_metadata_location = 'one'`)
	if location, err := catalog.Load(ctx, table); location != "theirs" || err != nil {
		t.Errorf("Load = %q, %v", location, err)
	}
	if err := catalog.Swap(ctx, table, "one", "two"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Swap: %v, want ErrConflict", err)
	}
}

// TestOldLayout runs the whole suite on a database without iceberg_type.
func TestOldLayout(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
		path := filepath.Join(t.TempDir(), "catalog.db")
		run(t, raw(t, path), oldLayout)
		return open(t, path)
	})
}

func TestOldLayoutStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	db := raw(t, path)
	run(t, db, oldLayout, `INSERT INTO iceberg_tables VALUES ('firn', 'demo.raw', 'events', 'one', NULL)`)
	catalog := open(t, path)
	must(t, catalog.Swap(t.Context(), table, "one", "two"))
	if diff := cmp.Diff([]string{"firn|demo.raw|events|two|one"}, read(t, db, allRows)); diff != "" {
		t.Error("rows (-want +got):\n", diff)
	}
	tables := read(t, db, `SELECT name FROM sqlite_master WHERE type = 'table'`)
	if diff := cmp.Diff([]string{"iceberg_tables"}, tables); diff != "" {
		t.Error("tables (-want +got):\n", diff)
	}
}

func TestTypes(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "catalog.db")
	catalog := open(t, path)
	db := raw(t, path)
	run(t, db, `INSERT INTO iceberg_tables VALUES
		('firn', 'ns', 'typed', 'one', NULL, 'TABLE'), ('firn', 'ns', 'untyped', 'one', NULL, NULL),
		('firn', 'ns', 'a view', 'one', NULL, 'VIEW'), ('firn', 'ns', 'lost', NULL, NULL, 'TABLE'),
		('other', 'ns', 'elsewhere', 'one', NULL, 'TABLE')`)
	id := func(name string) store.TableID { return store.TableID{Namespace: "ns", Name: name} }
	for _, name := range []string{"typed", "untyped"} {
		location, err := catalog.Load(ctx, id(name))
		if swap := catalog.Swap(ctx, id(name), "one", "two"); location != "one" || err != nil || swap != nil {
			t.Errorf("%s: Load = %q, %v; Swap: %v", name, location, err, swap)
		}
	}
	for name, want := range map[string]error{"a view": store.ErrRefused, "elsewhere": store.ErrNotFound} {
		location, load := catalog.Load(ctx, id(name))
		swap := catalog.Swap(ctx, id(name), "one", "two")
		if !errors.Is(load, store.ErrNotFound) || !errors.Is(swap, want) {
			t.Errorf("%s: Load = %q, %v; Swap: %v, want %q", name, location, load, swap, want)
		}
	}
	create := catalog.Swap(ctx, id("a view"), "", "two")
	if want := "swap ns.a view: refused by the catalog: a VIEW has this name"; create == nil || create.Error() != want {
		t.Errorf("creating over a view: %v, want %s", create, want)
	}
	if _, err := catalog.Load(ctx, id("lost")); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load without a location: %v, want an error of its own", err)
	}
	ids, err := catalog.List(ctx)
	if diff := cmp.Diff([]store.TableID{id("lost"), id("typed"), id("untyped")}, ids); diff != "" || err != nil {
		t.Errorf("List: %v (-want +got):\n%s", err, diff)
	}
	want := []string{
		"firn|ns|a view|one|null|VIEW", "firn|ns|lost|null|null|TABLE", "firn|ns|typed|two|one|TABLE",
		"firn|ns|untyped|two|one|null", "other|ns|elsewhere|one|null|TABLE",
	}
	if diff := cmp.Diff(want, read(t, db, allRows)); diff != "" {
		t.Error("rows (-want +got):\n", diff)
	}
}

func TestListIsSortedByBytes(t *testing.T) {
	ctx, catalog := t.Context(), open(t, filepath.Join(t.TempDir(), "catalog.db"))
	want := []store.TableID{
		{Namespace: "B", Name: "z"}, {Namespace: "a", Name: "Z"}, {Namespace: "a", Name: "b"},
		{Namespace: "a.b", Name: "a"}, {Namespace: "å", Name: "a"},
	}
	for _, i := range []int{3, 1, 4, 0, 2} {
		must(t, catalog.Swap(ctx, want[i], "", "one"))
	}
	ids, err := catalog.List(ctx)
	if diff := cmp.Diff(want, ids); diff != "" || err != nil {
		t.Errorf("List: %v (-want +got):\n%s", err, diff)
	}
}

func TestNamesAreApart(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "catalog.db")
	must(t, open(t, path).Swap(ctx, table, "", "one"))
	other, err := sqlcatalog.Options{Name: "other"}.Open(ctx, path)
	must(t, err)
	defer other.Close()
	if _, err := other.Load(ctx, table); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load from another catalog: %v, want ErrNotFound", err)
	}
	must(t, other.Swap(ctx, table, "", "two"))
	if location, err := open(t, path).Load(ctx, table); location != "one" || err != nil {
		t.Errorf("Load = %q, %v", location, err)
	}
}
