package main

import (
	"context"
	"fmt"
	"math"

	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/tree"
)

// firnTable is a table of firn.
type firnTable struct {
	id       store.TableID
	catalog  store.Catalog
	objects  store.Objects
	location string
}

// open opens the table as a new process would: nothing of it is in memory.
func (t *firnTable) open() *commit.Table {
	return commit.Open(t.id, t.catalog, t.objects, commit.Options{})
}

// layout says how the files of a firn table are laid out.
type layout struct {
	label string
	// perCommit is the number of files that each of the first commits appends.
	perCommit int
	// policy is that of the first commits. The measured ones have when-full, which leaves all these tables as
	// they are.
	policy policy.Policy
}

// pushAll pushes what a commit appends into one leaf.
var pushAll = simple.WhenFull{RootBytes: 1, LeafBytes: math.MaxInt64}

// seedFirn makes a table of files and lets its history go, all but the last snapshot.
func seedFirn(ctx context.Context, t *firnTable, l layout, files int) error {
	m, err := metadata.New(metadata.NewTable{UUID: uuid.New(), Location: t.location, Schema: schema(), TimestampMillis: 1,
		Properties: map[string]string{choose.PropertyPolicy: "when-full"}})
	if err != nil {
		return err
	}
	opened, err := commit.Create(ctx, t.id, t.catalog, t.objects, m, commit.Options{})
	if err != nil {
		return err
	}
	for first := 0; first < files; first += l.perCommit {
		x, err := opened.Begin(ctx, commit.TxnOptions{Policy: l.policy})
		if err != nil {
			return err
		}
		for n := first; n < min(first+l.perCommit, files); n++ {
			x.Append(firnFile(t.location, n))
		}
		if _, err := x.Commit(ctx); err != nil {
			return err
		}
	}
	_, err = opened.Update(ctx, func(m metadata.Table) (metadata.Table, error) {
		e, err := m.Expired(metadata.ExpiryPolicy{KeepLast: 1, OlderThanMillis: some(int64(math.MaxInt64))}, m.LastUpdatedMillis)
		if err != nil {
			return m, err
		}
		return m.Expire(e)
	})
	return err
}

// prepare implements [table]. A hint is the file as [commit.Table.Files] yields it.
func (t *firnTable) prepare(ctx context.Context, k kind, n int) (func() error, error) {
	target := commit.Target{Location: fileName(t.location, n)}
	if k == removeHinted {
		located, err := t.find(ctx, target.Location)
		if err != nil {
			return nil, err
		}
		target = commit.At(located)
	}
	file := firnFile(t.location, n)
	return func() error {
		x, err := t.open().Begin(ctx, commit.TxnOptions{CheckDuplicates: k == appendChecked})
		if err != nil {
			return err
		}
		if k.removes() {
			x.Remove(target)
		} else {
			x.Append(file)
		}
		_, err = x.Commit(ctx)
		return err
	}, nil
}

func (t *firnTable) find(ctx context.Context, location string) (tree.Located, error) {
	opened := t.open()
	head, err := opened.Head(ctx)
	if err != nil {
		return tree.Located{}, err
	}
	for located, err := range opened.Files(ctx, head, tree.Projection{}) {
		if err != nil || located.Location == location {
			return located, err
		}
	}
	return tree.Located{}, fmt.Errorf("%s: no live file", location)
}

// live implements [table].
func (t *firnTable) live(ctx context.Context) (int, error) {
	opened := t.open()
	head, err := opened.Head(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, err := range opened.Files(ctx, head, tree.Projection{}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func newFirnTable(catalog store.Catalog, name, location string) *firnTable {
	return &firnTable{store.TableID{Namespace: namespace, Name: name}, catalog, dir.New(), location}
}
