package fault

import (
	"context"
	"iter"

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
	return o.injector.run(Put, name, func() error { return o.inner.Put(ctx, name, data) })
}

// Get implements [store.Objects].
func (o objects) Get(ctx context.Context, name string, limitBytes int64) (data []byte, err error) {
	err = o.injector.run(Get, name, func() (err error) {
		data, err = o.inner.Get(ctx, name, limitBytes)
		return err
	})
	return data, err
}

// GetRange implements [store.Objects].
func (o objects) GetRange(ctx context.Context, name string, offset int64, p []byte) (n int, err error) {
	err = o.injector.run(GetRange, name, func() (err error) {
		n, err = o.inner.GetRange(ctx, name, offset, p)
		return err
	})
	return n, err
}

// Stat implements [store.Objects].
func (o objects) Stat(ctx context.Context, name string) (info store.Info, err error) {
	err = o.injector.run(Stat, name, func() (err error) {
		info, err = o.inner.Stat(ctx, name)
		return err
	})
	return info, err
}

// List implements [store.Objects]. The call is made when the iteration begins; it ends early when the program
// crashes in its course.
func (o objects) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		err := o.injector.run(List, prefix, func() error { return nil })
		if err != nil {
			yield(store.Info{}, err)
			return
		}
		for info, err := range o.inner.List(ctx, prefix) {
			if o.injector.Crashed() {
				yield(store.Info{}, store.NameError(List.String(), prefix, ErrCrashed))
				return
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// Delete implements [store.Objects].
func (o objects) Delete(ctx context.Context, name string) error {
	return o.injector.run(Delete, name, func() error { return o.inner.Delete(ctx, name) })
}

// catalog disturbs the calls of a catalog.
type catalog struct {
	injector *Injector
	inner    store.Catalog
}

// Load implements [store.Catalog].
func (c catalog) Load(ctx context.Context, id store.TableID) (location string, err error) {
	err = c.injector.run(Load, id.String(), func() (err error) {
		location, err = c.inner.Load(ctx, id)
		return err
	})
	return location, err
}

// Swap implements [store.Catalog].
func (c catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	return c.injector.run(Swap, id.String(), func() error { return c.inner.Swap(ctx, id, old, new) })
}
