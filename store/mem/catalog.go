package mem

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/firn-io/firn/store"
)

// Catalog is a [store.Catalog] in memory. The zero value is empty and ready for use. Its errors are final: it
// never answers [store.ErrUnknown]. Do not copy it; see [Catalog.Clone].
type Catalog struct {
	mu        sync.Mutex
	locations map[store.TableID]string
}

var _ store.Catalog = (*Catalog)(nil)

// Load implements [store.Catalog].
func (c *Catalog) Load(ctx context.Context, id store.TableID) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", store.NameError("load", id.String(), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	location, ok := c.locations[id]
	if !ok {
		return "", store.NameError("load", id.String(), store.ErrNotFound)
	}
	return location, nil
}

// Swap implements [store.Catalog].
func (c *Catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if err := store.CheckSwap(ctx, id, new); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	current, ok := c.locations[id]
	switch {
	case !ok && old != "":
		return store.NameError("swap", id.String(), store.ErrNotFound)
	case current != old:
		return store.NameError("swap", id.String(), store.ErrConflict)
	}
	if c.locations == nil {
		c.locations = make(map[store.TableID]string)
	}
	c.locations[id] = new
	return nil
}

// Tables returns the tables of the catalog, sorted by namespace and name.
func (c *Catalog) Tables() []store.TableID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.locations), store.TableID.Compare)
}

// Clone returns an independent catalog with the same entries.
func (c *Catalog) Clone() *Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Catalog{locations: maps.Clone(c.locations)}
}
