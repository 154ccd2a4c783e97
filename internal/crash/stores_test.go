package crash_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/internal/s3test"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// place is a catalog, a store, and where tables go in it.
type place struct {
	catalog  store.Catalog
	objects  store.Objects
	location string
	base     testtable.On
	tables   int
}

// places are the combinations of catalog and store.
var places = []struct {
	name string
	open func(t *testing.T) *place
}{
	{"memory", func(*testing.T) *place {
		return &place{catalog: &mem.Catalog{}, objects: &mem.Objects{}, location: "mem://wh"}
	}},
	{"SQLite and folder", func(t *testing.T) *place {
		return &place{catalog: sqlite(t), objects: dir.New(), location: "file://" + t.TempDir()}
	}},
	{"PostgreSQL and folder", func(t *testing.T) *place {
		return &place{catalog: database(t, pgtest.Schema(t)), objects: dir.New(), location: "file://" + t.TempDir()}
	}},
	{"SQLite and S3", func(t *testing.T) *place {
		objects, location := s3test.Store(t)
		return &place{catalog: sqlite(t), objects: objects, location: location}
	}},
}

func sqlite(t *testing.T) store.Catalog {
	return database(t, "sqlite:"+filepath.Join(t.TempDir(), "firn.db"))
}

func database(t *testing.T, uri string) store.Catalog {
	t.Helper()
	c, err := sqlcatalog.Open(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// table returns a table that does not exist yet.
func (p *place) table() testtable.On {
	p.tables++
	name := fmt.Sprintf("t%04d", p.tables)
	return testtable.On{
		Objects: p.objects, Catalog: p.catalog, ID: store.TableID{Namespace: "db", Name: name},
		Location: p.location + "/" + name, Portable: true,
	}
}

// copy returns a copy of the base table that nothing else touches: its metadata names no location, and all that it
// names itself is relative to it.
func (p *place) copy(t *testing.T) testtable.On {
	t.Helper()
	o := p.table()
	for info, err := range p.objects.List(t.Context(), p.base.Location+"/") {
		check(t, err)
		data, err := p.objects.Get(t.Context(), info.Name, 0)
		check(t, err)
		check(t, p.objects.Put(t.Context(), o.Location+strings.TrimPrefix(info.Name, p.base.Location), data))
	}
	current, err := p.catalog.Load(t.Context(), p.base.ID)
	check(t, err)
	check(t, p.catalog.Swap(t.Context(), o.ID, "", o.Location+strings.TrimPrefix(current, p.base.Location)))
	return o
}

// drop removes the objects of a copy.
func (p *place) drop(t *testing.T, o testtable.On) {
	t.Helper()
	for _, name := range list(t, o) {
		check(t, p.objects.Delete(t.Context(), name))
	}
}

// list returns the objects of a table.
func list(t *testing.T, o testtable.On) []string {
	t.Helper()
	var names []string
	for info, err := range o.Objects.List(t.Context(), o.Location+"/") {
		check(t, err)
		names = append(names, info.Name)
	}
	return names
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
