package mem_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

func TestObjects(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) { return new(mem.Objects), "mem://test/" })
}

func TestCatalog(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog { return new(mem.Catalog) })
}

func TestObjectsCloneIsIndependent(t *testing.T) {
	ctx := t.Context()
	original := new(mem.Objects)
	put := func(o *mem.Objects, name string) {
		t.Helper()
		if err := o.Put(ctx, name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	put(original, "b")
	put(original, "a")
	clone := original.Clone()
	put(original, "c")
	put(clone, "d")
	if err := clone.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, original.Names()); diff != "" {
		t.Error("names of the original (-want +got):\n", diff)
	}
	if diff := cmp.Diff([]string{"b", "d"}, clone.Names()); diff != "" {
		t.Error("names of the clone (-want +got):\n", diff)
	}
}

func TestObjectsTimes(t *testing.T) {
	ctx := t.Context()
	used := new(mem.Objects)
	if err := used.Put(ctx, "earlier", nil); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		objects *mem.Objects
		want    time.Time
	}{
		{"counted", new(mem.Objects), time.Unix(2, 0)},
		{"counted on in a clone", used.Clone(), time.Unix(3, 0)},
		{"given", &mem.Objects{Now: func() time.Time { return day }}, day},
		{"given to a clone", (&mem.Objects{Now: func() time.Time { return day }}).Clone(), day},
	} {
		for _, name := range []string{"first", "second"} {
			if err := c.objects.Put(ctx, name, nil); err != nil {
				t.Fatal(err)
			}
		}
		info, err := c.objects.Stat(ctx, "second")
		if err != nil || !info.Modified.Equal(c.want) {
			t.Errorf("%s: modified %v, %v, want %v", c.name, info.Modified, err, c.want)
		}
	}
}

func TestCatalogCloneIsIndependent(t *testing.T) {
	ctx := t.Context()
	a, b := store.TableID{Namespace: "x", Name: "a"}, store.TableID{Namespace: "w", Name: "b"}
	original := new(mem.Catalog)
	if err := original.Swap(ctx, a, "", "one"); err != nil {
		t.Fatal(err)
	}
	clone := original.Clone()
	if err := clone.Swap(ctx, a, "one", "two"); err != nil {
		t.Fatal(err)
	}
	if err := clone.Swap(ctx, b, "", "new"); err != nil {
		t.Fatal(err)
	}
	if got, err := original.Load(ctx, a); got != "one" || err != nil {
		t.Errorf("original holds %q, %v", got, err)
	}
	if diff := cmp.Diff([]store.TableID{b, a}, clone.Tables()); diff != "" {
		t.Error("tables of the clone (-want +got):\n", diff)
	}
}

func Example() {
	ctx := context.Background()
	objects := new(mem.Objects)
	fmt.Println(objects.Put(ctx, "mem://t/a", []byte("first")))
	fmt.Println(objects.Put(ctx, "mem://t/a", []byte("second")))
	before := objects.Clone()
	fmt.Println(objects.Put(ctx, "mem://t/b", nil))
	fmt.Println(before.Names(), objects.Names())
	// Output:
	// <nil>
	// put mem://t/a: object exists already
	// <nil>
	// [mem://t/a] [mem://t/a mem://t/b]
}
