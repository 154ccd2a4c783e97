package fault

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/firn-io/firn/store"
)

// Objects wraps a store of objects.
func (i *Injector) Objects(inner store.Objects) store.Objects { return objects{i, inner} }

// Catalog wraps a catalog.
func (i *Injector) Catalog(inner store.Catalog) store.Catalog { return catalog{i, inner} }

// objects disturbs the calls of a store of objects.
type objects struct {
	injector *Injector
	inner    store.Objects
}

// Put implements [store.Objects].
func (o objects) Put(ctx context.Context, name string, data []byte) error {
	return o.injector.run(ctx, call{op: Put, name: name,
		do: func(ctx context.Context, f Fault) (int, error) {
			part := data[:f.keep(len(data))]
			return len(part), o.inner.Put(ctx, name, part)
		},
		detach: func() { data = slices.Clone(data) },
	})
}

// Get implements [store.Objects].
func (o objects) Get(ctx context.Context, name string, limitBytes int64) (data []byte, err error) {
	err = o.injector.run(ctx, call{op: Get, name: name, do: func(ctx context.Context, f Fault) (int, error) {
		whole, err := o.inner.Get(ctx, name, limitBytes)
		data = whole[:f.keep(len(whole))]
		return len(data), err
	}})
	return data, err
}

// GetRange implements [store.Objects].
func (o objects) GetRange(ctx context.Context, name string, offset int64, p []byte) (n int, err error) {
	c := call{op: GetRange, name: name}
	c.do = func(ctx context.Context, f Fault) (int, error) {
		whole, err := o.inner.GetRange(ctx, name, offset, p)
		if n = f.keep(whole); n < whole {
			clear(p[n:whole])
			err = c.fails(io.EOF)
		}
		return n, err
	}
	err = o.injector.run(ctx, c)
	return n, err
}

// Stat implements [store.Objects].
func (o objects) Stat(ctx context.Context, name string) (info store.Info, err error) {
	err = o.injector.run(ctx, call{op: Stat, name: name, do: func(ctx context.Context, _ Fault) (_ int, err error) {
		info, err = o.inner.Stat(ctx, name)
		return 0, err
	}})
	return info, err
}

// List implements [store.Objects]. The call is made when the iteration begins and ends with it; the iteration ends
// early when the program crashes in its course.
func (o objects) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		c := call{op: List, name: prefix}
		c.do = func(ctx context.Context, f Fault) (int, error) {
			for info, err := range listing(o.inner.List(ctx, prefix), f, c.fails(ErrInjected)) {
				if o.injector.Crashed() {
					err = c.fails(ErrCrashed)
				}
				if err != nil {
					return 0, err
				}
				if !yield(info, nil) {
					return 0, nil
				}
			}
			return 0, nil
		}
		if err := o.injector.run(ctx, c); err != nil {
			yield(store.Info{}, err)
		}
	}
}

// Delete implements [store.Objects].
func (o objects) Delete(ctx context.Context, name string) error {
	return o.injector.run(ctx, call{op: Delete, name: name, do: func(ctx context.Context, _ Fault) (int, error) {
		return 0, o.inner.Delete(ctx, name)
	}})
}

// catalog disturbs the calls of a catalog.
type catalog struct {
	injector *Injector
	inner    store.Catalog
}

// Load implements [store.Catalog].
func (c catalog) Load(ctx context.Context, id store.TableID) (location string, err error) {
	do := func(ctx context.Context, _ Fault) (_ int, err error) {
		location, err = c.inner.Load(ctx, id)
		return 0, err
	}
	err = c.injector.run(ctx, call{op: Load, name: id.String(), do: do})
	return location, err
}

// Swap implements [store.Catalog].
func (c catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	do := func(ctx context.Context, _ Fault) (int, error) { return 0, c.inner.Swap(ctx, id, old, new) }
	return c.injector.run(ctx, call{op: Swap, name: id.String(), do: do})
}
