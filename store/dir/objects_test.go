package dir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
)

// names lists what a store shows, and fails the test on an error.
func names(t *testing.T, objects store.Objects, prefix string) []string {
	t.Helper()
	var names []string
	for info, err := range objects.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(info.Name, prefix))
	}
	return names
}

// entries lists what the file system shows.
func entries(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}

// must stops the test if the set-up fails.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestNamesRefused(t *testing.T) {
	ctx, objects := t.Context(), dir.New()
	base := t.TempDir()
	for name, want := range map[string]string{
		"":                                "is no name of a local file",
		base + "/x":                       "is no name of a local file",
		"FILE://" + base + "/x":           "is no name of a local file",
		"s3://b/x":                        "is no name of a local file",
		"file:x":                          "authority or a relative path",
		"file:":                           "authority or a relative path",
		"file://":                         "authority or a relative path",
		"file://localhost" + base:         "authority or a relative path",
		"file:///":                        `segment ""`,
		"file:///" + base + "/x":          `segment ""`,
		"file://" + base + "//x":          `segment ""`,
		"file://" + base + "/":            `segment ""`,
		"file:" + base + "/./x":           `segment "."`,
		"file:" + base + "/y/../x":        `segment ".."`,
		"file:" + base + "/..":            `segment ".."`,
		"file:" + base + "/x\x00y":        `segment "x\x00y"`,
		"file:" + base + "/.firn-tmp-":    `segment ".firn-tmp-" is reserved`,
		"file:" + base + "/.firn-tmp-x/y": `segment ".firn-tmp-x" is reserved`,
	} {
		_, get := objects.Get(ctx, name, 0)
		_, getRange := objects.GetRange(ctx, name, 0, nil)
		_, stat := objects.Stat(ctx, name)
		for _, err := range []error{objects.Put(ctx, name, nil), get, getRange, stat, objects.Delete(ctx, name)} {
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q: %v, want %s", name, err, want)
			}
		}
	}
	if found := entries(t, base); found != nil {
		t.Errorf("left behind: %q", found)
	}
}

func TestListRefusesPrefix(t *testing.T) {
	refused := []string{"", "file:", "file://", "s3://b/", "file://host/x", "file:///a//b", "file:///a/../b", "/a"}
	for _, prefix := range refused {
		count := 0
		for _, err := range dir.New().List(t.Context(), prefix) {
			count++
			if err == nil {
				t.Errorf("List(%q) yields an object", prefix)
			}
		}
		if count != 1 {
			t.Errorf("List(%q) yields %d times, want one error", prefix, count)
		}
	}
}

func TestTwoSpellingsOneFile(t *testing.T) {
	ctx, objects, base := t.Context(), dir.New(), t.TempDir()
	must(t, objects.Put(ctx, "file:"+base+"/x", nil))
	if err := objects.Put(ctx, "file://"+base+"/x", nil); !errors.Is(err, store.ErrExists) {
		t.Errorf("Put by the other spelling: %v, want ErrExists", err)
	}
	for _, prefix := range []string{"file:" + base + "/", "file://" + base + "/"} {
		if diff := cmp.Diff([]string{"x"}, names(t, objects, prefix)); diff != "" {
			t.Errorf("List(%q) (-want +got):\n%s", prefix, diff)
		}
	}
}

// TestOnlyFilesAreObjects puts everything else that a folder can hold beside two files.
func TestOnlyFilesAreObjects(t *testing.T) {
	ctx, objects, base := t.Context(), dir.New(), t.TempDir()
	prefix := "file://" + base + "/"
	must(t,
		objects.Put(ctx, prefix+"file", []byte("data")),
		objects.Put(ctx, prefix+"folder/file", nil),
		os.Mkdir(filepath.Join(base, "empty"), 0o755),
		os.Symlink("file", filepath.Join(base, "to-file")),
		os.Symlink("folder", filepath.Join(base, "to-folder")),
		os.Symlink("nothing", filepath.Join(base, "to-nothing")),
		os.Symlink("to-itself", filepath.Join(base, "to-itself")),
		os.WriteFile(filepath.Join(base, ".firn-tmp-CRASHED"), []byte("half"), 0o644),
		syscall.Mkfifo(filepath.Join(base, "pipe"), 0o644),
	)
	found := names(t, objects, prefix+"f")
	found = append(found, names(t, objects, prefix+"e")...)
	found = append(found, names(t, objects, prefix+"p")...)
	found = append(found, names(t, objects, prefix+".")...)
	if diff := cmp.Diff([]string{"ile", "older/file"}, found); diff != "" {
		t.Error("objects (-want +got):\n", diff)
	}
	if info, err := objects.Stat(ctx, prefix+"to-file"); err != nil || info.SizeBytes != 4 {
		t.Errorf("Stat through a link: %+v, %v", info, err)
	}
	for name, want := range map[string]error{
		"folder": store.ErrNotFound, "to-folder": store.ErrNotFound, "to-nothing": store.ErrNotFound,
		"file/below": store.ErrNotFound, "to-itself": syscall.ELOOP, "pipe": nil,
	} {
		_, err := objects.Get(ctx, prefix+name, 0)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("Get(%q): %v, want %v", name, err, want)
		}
	}
	must(t, objects.Delete(ctx, prefix+"empty"), objects.Delete(ctx, prefix+"to-nothing"))
	if _, err := os.Stat(filepath.Join(base, "empty")); err != nil {
		t.Error("Delete removed a folder:", err)
	}
}

func TestListEndsWithUnreadableLink(t *testing.T) {
	objects, base := dir.New(), t.TempDir()
	must(t, os.Symlink("loop", filepath.Join(base, "loop")))
	var last error
	for _, err := range objects.List(t.Context(), "file://"+base+"/") {
		last = err
	}
	if !errors.Is(last, syscall.ELOOP) {
		t.Errorf("List: %v, want the error of the file system", last)
	}
}

func TestMissingErrors(t *testing.T) {
	_, err := dir.New().Get(t.Context(), "file:///no/such/file", 0)
	if want := "get file:///no/such/file: not found: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v is not what it says", err)
	}
}

func TestNewFilesHaveOrdinaryPermissions(t *testing.T) {
	ctx, base := t.Context(), t.TempDir()
	must(t,
		dir.New().Put(ctx, "file://"+base+"/object", nil),
		os.WriteFile(filepath.Join(base, "plain"), nil, 0o666),
	)
	object, err := os.Stat(filepath.Join(base, "object"))
	must(t, err)
	plain, err := os.Stat(filepath.Join(base, "plain"))
	must(t, err)
	if object.Mode() != plain.Mode() {
		t.Errorf("mode %v, other files get %v", object.Mode(), plain.Mode())
	}
}
