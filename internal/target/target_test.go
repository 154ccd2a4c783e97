package target_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// noEnvironment has no variables.
func noEnvironment(string) string { return "" }

// access returns an Access of a new working folder.
func access(t *testing.T, o target.Options) (a *target.Access, folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Chdir(folder)
	if o.Getenv == nil {
		o.Getenv = noEnvironment
	}
	a, err := target.NewAccess(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, folder
}

// isUsage fails unless the error is one of wrong use.
func isUsage(t *testing.T, what string, err error) {
	t.Helper()
	var usage *target.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("%s: %v, want a usage error", what, err)
	}
}

func TestLocation(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for arg, want := range map[string]string{
		"s3://b/t":    "s3://b/t",
		"file:/x//y":  "file:/x//y",
		"/a/../b":     "file:///b",
		"x y/%20":     "file://" + folder + "/x y/%20",
		"2026:11/f":   "file://" + folder + "/2026:11/f",
		"./a:b":       "file://" + folder + "/a:b",
		".":           "file://" + folder,
		"x-y.z+1:o/p": "x-y.z+1:o/p",
	} {
		if got, err := target.Location(arg); err != nil || got != want {
			t.Errorf("Location(%q) = %q, %v, want %q", arg, got, err, want)
		}
	}
	_, err := target.Location("")
	isUsage(t, "an empty location", err)
}

