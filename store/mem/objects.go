package mem

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/firn-io/firn/store"
)

// Objects is a [store.Objects] in memory. The zero value is empty and ready for use. It takes any name.
// Do not copy it; see [Objects.Clone].
type Objects struct {
	// Now gives the modification time of a new object; set it before the first Put. By default the n-th
	// object ever put is dated n seconds after 1970 began, UTC.
	Now func() time.Time

	mu      sync.Mutex
	puts    int64
	objects map[string]object
}

// object is one stored object; its data is never changed.
type object struct {
	data     []byte
	modified time.Time
}

var _ store.Objects = (*Objects)(nil)

// errOffset is the answer to a read before the start of an object.
var errOffset = errors.New("negative offset")

// Put implements [store.Objects].
func (o *Objects) Put(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return store.NameError("put", name, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, taken := o.objects[name]; taken {
		return store.NameError("put", name, store.ErrExists)
	}
	if o.objects == nil {
		o.objects = make(map[string]object)
	}
	o.puts++
	modified := time.Unix(o.puts, 0).UTC()
	if o.Now != nil {
		modified = o.Now()
	}
	o.objects[name] = object{data: slices.Clone(data), modified: modified}
	return nil
}

// find returns the object of that name.
func (o *Objects) find(ctx context.Context, name string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	found, ok := o.objects[name]
	if !ok {
		return object{}, store.ErrNotFound
	}
	return found, nil
}

// Get implements [store.Objects].
func (o *Objects) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	found, err := o.find(ctx, name)
	if err == nil && limitBytes > 0 && int64(len(found.data)) > limitBytes {
		err = store.ErrTooLarge
	}
	if err != nil {
		return nil, store.NameError("get", name, err)
	}
	return slices.Clone(found.data), nil
}

// GetRange implements [store.Objects].
func (o *Objects) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	found, err := o.find(ctx, name)
	if err == nil && offset < 0 {
		err = errOffset
	}
	if err != nil {
		return 0, store.NameError("get", name, err)
	}
	n := 0
	if offset < int64(len(found.data)) {
		n = copy(p, found.data[offset:])
	}
	if n < len(p) {
		return n, store.NameError("get", name, io.EOF)
	}
	return n, nil
}

// Stat implements [store.Objects].
func (o *Objects) Stat(ctx context.Context, name string) (store.Info, error) {
	found, err := o.find(ctx, name)
	if err != nil {
		return store.Info{}, store.NameError("stat", name, err)
	}
	return found.info(name), nil
}

// info describes the object under its name.
func (b object) info(name string) store.Info {
	return store.Info{Name: name, SizeBytes: int64(len(b.data)), Modified: b.modified}
}

// List implements [store.Objects]. It yields what was there when the iteration began.
func (o *Objects) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(store.Info{}, store.NameError("list", prefix, err))
			return
		}
		for _, info := range o.snapshot(prefix) {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// snapshot describes the objects that are there now, in the order of their names.
func (o *Objects) snapshot(prefix string) []store.Info {
	o.mu.Lock()
	defer o.mu.Unlock()
	var infos []store.Info
	for name, found := range o.objects {
		if strings.HasPrefix(name, prefix) {
			infos = append(infos, found.info(name))
		}
	}
	slices.SortFunc(infos, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Delete implements [store.Objects].
func (o *Objects) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return store.NameError("delete", name, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.objects, name)
	return nil
}

// Names returns the names of all objects, sorted.
func (o *Objects) Names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.objects))
}

// Clone returns an independent store with the same objects and the same clock. It costs no copy of their data.
func (o *Objects) Clone() *Objects {
	o.mu.Lock()
	defer o.mu.Unlock()
	return &Objects{Now: o.Now, puts: o.puts, objects: maps.Clone(o.objects)}
}
