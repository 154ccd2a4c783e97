package fault

import (
	"errors"
	"slices"
	"sync"

	"github.com/firn-io/firn/store"
)

// Errors of calls that were disturbed, wrapped with the call's name.
var (
	// ErrInjected is a failure of no known kind: by the rules of package store the call may have had its effect.
	ErrInjected = errors.New("injected failure")
	// ErrCrashed says that the program is over: the call had no effect.
	ErrCrashed = errors.New("crashed")
)

// Call is one call of a store.
type Call struct {
	Op Op
	// Name is the object's name, the prefix of a listing, or namespace.name of a table.
	Name string
	// Outcome is empty for a call that went through undisturbed, with whatever answer.
	Outcome Outcome
}

// Injector disturbs the calls of the stores that it wraps, and keeps a list of them. The zero value has no
// faults and is ready for use; all that it wraps crashes together. It is safe for concurrent use. Do not copy it.
type Injector struct {
	mu      sync.Mutex
	faults  []armed
	calls   []Call
	crashed bool
}

// armed is a fault with the number of calls that matched it so far.
type armed struct {
	Fault
	seen int
}

// Arm adds faults. When several pick the same call the one armed first decides. It adds nothing if one of them
// is invalid.
func (i *Injector) Arm(faults ...Fault) error {
	errs := make([]error, len(faults))
	for n, f := range faults {
		errs[n] = f.Validate()
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, f := range faults {
		i.faults = append(i.faults, armed{Fault: f})
	}
	return nil
}

// Crash ends the program: every later call returns [ErrCrashed] and has no effect.
func (i *Injector) Crash() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.crashed = true
}

// Crashed reports whether the program has ended.
func (i *Injector) Crashed() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.crashed
}

// Calls returns the calls so far, in the order in which they began. The one that crashed is the last.
func (i *Injector) Calls() []Call {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.calls)
}

// begin notes a call and returns what is to become of it.
func (i *Injector) begin(op Op, name string) Outcome {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.crashed {
		return Crash
	}
	var outcome Outcome
	for n := range i.faults {
		f := &i.faults[n]
		if !f.matches(op, name) {
			continue
		}
		f.seen++
		if outcome == "" && (f.Nth == 0 || f.Nth == f.seen) {
			outcome = f.Outcome
		}
	}
	i.calls = append(i.calls, Call{Op: op, Name: name, Outcome: outcome})
	i.crashed = outcome == Crash
	return outcome
}

// run makes a call: effect is the call of the wrapped store.
func (i *Injector) run(op Op, name string, effect func() error) error {
	outcome := i.begin(op, name)
	if outcome == "" {
		return effect()
	}
	if outcome.lands() {
		_ = effect() // the answer gets lost
	}
	return store.NameError(op.String(), name, reported(op, outcome))
}

// reported returns the error that the program sees.
func reported(op Op, outcome Outcome) error {
	switch outcome {
	case Unknown, LandUnknown:
		return store.ErrUnknown
	case Refuse:
		return store.ErrRefused
	case Crash:
		return ErrCrashed
	case Conflict, LandConflict:
		if op == Put {
			return store.ErrExists
		}
		return store.ErrConflict
	default:
		return ErrInjected
	}
}
