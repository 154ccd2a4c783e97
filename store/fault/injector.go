package fault

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Errors of calls that were disturbed, wrapped with the call's name.
var (
	// ErrInjected is a failure of no known kind: by the rules of package store the call may have had its effect.
	ErrInjected = errors.New("injected failure")
	// ErrCrashed says that the program is over. The call had no effect, unless it is the one that [LandCrash] ended.
	ErrCrashed = errors.New("crashed")
)

// Injector disturbs the calls of the stores that it wraps, and keeps a journal of them. The zero value has no
// faults and is ready for use; all that it wraps crashes together. It is safe for concurrent use. Set its fields
// before the first call. Do not copy it.
//
// The hooks run in the goroutine of the call, outside every lock: they may wait for as long as they like, cancel
// contexts, panic, and use the injector. Once the program has crashed none of them is called any more.
type Injector struct {
	// Before is called before each call, with its Op and Name; for a listing when the iteration begins. An error
	// ends the call before it has an effect, is matched by a fault or stands in the journal, and is what the
	// program is told. A fault that Before arms with call number 1 disturbs the call that it was called for.
	Before func(ctx context.Context, call Call) error
	// After is called when a call is done, as it then stands in the journal, before the program gets the answer;
	// for a listing when the iteration ends.
	After func(ctx context.Context, call Call)
	// Wait makes the delay of a call that is [Slow] or [LandSlow]. Its error ends the call and is what the program
	// is told. By default there is no delay.
	Wait func(ctx context.Context, call Call, delay time.Duration) error
	// Transit holds the calls that land late. By default the injector has its own, which counts its own calls.
	Transit *Transit

	mu      sync.Mutex
	faults  []armed
	calls   []Call
	before  int // calls that Restart has struck from the journal
	crashed bool
	own     Transit
}

// armed is a fault with the number of calls that matched it so far.
type armed struct {
	Fault
	seen int
}

// picks notes a call that matches and reports whether the fault disturbs it.
func (a *armed) picks(call Call) bool {
	if !a.matches(call.Op, call.Name) {
		return false
	}
	a.seen++
	return a.Nth == 0 || a.Nth == a.seen
}

// spent reports whether the fault picks no call any more.
func (a armed) spent() bool { return a.Nth != 0 && a.seen >= a.Nth }

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

// Restart begins a new program, as the zero Injector is one: it forgets the crash, the journal, and the faults that
// are armed. What is wrapped stays so, and late calls still land. It must not be called while a call is under way.
func (i *Injector) Restart() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.crashed, i.faults = false, nil
	i.before += len(i.calls)
	i.calls = i.calls[:0]
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

// Pending returns the late calls that have not landed yet, see [Transit.Pending].
func (i *Injector) Pending() []Pending { return i.transit().Pending() }

// Land lets a late call land now, see [Transit.Land].
func (i *Injector) Land(id int) error { return i.transit().Land(id) }

// Release lets all late calls land now, see [Transit.Release].
func (i *Injector) Release() { i.transit().Release() }

// transit returns what holds the late calls.
func (i *Injector) transit() *Transit {
	if i.Transit != nil {
		return i.Transit
	}
	return &i.own
}

// begin puts a call into the journal and returns its place there and the fault that disturbs it, the zero Fault if
// none does. The place is negative, and the call is not noted, if the program has crashed.
func (i *Injector) begin(call Call) (place int, f Fault) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.crashed {
		return -1, Fault{}
	}
	for n := range i.faults {
		if a := &i.faults[n]; a.picks(call) && f.Outcome == "" {
			f = a.Fault
		}
	}
	i.faults = slices.DeleteFunc(i.faults, armed.spent)
	call.Outcome = f.Outcome
	i.calls = append(i.calls, call)
	i.crashed = f.Outcome == Crash || f.Outcome == LandCrash
	return i.before + len(i.calls) - 1, f
}

// note changes a call of the journal and returns it. One of before a restart is no longer there.
func (i *Injector) note(place int, change func(call *Call)) Call {
	i.mu.Lock()
	defer i.mu.Unlock()
	if place -= i.before; place < 0 {
		return Call{}
	}
	change(&i.calls[place])
	return i.calls[place]
}
