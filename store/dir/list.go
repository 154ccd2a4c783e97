package dir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/firn-io/firn/store"
)

// List implements [store.Objects]. The prefix names at least the root: file:/ or file:///. Files that are still
// being written are left out. It reads one folder at a time.
func (o *Objects) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		w := walk{ctx: ctx, yield: yield}
		if err := w.start(prefix); err != nil && !errors.Is(err, errStopped) {
			yield(store.Info{}, store.NameError("list", prefix, err))
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// walk is one listing in progress.
type walk struct {
	ctx    context.Context
	yield  func(store.Info, error) bool
	scheme string
}

// start walks the folder that the prefix ends in; what stands behind the last slash begins the names there.
func (w *walk) start(prefix string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	scheme, path, err := splitScheme(prefix)
	if err != nil {
		return err
	}
	folder, begin := splitLast(path)
	if err := checkFolders(folder); err != nil {
		return err
	}
	w.scheme = scheme
	return w.folder(folder, begin)
}

// child is a file or a folder of the folder that is walked. The key of a folder ends in a slash, so that the
// order of keys is the order of all names below.
type child struct {
	key   string
	entry fs.DirEntry
}

// folder yields the objects of one folder, whose path ends in a slash, and of those below it.
func (w *walk) folder(path, begin string) error {
	entries, err := os.ReadDir(path)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	children := make([]child, 0, len(entries))
	for _, entry := range entries {
		key := entry.Name()
		if entry.IsDir() {
			key += "/"
		}
		if strings.HasPrefix(key, begin) && !isSwap(key) && (!strings.HasPrefix(key, tempPrefix) || isStale(entry)) {
			children = append(children, child{key, entry})
		}
	}
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.key, b.key) })
	for _, c := range children {
		if c.entry.IsDir() {
			err = w.folder(path+c.key, "")
		} else {
			err = w.file(path+c.key, c.entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file yields one object. A file that is gone by now, or is no regular one, is passed over.
func (w *walk) file(path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(path)
	}
	if missing(err) {
		return nil
	}
	if err == nil {
		err = w.ctx.Err()
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	if !w.yield(store.Info{Name: w.scheme + path, SizeBytes: info.Size(), Modified: info.ModTime()}, nil) {
		return errStopped
	}
	return nil
}

// staleAge is how old a temporary file is that no process writes any more.
const staleAge = 24 * time.Hour

// isStale reports whether a temporary file was left behind by a process that died.
func isStale(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAge
}
