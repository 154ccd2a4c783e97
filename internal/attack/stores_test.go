package attack_test

import (
	"context"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
)

// liar is a catalog that answers as its functions say; a nil function is the catalog's own.
type liar struct {
	store.Catalog
	swap func(ctx context.Context, id store.TableID, old, new string) error
	load func(ctx context.Context, id store.TableID) (string, error)
}

func (l liar) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if l.swap == nil {
		return l.Catalog.Swap(ctx, id, old, new)
	}
	return l.swap(ctx, id, old, new)
}

func (l liar) Load(ctx context.Context, id store.TableID) (string, error) {
	if l.load == nil {
		return l.Catalog.Load(ctx, id)
	}
	return l.load(ctx, id)
}

// open opens the table of a store behind another catalog and with another environment.
func open(s testtable.Store, c store.Catalog, env commit.Env) *commit.Table {
	return commit.Open(testtable.ID, c, s.Objects, commit.Options{Env: env})
}

// hooked calls a function before (or after) call number at of a store and its catalog.
type hooked struct {
	store.Objects
	store.Catalog
	n, at int
	after bool
	hook  func()
}

func (h *hooked) call(effect func() error) error {
	h.n++
	now := h.n == h.at
	if now && !h.after {
		h.hook()
	}
	err := effect()
	if now && h.after {
		h.hook()
	}
	return err
}

func (h *hooked) Put(ctx context.Context, name string, data []byte) error {
	return h.call(func() error { return h.Objects.Put(ctx, name, data) })
}

func (h *hooked) Get(ctx context.Context, name string, limit int64) (data []byte, err error) {
	err = h.call(func() error { data, err = h.Objects.Get(ctx, name, limit); return err })
	return data, err
}

func (h *hooked) GetRange(ctx context.Context, name string, offset int64, p []byte) (n int, err error) {
	err = h.call(func() error { n, err = h.Objects.GetRange(ctx, name, offset, p); return err })
	return n, err
}

func (h *hooked) Delete(ctx context.Context, name string) error {
	return h.call(func() error { return h.Objects.Delete(ctx, name) })
}

func (h *hooked) Load(ctx context.Context, id store.TableID) (name string, err error) {
	err = h.call(func() error { name, err = h.Catalog.Load(ctx, id); return err })
	return name, err
}

func (h *hooked) Swap(ctx context.Context, id store.TableID, old, new string) error {
	return h.call(func() error { return h.Catalog.Swap(ctx, id, old, new) })
}

// brokenReads gives short or foreign bytes for the objects whose names end in suffix.
type brokenReads struct {
	store.Objects
	spoil func(data []byte) []byte
}

func (b brokenReads) Get(ctx context.Context, name string, limit int64) ([]byte, error) {
	data, err := b.Objects.Get(ctx, name, limit)
	return b.spoil(data), err
}

// GetRange reports that it read everything and leaves the second half as it was.
func (b brokenReads) GetRange(ctx context.Context, name string, offset int64, p []byte) (int, error) {
	if _, err := b.Objects.GetRange(ctx, name, offset, p[:len(p)/2]); err != nil {
		return 0, err
	}
	return len(p) / 2, nil
}

// planner is a policy made of a function.
type planner func(policy.Input) (policy.Plan, error)

func (planner) Name() string { return "planner" }

func (p planner) Plan(in policy.Input) (policy.Plan, error) { return p(in) }
