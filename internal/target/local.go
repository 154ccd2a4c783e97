package target

import (
	"context"
	"iter"
	"strings"

	"github.com/firn-io/firn/store"
)

// local is the local file system. Rules of --map lead to names that begin with copied:// instead of file://. A location
// may have empty segments, as in s3://b/t//metadata/m.parquet (rules 12.2, 12.5), and a local path has none: whatever
// copied the table has left them out, so they are left out of a copied name too, while a table which was not copied
// keeps the literal names of package dir. Listings show the files by the names that they have.
type local struct{ files store.Objects }

const (
	copiedPrefix = "copied://"
	filePrefix   = "file://"
)

var _ store.Objects = local{}

// place returns the name of the local file.
func (l local) place(name string) string {
	path, ok := strings.CutPrefix(name, copiedPrefix)
	if !ok {
		return name
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return filePrefix + path
}

// Put implements [store.Objects].
func (l local) Put(ctx context.Context, name string, data []byte) error {
	return l.files.Put(ctx, l.place(name), data)
}

// Get implements [store.Objects].
func (l local) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	return l.files.Get(ctx, l.place(name), limitBytes)
}

// GetRange implements [store.Objects].
func (l local) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	return l.files.GetRange(ctx, l.place(name), offset, p)
}

// Stat implements [store.Objects].
func (l local) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := l.files.Stat(ctx, l.place(name))
	if err == nil {
		info.Name = name
	}
	return info, err
}

// Delete implements [store.Objects].
func (l local) Delete(ctx context.Context, name string) error {
	return l.files.Delete(ctx, l.place(name))
}

// List implements [store.Objects].
func (l local) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	path, ok := strings.CutPrefix(prefix, copiedPrefix)
	if !ok {
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
