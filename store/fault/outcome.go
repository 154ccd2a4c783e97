package fault

import (
	"errors"
	"slices"

	"github.com/firn-io/firn/store"
)

// Outcome is what becomes of a call. The zero Outcome stands for a call that goes through undisturbed. Besides
// the constants there are those of [HTTP] and [LandHTTP].
type Outcome string

// Outcomes of stores that keep their promises. What lands has its effect in the wrapped store, whose own answer
// is thrown away.
const (
	// Fail has no effect and is reported as [ErrInjected].
	Fail Outcome = "fail"
	// Unknown has no effect, now or later, and is reported as [store.ErrUnknown]: the call was dropped.
	Unknown Outcome = "unknown"
	// Refuse has no effect and is reported as [store.ErrRefused].
	Refuse Outcome = "refuse"
	// Conflict has no effect and is reported as [store.ErrConflict].
	Conflict Outcome = "conflict"
	// LandFail has its effect and is reported as [ErrInjected].
	LandFail Outcome = "land-fail"
	// LandUnknown has its effect and is reported as [store.ErrUnknown].
	LandUnknown Outcome = "land-unknown"
	// LandConflict has its effect and is reported as if an earlier copy of the same call had won over this one
	// (B06): [store.ErrConflict] of a swap, [store.ErrExists] of a put.
	LandConflict Outcome = "land-conflict"
	// Crash has no effect. This call and every later one of the same [Injector] return [ErrCrashed].
	Crash Outcome = "crash"
	// LandCrash has its effect; this call and every later one of the same [Injector] return [ErrCrashed].
	LandCrash Outcome = "land-crash"
	// Late is reported as [store.ErrUnknown] and lands later, see [Transit]: at the end of as many further calls
	// as the number says, or by hand. It lands as it was sent: a swap with its old location, which the cell may
	// not hold any more.
	Late Outcome = "late"
	// Slow waits for as long as the number says, see [Injector.Wait], and then goes through.
	Slow Outcome = "slow"
	// LandSlow goes through and then waits: the answer is slow. If the wait fails, its error is the answer.
	LandSlow Outcome = "land-slow"
	// Panic has no effect and panics.
	Panic Outcome = "panic"
	// LandPanic has its effect and panics, as a client does that cannot read the answer (B40).
	LandPanic Outcome = "land-panic"
)

// Outcomes of stores that break their promises.
const (
	// Missing has no effect and is reported as [store.ErrNotFound], whatever is there.
	Missing Outcome = "missing"
	// Truncate cuts an object, as it is written or as it is read, after as many bytes as the number says, and
	// reports success. A range that is cut ends with [io.EOF].
	Truncate Outcome = "truncate"
	// Half is Truncate after the first half of the bytes, rounded down.
	Half Outcome = "half"
	// TruncateFail cuts an object as it is written and reports [ErrInjected].
	TruncateFail Outcome = "truncate-fail"
	// HalfFail is TruncateFail after the first half of the bytes, rounded down.
	HalfFail Outcome = "half-fail"
	// Break ends a listing with [ErrInjected] after as many objects as the number says, at its end at the latest.
	Break Outcome = "break"
	// Stale leaves the newest object out of a listing; of several of one time the last by name.
	Stale Outcome = "stale"
)

// errPanic is the answer that becomes a panic.
var errPanic = errors.New("injected panic")

// behavior says what an outcome does.
type behavior struct {
	outcome Outcome
	// ops are the kinds of calls that can have the outcome; nil stands for all, the zero Op too.
	ops []Op
	// lands says that the wrapped store is called before the answer is given.
	lands bool
	// numbered says that a number goes with the outcome.
	numbered bool
	// err is what the program is told; nil stands for the answer of the wrapped store.
	err error
}

// writes are the kinds of calls that have an effect.
var writes = []Op{Put, Delete, Swap}

// single are the outcomes of [Outcomes].
var single = []behavior{
	{outcome: Fail, err: ErrInjected},
	{outcome: Unknown, ops: writes, err: store.ErrUnknown},
	{outcome: Refuse, ops: []Op{Swap}, err: store.ErrRefused},
	{outcome: Conflict, ops: []Op{Swap}, err: store.ErrConflict},
	{outcome: LandFail, ops: writes, lands: true, err: ErrInjected},
	{outcome: LandUnknown, ops: writes, lands: true, err: store.ErrUnknown},
	{outcome: LandConflict, ops: []Op{Put, Swap}, lands: true, err: store.ErrConflict},
	{outcome: Crash, err: ErrCrashed},
	{outcome: LandCrash, ops: writes, lands: true, err: ErrCrashed},
}

// behaviors are all outcomes.
var behaviors = slices.Concat(single, []behavior{
	{outcome: Late, ops: writes, numbered: true, err: store.ErrUnknown},
	{outcome: Slow, lands: true, numbered: true},
	{outcome: LandSlow, ops: writes, lands: true, numbered: true},
	{outcome: Panic, err: errPanic},
	{outcome: LandPanic, ops: writes, lands: true, err: errPanic},
	{outcome: Missing, ops: []Op{Get, GetRange, Stat, Load, Swap}, err: store.ErrNotFound},
	{outcome: Truncate, ops: []Op{Put, Get, GetRange}, lands: true, numbered: true},
	{outcome: Half, ops: []Op{Put, Get, GetRange}, lands: true},
	{outcome: TruncateFail, ops: []Op{Put}, lands: true, numbered: true, err: ErrInjected},
	{outcome: HalfFail, ops: []Op{Put}, lands: true, err: ErrInjected},
	{outcome: Break, ops: []Op{List}, lands: true, numbered: true},
	{outcome: Stale, ops: []Op{List}, lands: true},
}, httpBehaviors())

// Outcomes returns the outcomes that a single call of a store that keeps its promises can have, all done when
// the call returns, the undisturbed one apart: a correct program survives each of them. For the zero Op these are
// the ones that every kind can have.
func Outcomes(op Op) []Outcome { return outcomesOf(single, op) }

// Possible returns all outcomes that a fault can give to a kind of call: those of [Outcomes], calls that are slow
// or land late, the answers of a catalog behind HTTP, and the outcomes of stores that break their promises.
func Possible(op Op) []Outcome { return outcomesOf(behaviors, op) }

// outcomesOf returns the outcomes among those given that a kind of call can have.
func outcomesOf(among []behavior, op Op) []Outcome {
	var found []Outcome
	for _, b := range among {
		if b.ops == nil || slices.Contains(b.ops, op) {
			found = append(found, b.outcome)
		}
	}
	return found
}

// behavior returns what the outcome does; one that is not known does what the zero Outcome does.
func (o Outcome) behavior() behavior {
	for _, b := range behaviors {
		if b.outcome == o {
			return b
		}
	}
	return behavior{lands: true}
}

// Numbered reports whether a number goes with the outcome, see [Fault.Number].
func (o Outcome) Numbered() bool { return o.behavior().numbered }