func TestParseID(t *testing.T) {
	for text, want := range map[string]store.TableID{
		"a.b":   {Namespace: "a", Name: "b"},
		"a.b.c": {Namespace: "a.b", Name: "c"},
	} {
		if got, err := target.ParseID(text); err != nil || got != want {
			t.Errorf("ParseID(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", ".a", "a.", "a..b", "."} {
		_, err := target.ParseID(text)
		isUsage(t, text, err)
	}
}

func TestParseNewID(t *testing.T) {
	for _, text := range []string{"a.b", "a_1.B-2.c", "größe.温度"} {
		if got, err := target.ParseNewID(text); err != nil || got.String() != text {
			t.Errorf("ParseNewID(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "a..b", "a.b/c", "a/b.c", `a.b\c`, "a.b c", "a:b.c", "a.b%", "a.b\x00", "a.\xff", "~.a"} {
		_, err := target.ParseNewID(text)
		isUsage(t, text, err)
	}
}

func TestNoStore(t *testing.T) {
	a, folder := access(t, target.Options{Maps: []string{"s3://b/t=copy", "s3://b/u=gs://v/u"}})
	ctx := t.Context()
	for name, want := range map[string]target.NoStoreError{
		"s3a://b/f": {Scheme: "s3a", Host: "b"}, "s3://b/u/f": {Scheme: "gs", Host: "v"}, "copy:x": {Scheme: "copy", Host: "x"},
	} {
		_, get := a.Objects.Get(ctx, name, 0)
		_, getRange := a.Objects.GetRange(ctx, name, 0, nil)
		_, stat := a.Objects.Stat(ctx, name)
		errs := []error{get, getRange, stat, a.Objects.Put(ctx, name, nil), a.Objects.Delete(ctx, name)}
		for _, err := range a.Objects.List(ctx, name) {
			errs = append(errs, err)
		}
		for _, err := range errs {
			var got *target.NoStoreError
			if !errors.As(err, &got) || *got != want || strings.Contains(err.Error(), "copied") {
				t.Errorf("%s: %v, want %v", name, err, &want)
			}
		}
		if len(errs) != 6 {
			t.Errorf("%s: %d errors", name, len(errs))
		}
	}
	if _, err := a.Objects.Stat(ctx, folder); err == nil || !strings.Contains(err.Error(), "no scheme") {
		t.Errorf("a name without a scheme: %v", err)
	}
}

func TestCatalogs(t *testing.T) {
	a, folder := access(t, target.Options{})
	id := store.TableID{Namespace: "a", Name: "b"}
	if got, want := a.NewTableLocation(id), "file://"+folder+"/warehouse/a/b"; got != want {
		t.Errorf("location %q, want %q", got, want)
	}
	if _, err := a.Catalog(t.Context(), false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a catalog that is not there: %v", err)
	}
	c, err := a.Catalog(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("firn.db"); err != nil {
		t.Error(err)
	}
	if again, err := a.Catalog(t.Context(), false); err != nil || again != c {
		t.Errorf("asked again: %v, %v", again, err)
	}
	for _, uri := range []string{"postgres:h/d", "mysql://u:secret@h/d", "x", ""} {
		env := func(string) string { return "s3:x" }
		b, _ := access(t, target.Options{Catalog: uri, Getenv: env})
		_, err := b.Catalog(t.Context(), true)
		isUsage(t, uri, err)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("the password is shown: %v", err)
		}
	}
	_, err = target.NewAccess(target.Options{Maps: []string{"nonsense"}, Getenv: noEnvironment})
	isUsage(t, "a mapping without a target", err)
}

// table writes metadata files into a folder, from a fixture.
func table(t *testing.T, folder string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, "metadata"), 0o777); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		// Each file is later than the one before it.
		text := strings.Replace(string(data), `"last-updated-ms"`, `"last-updated-ms":`+string(rune('1'+i))+`,"was"`, 1)
		if err := os.WriteFile(filepath.Join(folder, "metadata", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var fixture = func() string {
	names, _ := filepath.Glob("../../testdata/interop/java-1.12.0/two-specs/metadata/*.metadata.json")
	abs, _ := filepath.Abs(names[0])
	return abs
}()

func TestTableByPath(t *testing.T) {
	a, folder := access(t, target.Options{})
	table(t, "numbered", "00009-a.metadata.json", "00010-b.metadata.json", "v2.metadata.json")
	table(t, "timed", "b.metadata.json", "a.metadata.json")
	table(t, "double", "00003-a.metadata.json", "00003-b.metadata.json")
	table(t, "empty")
	for arg, want := range map[string]string{
		"numbered":                           "numbered/metadata/00010-b.metadata.json",
		"./numbered/":                        "numbered/metadata/00010-b.metadata.json",
		"file://" + folder + "/numbered":     "numbered/metadata/00010-b.metadata.json",
		"numbered/metadata/v2.metadata.json": "numbered/metadata/v2.metadata.json",
		"timed":                              "timed/metadata/a.metadata.json",
		"file:" + folder + "/timed/metadata/../..": "",
	} {
		tab, err := a.Table(t.Context(), arg)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", arg)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		name, m, err := tab.Metadata(t.Context())
		if err != nil || name != "file://"+folder+"/"+want || m.FormatVersion != 4 {
			t.Errorf("%s: %s, %v, want %s", arg, name, err, want)
		}
		if where, _, _ := strings.Cut(want, "/"); tab.Location != "file://"+folder+"/"+where {
			t.Errorf("%s: location %s", arg, tab.Location)
		}
		isUsage(t, arg, tab.CheckWritable())
		if err := tab.Catalog.Swap(t.Context(), tab.ID, name, "x"); !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: swap: %v", arg, err)
		}
	}
	var ambiguous *metadata.AmbiguousError
	if _, err := a.Table(t.Context(), "double"); !errors.As(err, &ambiguous) || len(ambiguous.Names) != 2 {
		t.Errorf("two newest files: %v", err)
	}
	for _, arg := range []string{"empty", "./nowhere"} {
		if _, err := a.Table(t.Context(), arg); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestTableByName(t *testing.T) {
	a, folder := access(t, target.Options{})
	if _, err := a.Table(t.Context(), "a.b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a catalog: %v", err)
	}
	c, err := a.Catalog(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Table(t.Context(), "a.b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown table: %v", err)
	}
	id := store.TableID{Namespace: "a", Name: "b"}
	location, err := a.MetadataFile(t.Context(), fixture)
	if err != nil || location != "file://"+fixture {
		t.Fatalf("metadata file: %s, %v", location, err)
	}
	if err := c.Swap(t.Context(), id, "", location); err != nil {
		t.Fatal(err)
	}
	tab, err := a.Table(t.Context(), "a.b")
	if err != nil || tab.ID != id || tab.Location != "" || tab.CheckWritable() != nil {
		t.Errorf("%+v, %v", tab, err)
	}
	// A folder of the name does not hide it, and is reached as a path.
	table(t, "a.b", "00000-x.metadata.json")
	if tab, err := a.Table(t.Context(), "a.b"); err != nil || tab.ID != id || tab.ReadOnly {
		t.Errorf("with a folder of its name: %+v, %v", tab, err)
	}
	if tab, err := a.Table(t.Context(), "./a.b"); err != nil || !tab.ReadOnly || tab.Location != "file://"+folder+"/a.b" || tab.ID.String() != "./a.b" {
		t.Errorf("the folder: %+v, %v", tab, err)
	}
	t.Chdir("a.b")
	if tab, err := a.Table(t.Context(), "."); err != nil || tab.Location != "file://"+folder+"/a.b" {
		t.Errorf("the working folder: %+v, %v", tab, err)
	}
	if _, err := a.MetadataFile(t.Context(), "nowhere.metadata.json"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no metadata file: %v", err)
	}
}

func TestSnapshot(t *testing.T) {
	data, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.Parse(data, metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]int64{
		"": 8271093846510000402, "~0": 8271093846510000402, "~1": 8271093846510000401, "@main": 8271093846510000402,
		"8271093846510000401": 8271093846510000401,
	} {
		if got, err := target.Snapshot(m, arg); err != nil || got.ID != want {
			t.Errorf("%q: %d, %v, want %d", arg, got.ID, err, want)
		}
	}
	for _, arg := range []string{"~2", "@x", "@", "17", "-5"} {
		if _, err := target.Snapshot(m, arg); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", arg, err)
		}
	}
	for _, arg := range []string{"x", "~", "~-1", "~x", "9223372036854775808"} {
		_, err := target.Snapshot(m, arg)
		isUsage(t, arg, err)
	}
	for _, arg := range []string{"", "~0"} {
		if _, err := target.Snapshot(metadata.Table{}, arg); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q of an empty table: %v", arg, err)
		}
	}
}

func TestFileSpellings(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for arg, want := range map[string][]string{
		"s3://b/t/data/f": {"s3://b/t/data/f"},
		"data/f":          {"s3://b/t/data/f", "file://" + folder + "/data/f"},
		"/data/f":         {"file:///data/f", "s3://b/t//data/f"},
		"../f":            {"s3://b/t/../f", "file://" + filepath.Dir(folder) + "/f"},
	} {
		got, err := target.FileSpellings("s3://b/t", arg)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", arg, err, diff)
		}
	}
	_, err := target.FileSpellings("s3://b/t", "")
	isUsage(t, "an empty location", err)
}

// TestMapToACopy reads and writes a copied table where it lies; a copy has no empty segments.
func TestMapToACopy(t *testing.T) {
	a, folder := access(t, target.Options{Maps: []string{"s3://b/t=copy"}})
	ctx := t.Context()
	for name, at := range map[string]string{
		"s3://b/t/data/f": "copy/data/f", "s3://b/t//data///g": "copy/data/g", "file://" + folder + "/plain": "plain",
	} {
		if err := a.Objects.Put(ctx, name, []byte(name)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(at); err != nil || string(data) != name {
			t.Errorf("%s is not at %s: %q, %v", name, at, data, err)
		}
		part := make([]byte, 4)
		n, err := a.Objects.GetRange(ctx, name, 0, part)
		if err != nil || string(part[:n]) != name[:4] {
			t.Errorf("%s: range %q, %v", name, part, err)
		}
		if info, err := a.Objects.Stat(ctx, name); err != nil || info.Name != name || info.SizeBytes != int64(len(name)) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	var listed []string
	for info, err := range a.Objects.List(ctx, "s3://b/t/") {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, info.Name)
	}
	if want := []string{"s3://b/t/data/f", "s3://b/t/data/g"}; !slices.Equal(listed, want) {
		t.Errorf("list %q, want %q", listed, want)
	}
	if err := a.Objects.Delete(ctx, "s3://b/t//data/f"); err != nil {
		t.Error(err)
	}
	if _, err := a.Objects.Get(ctx, "s3://b/t/data/f", 0); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted object: %v", err)
	}
	// What is not mapped keeps its literal name, which has no meaning to a file system here.
	if _, err := a.Objects.Get(ctx, "file://"+folder+"//plain", 0); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("an empty segment outside the copy: %v", err)
	}
}
