package attack_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// contents are the live files of a snapshot, with their deleted rows.
type contents map[string]string

// arena is a table at which several programs work at once. They stop before each call of the store, and a draw says who
// goes on.
type arena struct {
	*yard
	cell    *cell
	transit fault.Transit
	// nowMillis is the time of the store and, but for their skew, of all programs.
	nowMillis int64
	serial    int64
	files     int
	// states are what each snapshot that was ever published has, and intents what it is to do to its parent's.
	states  map[int64]contents
	intents map[int64]func(parent contents) (contents, error)
	// owners are the programs that wrote metadata files.
	owners map[string]*program
}

// cell is a catalog that tells of every swap that lands.
type cell struct {
	*mem.Catalog
	landed map[string]bool
	told   func(location string)
}

func (c *cell) Swap(ctx context.Context, id store.TableID, old, new string) error {
	err := c.Catalog.Swap(ctx, id, old, new)
	if err == nil {
		c.landed[new] = true
		c.told(new)
	}
	return err
}

// program is one run of something on the table.
type program struct {
	what  string
	calls *fault.Injector
	next  func() (fault.Call, bool)
	// metadata are the files that it wrote, or set out to write.
	metadata []string
	// end is what it was told at its end, result what it was told of its commit, and done that it ended.
	end    error
	result commit.Result
	done   bool
}

func newArena(t *rapid.T, properties map[string]string) *arena {
	a := &arena{
		yard: newYard(t, properties), nowMillis: 1_700_000_100_000,
		states: map[int64]contents{}, intents: map[int64]func(contents) (contents, error){}, owners: map[string]*program{},
	}
	a.Objects.Now = func() time.Time { return time.UnixMilli(a.nowMillis) }
	a.cell = &cell{Catalog: a.Catalog, landed: map[string]bool{}, told: a.published}
	return a
}

// env is the environment of a program whose clock is ahead.
func (a *arena) env(skewMillis int64, intent func(contents) (contents, error)) commit.Env {
	env := testtable.Env(0)
	env.NowMillis = func() int64 { a.nowMillis++; return a.nowMillis + skewMillis }
	env.NewSnapshotID = func() int64 {
		a.serial++
		a.intents[a.serial] = intent
		return a.serial
	}
	env.NewUUID = func() uuid.UUID { a.serial++; return uuid.NewSHA1(uuid.Nil, fmt.Append(nil, a.serial)) }
	return env
}

// published holds a new state against what its snapshots were to do.
func (a *arena) published(location string) {
	head, err := commit.Open(testtable.ID, a.Catalog, a.Objects, commit.Options{}).Head(context.Background())
	if err != nil {
		a.t.Errorf("the new state %s: %v", location, err)
		return
	}
	for _, s := range head.Metadata.Snapshots {
		if _, known := a.states[s.ID]; known {
			continue
		}
		want, err := a.intents[s.ID](a.states[s.ParentID.Val])
		got, readErr := a.contents(head, s)
		if err != nil || readErr != nil || !maps.Equal(want, got) {
			a.t.Errorf("snapshot %d: got %v, want %v (%v, %v)", s.ID, got, want, err, readErr)
		}
		a.states[s.ID] = want
	}
}

// contents reads what a snapshot has.
func (a *arena) contents(head *commit.Head, s metadata.Snapshot) (contents, error) {
	ctx := context.Background()
	table := commit.Open(testtable.ID, a.Catalog, a.Objects, commit.Options{})
	at := *head
	var err error
	if at.Tree, err = table.Tree(ctx, head, s); err != nil {
		return nil, err
	}
	got := contents{}
	for l, err := range table.Files(ctx, &at, tree.Full) {
		if err != nil {
			return nil, err
		}
		if _, twice := got[l.Location]; twice {
			return nil, fmt.Errorf("%s is live twice", l.Location)
		}
		got[l.Location] = ""
		if place := l.Entry.DeletionVector; place.Valid {
			rows, err := dv.Read(ctx, a.Objects, place.Val, tree.Resolve(at.Location, place.Val.Location), l.Entry.RecordCount, dv.Limits{})
			if err != nil {
				return nil, err
			}
			got[l.Location] = rows.String()
		}
	}
	return got, nil
}

// start makes a program that does something with the table, as a coroutine.
func (a *arena) start(what string, skewMillis int64, faults []fault.Fault, intent func(contents) (contents, error),
	work func(ctx context.Context, table *commit.Table) (commit.Result, error),
) *program {
	p := &program{what: what, calls: &fault.Injector{Transit: &a.transit}}
	if err := p.calls.Arm(faults...); err != nil {
		a.t.Fatal(err)
	}
	var park func(fault.Call) bool
	p.calls.Before = func(_ context.Context, call fault.Call) error {
		park(call)
		a.nowMillis++
		if call.Op == fault.Put && metadata.IsFileName(call.Name) {
			p.metadata = append(p.metadata, call.Name)
		}
		return nil
	}
	table := commit.Open(testtable.ID, p.calls.Catalog(a.cell), p.calls.Objects(a.Objects),
		commit.Options{Env: a.env(skewMillis, intent)})
	p.next, _ = iter.Pull(func(yield func(fault.Call) bool) {
		park = yield
		defer func() {
			if panicked := recover(); panicked != nil {
				p.end = fmt.Errorf("%w: %v", fault.ErrCrashed, panicked)
			}
		}()
		p.result, p.end = work(context.Background(), table)
	})
	return p
}

