// Package mapped puts several stores of objects together: [Schemes] picks a store by the scheme of a name, and
// [New] reads and writes names that begin with one prefix at another, so that a copied table can be opened where
// it lies.
package mapped

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/firn-io/firn/store"
)

// Schemes is a [store.Objects] made of one store for each scheme, as in
//
//	mapped.Schemes{"file": dir.New()}
//
// Schemes are compared as they are spelt, and a name without one of them is refused. Do not change it after its
// first use.
type Schemes map[string]store.Objects

var _ store.Objects = Schemes(nil)

// of returns the store for a name.
func (s Schemes) of(op, name string) (store.Objects, error) {
	scheme, _, ok := strings.Cut(name, ":")
	if !ok {
		return nil, store.NameError(op, name, errors.New("the name has no scheme"))
	}
	if objects := s[scheme]; objects != nil {
		return objects, nil
	}
	known := slices.Sorted(maps.Keys(s))
	return nil, store.NameError(op, name, fmt.Errorf("no store for scheme %q, only for %q", scheme, known))
}

// Put implements [store.Objects].
func (s Schemes) Put(ctx context.Context, name string, data []byte) error {
	objects, err := s.of("put", name)
	if err != nil {
		return err
	}
	return objects.Put(ctx, name, data)
}

// Get implements [store.Objects].
func (s Schemes) Get(ctx context.Context, name string, limitBytes int64) ([]byte, error) {
	objects, err := s.of("get", name)
	if err != nil {
		return nil, err
	}
	return objects.Get(ctx, name, limitBytes)
}

// GetRange implements [store.Objects].
func (s Schemes) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	objects, err := s.of("get", name)
	if err != nil {
		return 0, err
	}
	return objects.GetRange(ctx, name, offset, p)
}

// Stat implements [store.Objects].
func (s Schemes) Stat(ctx context.Context, name string) (store.Info, error) {
	objects, err := s.of("stat", name)
	if err != nil {
		return store.Info{}, err
	}
	return objects.Stat(ctx, name)
}

// List implements [store.Objects]. The prefix includes a scheme.
func (s Schemes) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	objects, err := s.of("list", prefix)
	if err != nil {
		return func(yield func(store.Info, error) bool) { yield(store.Info{}, err) }
	}
	return objects.List(ctx, prefix)
}

// Delete implements [store.Objects].
func (s Schemes) Delete(ctx context.Context, name string) error {
	objects, err := s.of("delete", name)
	if err != nil {
		return err
	}
	return objects.Delete(ctx, name)
}
