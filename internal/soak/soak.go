package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store"
)

// Config says what is run.
type Config struct {
	// Writers work at once until Commits snapshots and metadata changes have been made by all of them together.
	Writers, Commits int
	// KeepLast is how many snapshots an expiry keeps.
	KeepLast int
	Seed     uint64

	Objects store.Objects
	Catalog store.Catalog
	// Location is where the table goes.
	Location string
}

// tableID names the table of every run.
var tableID = store.TableID{Namespace: "soak", Name: "t"}

// run is a run under way.
type run struct {
	Config
	meter *meter
	left  atomic.Int64
	log   ledger
	// live, snapshots and orphans are what the end shows.
	live, snapshots, orphans int
}

// Run makes a table, lets the writers loose on it, and checks what came of it. The report is valid with an error too.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &run{Config: c, meter: newMeter(c.Objects)}
	r.left.Store(int64(c.Commits))
	if err := r.create(ctx); err != nil {
		return Report{}, err
	}
	errs := make([]error, c.Writers)
	var all sync.WaitGroup
	for n := range c.Writers {
		all.Go(func() { errs[n] = r.write(ctx, n) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return r.report(), err
	}
	err := r.verify(ctx)
	return r.report(), err
}

// write is one writer: it does one thing after the other until all is done.
func (r *run) write(ctx context.Context, n int) error {
	w := &writer{
		run: r, name: fmt.Sprintf("w%02d", n), random: rand.New(rand.NewPCG(r.Seed, uint64(n))),
		table: commit.Open(tableID, r.Catalog, r.meter, commit.Options{}),
	}
	for r.left.Load() > 0 {
		if err := w.step(ctx); err != nil {
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
	}
	return nil
}