// step lets a program make some calls.
func (p *program) step(calls int) {
	for ; calls > 0 && !p.done; calls-- {
		if _, more := p.next(); !more {
			p.done = true
		}
	}
}

// landed reports whether a swap of the program was made.
func (a *arena) landed(p *program) bool {
	return slices.ContainsFunc(p.metadata, func(name string) bool { return a.cell.landed[name] })
}

// judge holds what a program was told against what happened.
func (a *arena) judge(p *program) {
	var unknown *commit.UnknownError
	landed := a.landed(p)
	switch {
	case errors.As(p.end, &unknown):
		outcome, err := a.Open(0, nil).Outcome(context.Background(), unknown.Token)
		if err != nil || outcome == commit.Committed && !landed || outcome == commit.NotCommitted && landed {
			a.t.Errorf("%s: outcome %s, %v, landed %t", p.what, outcome, err, landed)
		}
	case errors.Is(p.end, fault.ErrCrashed), errors.Is(p.end, errAfterwards):
	case p.end != nil && landed:
		a.t.Errorf("%s: landed, and was told %v", p.what, p.end)
	case p.end == nil && (landed == p.result.NoOp || landed && !a.cell.landed[p.result.MetadataLocation]):
		a.t.Errorf("%s: was told %+v, landed %t", p.what, p.result, landed)
	}
}

// errAfterwards is an error of a program that had made its change of the metadata.
var errAfterwards = errors.New("afterwards")

// TestCleanUpRandom lets writers, expiries and searches for orphans interleave at the calls of the store, with faults,
// crashes and swaps that land late. Whatever was told is true, each snapshot has what it was to have, all that the
// table shows is there, and in the end nothing else is.
func TestCleanUpRandom(t *testing.T) {
	names := slices.Sorted(maps.Keys(programs))
	rapid.Check(t, func(r *rapid.T) {
		properties := map[string]string{}
		if rapid.Bool().Draw(r, "trim") {
			properties[metadata.PropertyPreviousVersionsMax] = rapid.SampledFrom([]string{"1", "3"}).Draw(r, "log")
			properties[metadata.PropertyDeleteAfterCommit] = "true"
		}
		a := newArena(r, properties)
		seed, added := a.newFiles(2)
		first := a.start("first", 0, nil, intentWith(added...), func(ctx context.Context, table *commit.Table) (commit.Result, error) {
			x, err := table.Begin(ctx, commit.TxnOptions{})
			if err != nil {
				return commit.Result{}, err
			}
			x.Append(seed...)
			return x.Commit(ctx)
		})
		first.step(1000)
		for range rapid.IntRange(1, 3).Draw(r, "rounds") {
			a.round(r, names)
		}
		a.finish()
	})
}

// round runs some programs against each other.
func (a *arena) round(r *rapid.T, names []string) {
	var all, running []*program
	for range rapid.IntRange(2, 7).Draw(r, "programs") {
		head, err := a.Open(0, nil).HeadOf(context.Background(), a.branch(r))
		if err != nil {
			r.Fatal(err)
		}
		live := slices.Sorted(maps.Keys(a.states[head.Tree.Origin.SnapshotID]))
		what := rapid.SampledFrom(names).Draw(r, "what")
		if len(live) == 0 && (what == "remove" || what == "rows" || what == "rewrite") {
			what = "append"
		}
		p := programs[what](a, r, head, live)
		all, running = append(all, p), append(running, p)
		for range rapid.IntRange(0, 6).Draw(r, "bursts") {
			rapid.SampledFrom(running).Draw(r, "who").step(rapid.IntRange(1, 12).Draw(r, "calls"))
		}
		running = slices.DeleteFunc(running, func(p *program) bool { return p.done })
	}
	for len(running) > 0 {
		rapid.SampledFrom(running).Draw(r, "who").step(rapid.IntRange(1, 30).Draw(r, "calls"))
		running = slices.DeleteFunc(running, func(p *program) bool { return p.done })
	}
	a.transit.Release()
	for _, p := range all {
		a.judge(p)
	}
	a.check()
	a.nowMillis += 7_200_000
}

// finish lets everything go that may go, and looks for what is left.
func (a *arena) finish() {
	last := a.start("last", 0, nil, nil, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
		r, err := maintain.Expire(ctx, table, maintain.ExpireOptions{Policy: newest(2), Resume: true})
		if err == nil {
			_, err = maintain.Orphans(ctx, table, everything)
		}
		return r.Commit, err
	})
	last.step(10_000)
	if last.end != nil {
		a.t.Error(last.end)
	}
	a.clean()
}
