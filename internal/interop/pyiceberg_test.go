package interop_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// listed is what pyiceberg finds of a table: the metadata location in its row, and the one of the table that it loads,
// or why it loads none.
type listed struct{ Row, Loaded, Error string }

// TestPyicebergSharesCatalog has firn and pyiceberg work in one catalog: each finds the tables that the other made, and
// firn's swaps of them.
func TestPyicebergSharesCatalog(t *testing.T) {
	command := python(t)
	for _, c := range []struct {
		name string
		uris func(t *testing.T) (ours, theirs string)
	}{
		{"sqlite", func(t *testing.T) (string, string) {
			path := filepath.Join(t.TempDir(), "catalog.db")
			return "sqlite:" + path, "sqlite:///" + path
		}},
		{"postgres", func(t *testing.T) (string, string) {
			uri := pgtest.Schema(t)
			_, address, _ := strings.Cut(uri, "://")
			return uri, "postgresql+psycopg2://" + address
		}},
	} {
		t.Run(c.name+", firn made the tables of the catalog", func(t *testing.T) {
			ours, theirs := c.uris(t)
			catalog := openCatalog(t, ours)
			shareCatalog(t, pyiceberg{command, theirs}, catalog)
		})
		t.Run(c.name+", pyiceberg made the tables of the catalog", func(t *testing.T) {
			ours, theirs := c.uris(t)
			peer := pyiceberg{command, theirs}
			peer.list(t)
			shareCatalog(t, peer, openCatalog(t, ours))
		})
	}
}

// shareCatalog has both sides add tables to an empty catalog.
func shareCatalog(t *testing.T, peer pyiceberg, catalog *sqlcatalog.Catalog) {
	ctx, warehouse := t.Context(), "file://"+t.TempDir()
	made := peer.create(t, warehouse, "theirs.deep.events")
	location, err := catalog.Load(ctx, store.TableID{Namespace: "theirs.deep", Name: "events"})
	if location != made || err != nil {
		t.Errorf("Load of pyiceberg's table = %q, %v, want %q", location, err, made)
	}
	v4 := writeMetadata(t, warehouse)
	must(t, catalog.Swap(ctx, store.TableID{Namespace: "ours", Name: "v4"}, "", v4))
	again := store.TableID{Namespace: "ours", Name: "again"}
	must(t, catalog.Swap(ctx, again, "", v4))
	must(t, catalog.Swap(ctx, again, v4, made))

	found := peer.list(t)
	t.Logf("pyiceberg, of the table of version 4: %s", found["ours.v4"].Error)
	unread := found["ours.v4"] // whether pyiceberg can load version 4 is not the catalog's affair
	unread.Loaded, unread.Error = "", ""
	found["ours.v4"] = unread
	want := map[string]listed{
		"theirs.deep.events": {Row: made, Loaded: made},
		"ours.again":         {Row: made, Loaded: made},
		"ours.v4":            {Row: v4},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +found by pyiceberg):\n%s", diff)
	}
}

// openCatalog opens a catalog for the time of the test.
func openCatalog(t *testing.T, uri string) *sqlcatalog.Catalog {
	t.Helper()
	catalog, err := sqlcatalog.Open(t.Context(), uri)
	must(t, err)
	t.Cleanup(func() { must(t, catalog.Close()) })
	return catalog
}

// writeMetadata writes the metadata file of an empty table and returns its location.
func writeMetadata(t *testing.T, warehouse string) string {
	t.Helper()
	id := uuid.MustParse("11111111-2222-3333-4444-555555555555")
	m, err := metadata.New(metadata.NewTable{
		UUID: id, Location: warehouse + "/ours",
		Schema: iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true}),
	})
	must(t, err)
	text, err := m.Marshal()
	must(t, err)
	location := warehouse + "/" + metadata.FileName(0, id)
	must(t, os.WriteFile(strings.TrimPrefix(location, "file://"), text, 0o644))
	return location
}

// pyiceberg is pyiceberg's SqlCatalog at a URI of SQLAlchemy.
type pyiceberg struct{ command, uri string }

// create makes a table with its namespace and returns its metadata location.
func (p pyiceberg) create(t *testing.T, warehouse, name string) (location string) {
	t.Helper()
	p.run(t, &location, "create", warehouse, name)
	return location
}

// list returns what is found of all tables, by name.
func (p pyiceberg) list(t *testing.T) (found map[string]listed) {
	t.Helper()
	p.run(t, &found, "list")
	return found
}

// run calls the script and decodes its answer.
func (p pyiceberg) run(t *testing.T, answer any, arguments ...string) {
	t.Helper()
	arguments = append([]string{"testdata/sql_catalog.py", p.uri, "firn"}, arguments...)
	script := exec.CommandContext(t.Context(), p.command, arguments...)
	var out, report bytes.Buffer
	script.Stdout, script.Stderr = &out, &report
	if err := script.Run(); err != nil {
		t.Fatalf("%v: %s", err, report.String())
	}
	decode(t, out.Bytes(), answer)
}
