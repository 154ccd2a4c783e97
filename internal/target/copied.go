package target

import (
	"context"
	"iter"
	"strings"

	"github.com/firn-io/firn/store"
)

// copied is the local file system as the place of a copied table: rules of --map lead here. A location may have
// empty segments, as in s3://b/t//metadata/m.parquet (rules 12.2, 12.5), and a local path has none: whatever
// copied the table has left them out, so they are left out of the name here too. Listings do not: they show the
// files by the names that they have.
//
// Its names begin with copied:// instead of file://, so that a table which was not copied keeps the literal names
// of package dir.
type copied struct{ files store.Objects }

const (
	copiedScheme = "copied"
	copiedPrefix = copiedScheme + "://"
	filePrefix   = "file://"
)

var _ store.Objects = copied{}

// place returns the name of the local file.
func (c copied) place(name string) string {
	path := strings.TrimPrefix(name, copiedPrefix)
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return filePrefix + path
}

// Put implements [store.Objects].
func (c copied) Put(ctx context.Context, name string, data []byte) error {
	return c.files.Put(ctx, c.place(name), data)
}

// Get implements [store.Objects].
func (c copied) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	return c.files.Get(ctx, c.place(name), limitBytes)
}

// GetRange implements [store.Objects].
func (c copied) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	return c.files.GetRange(ctx, c.place(name), offset, p)
}

// Stat implements [store.Objects].
func (c copied) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := c.files.Stat(ctx, c.place(name))
	if err == nil {
		info.Name = name
	}
	return info, err
}

// Delete implements [store.Objects].
func (c copied) Delete(ctx context.Context, name string) error {
	return c.files.Delete(ctx, c.place(name))
}

// List implements [store.Objects].
func (c copied) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for info, err := range c.files.List(ctx, filePrefix+strings.TrimPrefix(prefix, copiedPrefix)) {
			if err == nil {
				info.Name = copiedPrefix + strings.TrimPrefix(info.Name, filePrefix)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}
