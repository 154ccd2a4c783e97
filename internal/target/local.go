package target

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/store"
)

// local is the local file system, the only place of tables that this version reaches. Rules of --map lead to names
// that begin with copied:// instead of file://. A location may have empty segments, as in
// s3://b/t//metadata/m.parquet (rules 12.2, 12.5), and a local path has none: whatever copied the table has left them
// out, so they are left out of a copied name too, while a table which was not copied keeps the literal names of
// package dir. Listings show the files by the names that they have.
type local struct{ files store.Objects }

const (
	copiedPrefix = "copied://"
	filePrefix   = "file://"
)

var _ store.Objects = local{}

// place returns the name of the local file.
func (l local) place(op, name string) (string, error) {
	path, ok := strings.CutPrefix(name, copiedPrefix)
	if !ok {
		return name, checkLocal(op, name)
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return filePrefix + path, nil
}

// checkLocal refuses a name of another scheme than file.
func checkLocal(op, name string) error {
	scheme, rest, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return store.NameError(op, name, errors.New("the name has no scheme"))
	case scheme == "file":
		return nil
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	return store.NameError(op, name, &NoStoreError{Scheme: scheme, Host: host})
}

// NoStoreError says that a location is of a kind that cannot be reached.
type NoStoreError struct {
	Scheme string
	// Host is what follows the two slashes: the bucket, as a rule.
	Host string
}

// Error implements error.
func (e *NoStoreError) Error() string {
	return fmt.Sprintf("no store for scheme %q, only local files work so far: --map %s://%s=FOLDER reads a copy in a folder",
		e.Scheme, e.Scheme, e.Host)
}

// Put implements [store.Objects].
func (l local) Put(ctx context.Context, name string, data []byte) error {
	place, err := l.place("put", name)
	if err != nil {
		return err
	}
	return l.files.Put(ctx, place, data)
}

// Get implements [store.Objects].
func (l local) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	place, err := l.place("get", name)
	if err != nil {
		return nil, err
	}
	return l.files.Get(ctx, place, limitBytes)
}

// GetRange implements [store.Objects].
func (l local) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	place, err := l.place("get", name)
	if err != nil {
		return 0, err
	}
	return l.files.GetRange(ctx, place, offset, p)
}

// Stat implements [store.Objects].
func (l local) Stat(ctx context.Context, name string) (store.Info, error) {
	place, err := l.place("stat", name)
	if err != nil {
		return store.Info{}, err
	}
	info, err := l.files.Stat(ctx, place)
	if err == nil {
		info.Name = name
	}
	return info, err
}

// Delete implements [store.Objects].
func (l local) Delete(ctx context.Context, name string) error {
	place, err := l.place("delete", name)
	if err != nil {
		return err
	}
	return l.files.Delete(ctx, place)
}

// List implements [store.Objects].
func (l local) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	path, ok := strings.CutPrefix(prefix, copiedPrefix)
	if !ok {
		if err := checkLocal("list", prefix); err != nil {
			return func(yield func(store.Info, error) bool) { yield(store.Info{}, err) }
		}
		return l.files.List(ctx, prefix)
	}
	return func(yield func(store.Info, error) bool) {
		for info, err := range l.files.List(ctx, filePrefix+path) {
			if err == nil {
				info.Name = copiedPrefix + strings.TrimPrefix(info.Name, filePrefix)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}
