package sim

import (
	"context"
	"errors"
	"iter"
	"path"
	"time"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store/fault"
)

// writer is one program that works on the table, with its own memory of it and its own clock. All its calls of the stores
// go through its injector.
type writer struct {
	number int
	world  *World
	calls  fault.Injector
	table  *commit.Table
	// skewMillis is how far the writer's clock is ahead.
	skewMillis int64
	// run is the program under way, nil between programs.
	run *run
	// park stops the program before a call until the scheduler lets it go on.
	park func(fault.Call) bool
	// creeps says that it stops before any call, not only before those of the catalog.
	creeps bool
	// open are the transactions that ended without an outcome.
	open []question
}

// question is a transaction the outcome of which is not known, with the run that made it.
type question struct {
	token commit.Token
	run   *run
	// asked is how often the answer was that nothing is proved.
	asked int
}

// run is a program on its way: a coroutine that stops before calls of the stores.
type run struct {
	// number counts the runs of a world from 1.
	number int
	// startMillis is when it started, by the clock of the world.
	startMillis int64
	program     Program
	// next and stop are those of the coroutine, nil when the program has ended.
	next func() (fault.Call, bool)
	stop func()
	// at is the call before which it stands.
	at fault.Call
	// disturbed says that a fault was put into one of its calls, or that it crashed: it may leave objects behind.
	disturbed bool
	// snapshots are the ids that it drew, and intent what the next one is to do.
	snapshots []int64
	intent    intent
	// result and err are the answer to a transaction or an update.
	result commit.Result
	err    error
	// impossible is why a change of the metadata could not be made when it was asked last.
	impossible error
}

func (w *World) newWriter(number int) *writer {
	x := &writer{number: number, world: w}
	x.calls.Transit = &w.transit
	x.calls.Before = func(_ context.Context, call fault.Call) error {
		x.before(call)
		return nil
	}
	x.calls.Wait = func(ctx context.Context, _ fault.Call, delay time.Duration) error {
		w.nowMillis += delay.Milliseconds()
		return ctx.Err()
	}
	x.forget()
	return x
}

// forget opens the table anew, as a program does that was started again.
func (x *writer) forget() {
	w := x.world
	env := w.env()
	env.NowMillis = func() int64 { return w.nowMillis + x.skewMillis }
	env.NewSnapshotID = func() int64 {
		w.snapshotIDs++
		w.intents[w.snapshotIDs] = x.run.intent
		x.run.snapshots = append(x.run.snapshots, w.snapshotIDs)
		return w.snapshotIDs
	}
	x.table = commit.Open(tableID, x.calls.Catalog(&w.catalog), x.calls.Objects(&w.objects),
		commit.Options{Env: env, Codec: w.codec})
}

// before notes a call that is about to be made, and stops the program where the scheduler is to have a say.
func (x *writer) before(call fault.Call) {
	if call.Op == fault.Put {
		x.world.owners[call.Name] = x.run
		if metadata.IsFileName(path.Base(call.Name)) {
			x.world.stats.Attempts++
		}
	}
	if x.creeps || call.Op == fault.Load || call.Op == fault.Swap {
		x.park(call)
	}
}

// start begins a program and runs it up to its first call of the catalog.
func (x *writer) start(ctx context.Context, p Program) error {
	w := x.world
	w.runs++
	r := &run{number: w.runs, startMillis: w.nowMillis, program: p}
	r.next, r.stop = iter.Pull(func(yield func(fault.Call) bool) {
		defer rethrow()
		x.park = yield
		r.result, r.err = x.execute(ctx, p)
	})
	x.calls.Restart()
	x.run, x.creeps = r, false
	return x.advance()
}

// step lets the program go on, with a call of it disturbed if there is a fault.
func (x *writer) step(f fault.Fault, creep bool) error {
	if f != (fault.Fault{}) {
		if err := x.calls.Arm(f); err != nil {
			return err
		}
		x.run.disturbed = true
	}
	x.creeps = creep
	return x.advance()
}

// advance lets the program go on until it stops or ends.
func (x *writer) advance() error {
	call, more := x.run.next()
	if more {
		x.run.at = call
		return nil
	}
	r := x.run
	x.run = nil
	if x.calls.Crashed() {
		r.disturbed = true
		x.forget()
	}
	return x.ended(r)
}

// crash ends the program: its calls have no effect any more. Without memory it opens the table anew.
func (x *writer) crash(remembers bool) error {
	x.calls.Crash()
	r := x.run
	for more := true; more; {
		_, more = r.next()
	}
	r.disturbed = true
	x.run = nil
	if !remembers {
		x.forget()
	}
	return x.ended(r)
}

// ended holds what a program was told against what the catalog saw.
func (x *writer) ended(r *run) error {
	w := x.world
	r.next, r.stop = nil, nil
	if id := r.result.SnapshotID; id != 0 && r.result.Attempts == 1 { // a later plan says of leaves that they are written
		w.saidRoot[id] = saysRoot(r.result.Plan)
	}
	if r.result.SnapshotID != 0 {
		w.largest.Thinned += int64(len(r.result.Plan.Thinning.Pointers))
	}
	r.result.Plan = policy.Plan{} // which is large
	w.tally(r)
	if r.disturbed {
		w.tallyFaults(x.calls.Calls())
	}
	var unknown *commit.UnknownError
	switch {
	case errors.Is(r.err, fault.ErrCrashed):
		return nil // nobody was told anything
	case errors.As(r.err, &unknown):
		x.open = append(x.open, question{unknown.Token, r, 0})
		r.disturbed = true
		return nil
	case errors.Is(r.err, commit.ErrSelfCheck):
		w.violate(Violation{Check: "self-check", Message: r.err.Error()})
		return nil
	case r.err != nil:
		w.refute(r)
		w.checkFailure(r)
		return nil
	case r.impossible != nil:
		w.violate(Violation{Check: checkTold, Message: "its writer was told that it was done, and it could not be: " + r.impossible.Error()})
	}
	if r.program.verb() == Expire || r.program.verb() == CleanUp {
		if err := w.checkReached(context.Background()); err != nil {
			return err
		}
	}
	w.confirm(r)
	return nil
}
