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

// writeHalf writes half of the data.
func writeHalf(file *os.File, data []byte) error {
	_, err := file.Write(data[:len(data)/2])
	return err
}

// fullDisk writes half of the data and then finds no room.
func fullDisk(file *os.File, data []byte) error {
	if err := writeHalf(file, data); err != nil {
		return err
	}
	return &fs.PathError{Op: "write", Path: file.Name(), Err: syscall.ENOSPC}
}

// lostAnswer links, and reports what a network file system may report then.
func lostAnswer(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EEXIST}
}

// noLinks is a file system without hard links.
func noLinks(from, to string) error {
	return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
}

// badSync is a medium that fails.
func badSync(path string) error {
	return &fs.PathError{Op: "sync", Path: path, Err: syscall.EIO}
}

func TestPutFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		fail    func(o *dir.Objects)
		want    string
		is      error
		visible bool
	}{
		{"disk full", func(o *dir.Objects) { o.Fail(fullDisk, nil, nil) },
			"write: no space left on device", syscall.ENOSPC, false},
		{"no links", func(o *dir.Objects) { o.Fail(nil, noLinks, nil) },
			"link: operation not permitted", fs.ErrPermission, false},
		{"not durable", func(o *dir.Objects) { o.Fail(nil, nil, badSync) },
			"outcome unknown: the name is not durable yet: sync: input/output error", store.ErrUnknown, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, objects := t.TempDir(), dir.New()
			c.fail(objects)
			err := objects.Put(t.Context(), "file://"+base+"/x", []byte("data"))
			if want := "put file://" + base + "/x: " + c.want; err == nil || err.Error() != want || !errors.Is(err, c.is) {
				t.Errorf("Put: %v, want %s", err, want)
			}
			var want []string
			if c.visible {
				want = []string{"x"}
			}
			if diff := cmp.Diff(want, entries(t, base)); diff != "" {
				t.Error("files (-want +got):\n", diff)
			}
		})
	}
}

func TestPutWhoseAnswerIsLost(t *testing.T) {
	ctx, objects, base := t.Context(), dir.New(), t.TempDir()
	objects.Fail(nil, lostAnswer, nil)
	if err := objects.Put(ctx, "file://"+base+"/x", []byte("ours")); err != nil {
		t.Errorf("Put of a file that is there: %v", err)
	}
	if err := objects.Put(ctx, "file://"+base+"/x", []byte("ours")); !errors.Is(err, store.ErrExists) {
		t.Errorf("Put of another file with the same content: %v, want ErrExists", err)
	}
	if diff := cmp.Diff([]string{"x"}, entries(t, base)); diff != "" {
		t.Error("files (-want +got):\n", diff)
	}
}

// TestPutCannotWrite uses obstacles that stop the superuser too.
func TestPutCannotWrite(t *testing.T) {
	ctx, objects, base := t.Context(), dir.New(), t.TempDir()
	prefix := "file://" + base + "/"
	must(t, objects.Put(ctx, prefix+"file", nil), objects.Put(ctx, prefix+"folder/file", nil))
	for name, want := range map[string]string{
		"file/x":                         "open: not a directory",
		"file/x/y":                       "open: not a directory",
		"folder":                         "a folder has this name",
		strings.Repeat("x", 300):         "link: file name too long",
		strings.Repeat("x/", 3000) + "y": "open: file name too long",
	} {
		err := objects.Put(ctx, prefix+name, nil)
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || errors.Is(err, store.ErrExists) {
			t.Errorf("Put(%.20q): %v, want %s", name, err, want)
		}
	}
	if diff := cmp.Diff([]string{"file", "folder"}, entries(t, base)); diff != "" {
		t.Error("files (-want +got):\n", diff)
	}
}

// TestPutSyncsWhatItMakes follows the folders that are synced: each one in which a name is new.
func TestPutSyncsWhatItMakes(t *testing.T) {
	ctx, objects, base := t.Context(), dir.New(), t.TempDir()
	var synced []string
	objects.Fail(nil, nil, func(path string) error {
		rest, err := filepath.Rel(base, path)
		synced = append(synced, rest)
		return err
	})
	must(t, objects.Put(ctx, "file://"+base+"/a/b/x", nil))
	if diff := cmp.Diff([]string{".", "a", "a/b"}, synced); diff != "" {
		t.Error("first object in new folders (-want +got):\n", diff)
	}
	synced = nil
	must(t, objects.Put(ctx, "file://"+base+"/a/b/y", nil))
	if diff := cmp.Diff([]string{"a/b"}, synced); diff != "" {
		t.Error("second object (-want +got):\n", diff)
	}
}

// TestCrashLeavesNoObject stops the writer at each of its steps, as a crash would: nothing is cleaned up.
func TestCrashLeavesNoObject(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func(t *testing.T, o *dir.Objects)
		want  []string
		files int
	}{
		{"while writing", func(t *testing.T, o *dir.Objects) {
			o.Fail(func(file *os.File, data []byte) error {
				must(t, writeHalf(file, data))
				panic("crash")
			}, nil, nil)
		}, nil, 1},
		{"before the link", func(t *testing.T, o *dir.Objects) {
			o.Fail(nil, func(from, to string) error {
				must(t, os.Link(from, from+"-kept")) // the clean-up that a panic still runs removes one name
				panic("crash")
			}, nil)
		}, nil, 1},
		{"after the link", func(t *testing.T, o *dir.Objects) {
			o.Fail(nil, func(from, to string) error {
				must(t, os.Link(from, from+"-kept"), os.Link(from, to))
				panic("crash")
			}, nil)
		}, []string{"x"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, base := t.Context(), t.TempDir()
			prefix := "file://" + base + "/"
			crashing := dir.New()
			c.crash(t, crashing)
			func() {
				defer func() { recover() }()
				crashing.Put(ctx, prefix+"x", []byte("data"))
			}()
			if found := entries(t, base); len(found) != c.files {
				t.Fatalf("the crash left %q, want %d files", found, c.files)
			}
			objects := dir.New()
			if diff := cmp.Diff(c.want, names(t, objects, prefix)); diff != "" {
				t.Error("objects (-want +got):\n", diff)
			}
			if err := objects.Put(ctx, prefix+"x", []byte("data")); (err == nil) != (c.want == nil) {
				t.Errorf("Put after the crash: %v", err)
			}
			data, err := objects.Get(ctx, prefix+"x", 0)
			if string(data) != "data" {
				t.Errorf("Get after the crash: %q, %v", data, err)
			}
		})
	}
}
