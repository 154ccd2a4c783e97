package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
)

// table is the entry that the tests swap.
var table = store.TableID{Namespace: "demo.raw", Name: "events"}

// openCatalog opens the catalog in a folder.
func openCatalog(t *testing.T, uri string) *dir.Catalog {
	t.Helper()
	catalog, err := dir.OpenCatalog(uri)
	must(t, err)
	return catalog
}

func TestCatalogFiles(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	catalog := openCatalog(t, "dir:"+base)
	_, err := catalog.Load(ctx, table)
	if !errors.Is(err, store.ErrNotFound) || len(entries(t, base)) > 0 {
		t.Errorf("Load in an empty folder: %v; it now holds %q", err, entries(t, base))
	}
	must(t, catalog.Swap(ctx, table, "", "one"), catalog.Swap(ctx, table, "one", "two"))
	folder := filepath.Join(base, "demo.raw", "events")
	want := []string{"00000000000000000001", "00000000000000000002"}
	if diff := cmp.Diff(want, entries(t, folder)); diff != "" {
		t.Error("files (-want +got):\n", diff)
	}
	for i, location := range []string{"one", "two"} {
		data, err := os.ReadFile(filepath.Join(folder, want[i]))
		if err != nil || string(data) != location {
			t.Errorf("%s holds %q, %v, want %q", want[i], data, err, location)
		}
	}
}

// TestCatalogPassesOverOthers puts files beside the versions that are none.
func TestCatalogPassesOverOthers(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	catalog := openCatalog(t, base)
	must(t, catalog.Swap(ctx, table, "", "one"))
	for _, name := range []string{
		".firn-tmp-CRASHED", "9", "00000000000000000009~", "+0000000000000000009", "99999999999999999999", "README",
	} {
		must(t, os.WriteFile(filepath.Join(base, "demo.raw", "events", name), []byte("other"), 0o644))
	}
	if location, err := catalog.Load(ctx, table); location != "one" || err != nil {
		t.Errorf("Load = %q, %v", location, err)
	}
}

func TestCatalogStaysInItsFolder(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	catalog := openCatalog(t, filepath.Join(base, "in/catalog"))
	odd := []string{"..", ".", "", "/", "../..", "/../../x", "%", "a"}
	for _, namespace := range odd {
		for _, name := range odd {
			must(t, catalog.Swap(ctx, store.TableID{Namespace: namespace, Name: name}, "", namespace+"|"+name))
		}
	}
	for _, namespace := range odd {
		for _, name := range odd {
			location, err := catalog.Load(ctx, store.TableID{Namespace: namespace, Name: name})
			if location != namespace+"|"+name || err != nil {
				t.Errorf("Load of %q %q = %q, %v", namespace, name, location, err)
			}
		}
	}
	if found := append(entries(t, base), entries(t, filepath.Join(base, "in"))...); len(found) != 2 {
		t.Errorf("outside of the catalog: %q", found)
	}
}

func TestCatalogRelativePath(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	t.Chdir(base)
	must(t, openCatalog(t, "dir:here").Swap(ctx, table, "", "one"))
	t.Chdir("/")
	location, err := openCatalog(t, filepath.Join(base, "here")).Load(ctx, table)
	if location != "one" || err != nil {
		t.Errorf("Load by the absolute path = %q, %v", location, err)
	}
}

func TestCatalogSwapFails(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(c *dir.Catalog)
		want []error
		lost bool
	}{
		{"disk full", func(c *dir.Catalog) { c.Fail(fullDisk, nil, nil) }, []error{store.ErrRefused, syscall.ENOSPC}, false},
		{"not durable", func(c *dir.Catalog) { c.Fail(nil, nil, badSync) }, []error{store.ErrUnknown, syscall.EIO}, true},
		{"answer lost", func(c *dir.Catalog) { c.Fail(nil, lostAnswer, nil) }, nil, true},
		{"overtaken", func(c *dir.Catalog) {
			c.Fail(nil, func(from, to string) error {
				return errors.Join(os.WriteFile(to, []byte("theirs"), 0o644), os.Link(from, to))
			}, nil)
		}, []error{store.ErrConflict}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, base := t.Context(), t.TempDir()
			must(t, openCatalog(t, base).Swap(ctx, table, "", "one"))
			failing := openCatalog(t, base)
			c.fail(failing)
			err := failing.Swap(ctx, table, "one", "two")
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("Swap: %v, want %q", err, want)
				}
			}
			if c.lost && errors.Is(err, store.ErrRefused) {
				t.Errorf("Swap: %v, but it landed", err)
			}
			if len(c.want) == 0 && err != nil || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("Swap: %v", err)
			}
			location, err := openCatalog(t, base).Load(ctx, table)
			if (location == "two") != c.lost || err != nil {
				t.Errorf("Load after it = %q, %v", location, err)
			}
		})
	}
}

func TestCatalogBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(base string) error
		want  string
	}{
		{"a file in the place of the catalog", func(base string) error {
			return errors.Join(os.Remove(base), os.WriteFile(base, nil, 0o644))
		}, "not a directory"},
		{"an empty version", func(base string) error { return writeVersion(base, "") }, "holds no location"},
		{"an endless version", func(base string) error {
			return writeVersion(base, strings.Repeat("x", 1<<20))
		}, "holds no location"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, base := t.Context(), filepath.Join(t.TempDir(), "catalog")
			must(t, os.Mkdir(base, 0o755), c.place(base))
			catalog := openCatalog(t, base)
			_, load := catalog.Load(ctx, table)
			swap := catalog.Swap(ctx, table, "one", "two")
			for _, err := range []error{load, swap} {
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v, want %s", err, c.want)
				}
			}
			if errors.Is(load, store.ErrNotFound) || !errors.Is(swap, store.ErrRefused) {
				t.Errorf("Load: %v; Swap: %v, want another error and ErrRefused", load, swap)
			}
		})
	}
}

// writeVersion writes the first version of the table by hand.
func writeVersion(base, content string) error {
	folder := filepath.Join(base, "demo.raw", "events")
	return errors.Join(
		os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "00000000000000000001"), []byte(content), 0o644),
	)
}

func TestCatalogRefusesLongNames(t *testing.T) {
	ctx, catalog := t.Context(), openCatalog(t, t.TempDir())
	long := store.TableID{Namespace: "ns", Name: strings.Repeat("å", 100)}
	if err := catalog.Swap(ctx, long, "", "one"); !errors.Is(err, store.ErrRefused) {
		t.Errorf("Swap of a name too long for the file system: %v, want ErrRefused", err)
	}
	err := catalog.Swap(ctx, table, "", strings.Repeat("x", 1<<16+1))
	if _, load := catalog.Load(ctx, table); !errors.Is(err, store.ErrRefused) || !errors.Is(load, store.ErrNotFound) {
		t.Errorf("Swap to a location too long to be read: %v, then Load: %v", err, load)
	}
}
