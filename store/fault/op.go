package fault

import "slices"

// Op is a kind of store call. The zero Op stands for calls of any kind.
type Op string

// The calls of [store.Objects] and, last, of [store.Catalog].
const (
	Put      Op = "put"
	Get      Op = "get"
	GetRange Op = "range"
	Stat     Op = "stat"
	List     Op = "list"
	Delete   Op = "delete"
	Load     Op = "load"
	Swap     Op = "swap"
)

// anyOp is the text form of the zero Op.
const anyOp = "any"

// Ops returns all kinds of calls.
func Ops() []Op { return []Op{Put, Get, GetRange, Stat, List, Delete, Load, Swap} }

// String returns the name of the kind; it is "any" for the zero Op.
func (o Op) String() string {
	if o == "" {
		return anyOp
	}
	return string(o)
}

// Outcome is what becomes of a call. The zero Outcome stands for a call that goes through undisturbed.
type Outcome string

// The outcomes. What lands has its effect in the wrapped store, whose own answer is thrown away.
const (
	// Fail has no effect and is reported as [ErrInjected].
	Fail Outcome = "fail"
	// Unknown has no effect and is reported as [store.ErrUnknown].
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
)

// Outcomes returns the outcomes that a kind of call can have, the undisturbed one apart. For the zero Op these
// are the ones that every kind can have.
func Outcomes(op Op) []Outcome {
	switch op {
	case Swap:
		return []Outcome{Fail, Unknown, Refuse, Conflict, LandFail, LandUnknown, LandConflict, Crash}
	case Put:
		return []Outcome{Fail, Unknown, LandFail, LandUnknown, LandConflict, Crash}
	case Delete:
		return []Outcome{Fail, Unknown, LandFail, LandUnknown, Crash}
	default:
		return []Outcome{Fail, Crash}
	}
}

// lands reports whether the call has its effect.
func (o Outcome) lands() bool {
	return slices.Contains([]Outcome{LandFail, LandUnknown, LandConflict}, o)
}
