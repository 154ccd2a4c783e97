package world

import (
	"context"
	"errors"
	"strings"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

// objectsOf are the objects as the writers reach them: Puffin files get short names when they are written.
type objectsOf struct {
	*mem.Objects
	names *names
}

// Put implements [store.Objects].
func (o objectsOf) Put(ctx context.Context, name string, data []byte) error {
	if strings.HasSuffix(name, puffinSuffix) {
		o.names.vectors = append(o.names.vectors, name)
	}
	return o.Objects.Put(ctx, name, data)
}

// entries is the catalog as the writers reach it. It remembers every metadata file that was the table's, which is the
// truth about who committed.
type entries struct {
	inner *mem.Catalog
	// published are the metadata files that the catalog has named, and refuted those of attempts that a writer was
	// told to have failed.
	published, refuted map[string]bool
	// steps are those that were not held against one another yet, and byHand says that the next one is another program's.
	steps  []publication
	byHand bool
	// dropped is the metadata file of a table that was dropped.
	dropped string
}

func newEntries() *entries {
	return &entries{inner: new(mem.Catalog), published: make(map[string]bool), refuted: make(map[string]bool)}
}

// Load implements [store.Catalog].
func (e *entries) Load(ctx context.Context, id store.TableID) (string, error) {
	return e.inner.Load(ctx, id)
}

// Swap implements [store.Catalog].
func (e *entries) Swap(ctx context.Context, id store.TableID, old, new string) error {
	err := e.inner.Swap(ctx, id, old, new)
	if err == nil {
		e.published[new] = true
		e.steps = append(e.steps, publication{old, new, e.byHand})
	}
	return err
}

// drop takes the table out of the catalog.
func (e *entries) drop(ctx context.Context) (err error) {
	if e.dropped, err = e.inner.Load(ctx, tableID); err == nil {
		e.inner = new(mem.Catalog)
	}
	return err
}

// onlooker is the catalog as one sees it who knows what a dropped table was.
type onlooker struct{ *entries }

// Load implements [store.Catalog].
func (o onlooker) Load(ctx context.Context, id store.TableID) (string, error) {
	name, err := o.entries.Load(ctx, id)
	if errors.Is(err, store.ErrNotFound) && o.dropped != "" {
		return o.dropped, nil
	}
	return name, err
}

// The classes of objects, in the order in which a commit writes them.
const (
	classVectors  = "vectors"
	classLeaf     = "leaf"
	classRoot     = "root"
	classMetadata = "metadata"
	classOther    = "other"
)

// classes lists the classes with how many objects of them are called.
var classes = []struct{ class, one, many string }{
	{classVectors, "Puffin file", "Puffin files"},
	{classLeaf, "leaf", "leaves"},
	{classRoot, "root", "roots"},
	{classMetadata, "metadata file", "metadata files"},
	{classOther, "other object", "other objects"},
}

const (
	puffinSuffix   = ".puffin"
	metadataSuffix = ".metadata.json"
)

// class returns the class of an object.
func (n *names) class(name string) string {
	for _, s := range n.all() {
		if s.location == name {
			return map[byte]string{'L': classLeaf, 'R': classRoot, 'V': classVectors}[s.name[0]]
		}
	}
	switch {
	case strings.HasSuffix(name, puffinSuffix):
		return classVectors
	case strings.HasSuffix(name, metadataSuffix):
		return classMetadata
	}
	return classOther
}
