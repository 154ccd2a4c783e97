package target

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/firn-io/firn/store"
)

// places are all objects that can be reached: local files, and buckets of S3, whose store is opened when one of them
// is named for the first time.
type places struct {
	local       store.Objects
	openBuckets func(ctx context.Context) (store.Objects, error)

	mu      sync.Mutex
	buckets store.Objects
}

var _ store.Objects = (*places)(nil)

// of returns the store for a name.
func (p *places) of(ctx context.Context, op, name string) (store.Objects, error) {
	scheme, rest, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return nil, store.NameError(op, name, errors.New("the name has no scheme"))
	case scheme == "file", scheme == "copied":
		return p.local, nil
	case scheme == "s3":
		objects, err := p.inBuckets(ctx)
		return objects, store.NameError(op, name, err)
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	return nil, store.NameError(op, name, &NoStoreError{Scheme: scheme, Host: host})
}

func (p *places) inBuckets(ctx context.Context) (store.Objects, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.buckets != nil {
		return p.buckets, nil
	}
	buckets, err := p.openBuckets(ctx)
	if err != nil {
		return nil, err
	}
	p.buckets = buckets
	return buckets, nil
}

// NoStoreError says that a location is of a kind that cannot be reached.
type NoStoreError struct {
	Scheme string
	// Host is what follows the two slashes: the bucket, as a rule.
	Host string
}

// oldNames are names of the scheme s3 in other programs.
var oldNames = []string{"s3a", "s3n"}

// Error implements error.
func (e *NoStoreError) Error() string {
	from := fmt.Sprintf("%s://%s", e.Scheme, e.Host)
	if slices.Contains(oldNames, e.Scheme) {
		return fmt.Sprintf("no store for scheme %q: --map %s=s3://%s reads and writes it as s3", e.Scheme, from, e.Host)
	}
	return fmt.Sprintf("no store for scheme %q, only for file and s3: --map %s=FOLDER reads a copy in a folder", e.Scheme, from)
}

// Put implements [store.Objects].
func (p *places) Put(ctx context.Context, name string, data []byte) error {
	objects, err := p.of(ctx, "put", name)
	if err != nil {
		return err
	}
	return objects.Put(ctx, name, data)
}

// Get implements [store.Objects].
func (p *places) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	objects, err := p.of(ctx, "get", name)
	if err != nil {
		return nil, err
	}
	return objects.Get(ctx, name, limitBytes)
}

// GetRange implements [store.Objects].
func (p *places) GetRange(ctx context.Context, name string, offset int64, b []byte) (int, error) {
	objects, err := p.of(ctx, "get", name)
	if err != nil {
		return 0, err
	}
	return objects.GetRange(ctx, name, offset, b)
}

// Stat implements [store.Objects].
func (p *places) Stat(ctx context.Context, name string) (store.Info, error) {
	objects, err := p.of(ctx, "stat", name)
	if err != nil {
		return store.Info{}, err
	}
	return objects.Stat(ctx, name)
}

// List implements [store.Objects].
func (p *places) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	objects, err := p.of(ctx, "list", prefix)
	if err != nil {
		return func(yield func(store.Info, error) bool) { yield(store.Info{}, err) }
	}
	return objects.List(ctx, prefix)
}

// Delete implements [store.Objects].
func (p *places) Delete(ctx context.Context, name string) error {
	objects, err := p.of(ctx, "delete", name)
	if err != nil {
		return err
	}
	return objects.Delete(ctx, name)
}
