package fault

import (
	"context"
	"errors"
	"time"

	"github.com/firn-io/firn/store"
)

// call is a call on its way to the wrapped store.
type call struct {
	op   Op
	name string
	// do makes the call of the wrapped store, disturbed as far as data is cut or left out, and returns the length
	// of the data that was handed over or got.
	do func(ctx context.Context, f Fault) (sizeBytes int, err error)
	// detach makes do independent of memory that the program may use again once it has its answer; nil if it is.
	detach func()
}

// fails names the call in an error.
func (c call) fails(err error) error { return store.NameError(c.op.String(), c.name, err) }

// run makes a call and returns the error that the program is told.
func (i *Injector) run(ctx context.Context, c call) error {
	begun := Call{Op: c.op, Name: c.name}
	if i.Crashed() {
		return c.fails(ErrCrashed)
	}
	if i.Before != nil {
		if err := i.Before(ctx, begun); err != nil {
			return c.fails(err)
		}
	}
	place, f := i.begin(begun)
	if place < 0 {
		return c.fails(ErrCrashed)
	}
	err := i.answer(ctx, c, place, f)
	done := i.note(place, func(call *Call) { call.Told = resultOf(err) })
	i.transit().tick(c.op)
	if errors.Is(err, errPanic) {
		panic(err)
	}
	if i.After != nil && !i.Crashed() {
		i.After(ctx, done)
	}
	return err
}

// answer does to the call what the fault says and returns the error that the program is told.
func (i *Injector) answer(ctx context.Context, c call, place int, f Fault) error {
	if f.Outcome == Late {
		return i.late(ctx, c, place, f)
	}
	if f.Outcome == Slow {
		if err := i.wait(ctx, c, f); err != nil {
			return err
		}
	}
	b := f.Outcome.behavior()
	var stored error
	if b.lands {
		stored = i.effect(ctx, c, place, f)
	}
	if f.Outcome == LandSlow {
		if err := i.wait(ctx, c, f); err != nil {
			return err
		}
	}
	switch {
	case b.err == nil:
		return stored
	case b.outcome == LandConflict && c.op == Put:
		return c.fails(store.ErrExists)
	default:
		return c.fails(b.err)
	}
}

// late sends a call that lands later. One whose context is done is not sent at all.
func (i *Injector) late(ctx context.Context, c call, place int, f Fault) error {
	if ctx.Err() != nil {
		return i.effect(ctx, c, place, f)
	}
	if c.detach != nil {
		c.detach()
	}
	left := 0
	if f.Number > 0 {
		left = f.Number + 1 // the end of this call counts too
	}
	ctx = context.WithoutCancel(ctx)
	i.transit().send(sent{
		Pending: Pending{Op: c.op, Name: c.name}, left: left,
		land: func() { _ = i.effect(ctx, c, place, f) }, // the program has had its answer
	})
	return c.fails(store.ErrUnknown)
}

// effect calls the wrapped store and notes what it answers.
func (i *Injector) effect(ctx context.Context, c call, place int, f Fault) error {
	size, err := c.do(ctx, f)
	i.note(place, func(call *Call) { call.Stored, call.SizeBytes = resultOf(err), int64(size) })
	return err
}

// wait makes the delay of a slow call.
func (i *Injector) wait(ctx context.Context, c call, f Fault) error {
	if i.Wait == nil {
		return nil
	}
	delay := time.Duration(f.Number) * time.Millisecond
	err := i.Wait(ctx, Call{Op: c.op, Name: c.name, Outcome: f.Outcome}, delay)
	return c.fails(err)
}
