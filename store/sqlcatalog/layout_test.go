package sqlcatalog_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/store/storetest"
)

// oldLayout is the table as clients make it that know no iceberg_type.
const oldLayout = `CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,
	table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),
	PRIMARY KEY (catalog_name, table_namespace, table_name))`

const allRows = `SELECT * FROM iceberg_tables ORDER BY catalog_name, table_namespace, table_name`

// columnsOf are queries for the columns of all tables, with their places in the key or 0.
var columnsOf = map[string]string{
	"sqlite": `SELECT m.name, p.name, p.pk FROM sqlite_master m, pragma_table_info(m.name) p
		WHERE m.type = 'table' ORDER BY m.name, p.cid`,
	"postgres": `SELECT table_name, column_name, coalesce(k.ordinal_position, 0) FROM information_schema.columns c
		LEFT JOIN information_schema.key_column_usage k USING (table_schema, table_name, column_name)
		WHERE table_schema = current_schema() ORDER BY table_name, c.ordinal_position`,
}

func TestLayout(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			uri := kind.make(t)
			catalog, db := open(t, uri), raw(t, uri)
			must(t, catalog.Swap(t.Context(), table, "", "one"))
			if diff := cmp.Diff([]string{"firn|demo.raw|events|one|null|TABLE"}, read(t, db, allRows)); diff != "" {
				t.Error("rows after the creation (-want +got):\n", diff)
			}
			must(t, catalog.Swap(t.Context(), table, "one", "two"), catalog.Swap(t.Context(), table, "two", "three"))
			if diff := cmp.Diff([]string{"firn|demo.raw|events|three|two|TABLE"}, read(t, db, allRows)); diff != "" {
				t.Error("rows after swaps (-want +got):\n", diff)
			}
			want := []string{
				"iceberg_namespace_properties|catalog_name|1", "iceberg_namespace_properties|namespace|2",
				"iceberg_namespace_properties|property_key|3", "iceberg_namespace_properties|property_value|0",
				"iceberg_tables|catalog_name|1", "iceberg_tables|table_namespace|2", "iceberg_tables|table_name|3",
				"iceberg_tables|metadata_location|0", "iceberg_tables|previous_metadata_location|0",
				"iceberg_tables|iceberg_type|0",
			}
			if diff := cmp.Diff(want, read(t, db, columnsOf[kind.name])); diff != "" {
				t.Error("columns and their places in the key (-want +got):\n", diff)
			}
		})
	}
}

func TestSeesSwapsOfOthers(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		ctx, catalog := t.Context(), open(t, uri)
		must(t, catalog.Swap(ctx, table, "", "one"))
		run(t, raw(t, uri), `UPDATE iceberg_tables SET metadata_location = 'theirs', previous_metadata_location = 'one'`)
		if location, err := catalog.Load(ctx, table); location != "theirs" || err != nil {
			t.Errorf("Load = %q, %v", location, err)
		}
		if err := catalog.Swap(ctx, table, "one", "two"); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Swap: %v, want ErrConflict", err)
		}
	})
}

// TestOldLayout runs the whole suite on databases without iceberg_type.
func TestOldLayout(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
				uri := kind.make(t)
				run(t, raw(t, uri), oldLayout)
				return open(t, uri)
			})
		})
	}
}

func TestOldLayoutStays(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		db := raw(t, uri)
		run(t, db, oldLayout, `INSERT INTO iceberg_tables VALUES ('firn', 'demo.raw', 'events', 'one', NULL)`)
		must(t, open(t, uri).Swap(t.Context(), table, "one", "two"))
		if diff := cmp.Diff([]string{"firn|demo.raw|events|two|one"}, read(t, db, allRows)); diff != "" {
			t.Error("rows (-want +got):\n", diff)
		}
		if _, err := db.ExecContext(t.Context(), `SELECT * FROM iceberg_namespace_properties`); err == nil {
			t.Error("the other table was made")
		}
	})
}

func TestTypes(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		ctx, catalog, db := t.Context(), open(t, uri), raw(t, uri)
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
	})
}

func TestListIsSortedByBytes(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		ctx, catalog := t.Context(), open(t, uri)
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
	})
}

func TestNamesAreApart(t *testing.T) {
	onEach(t, func(t *testing.T, uri string) {
		ctx := t.Context()
		must(t, open(t, uri).Swap(ctx, table, "", "one"))
		other, err := sqlcatalog.Options{Name: "other"}.Open(ctx, uri)
		must(t, err)
		defer other.Close()
		if _, err := other.Load(ctx, table); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Load from another catalog: %v, want ErrNotFound", err)
		}
		must(t, other.Swap(ctx, table, "", "two"))
		if location, err := open(t, uri).Load(ctx, table); location != "one" || err != nil {
			t.Errorf("Load = %q, %v", location, err)
		}
	})
}
