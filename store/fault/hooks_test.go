package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
)

// errHook is the error of a hook.
var errHook = errors.New("hook")

// TestHooksSurroundCalls: each kind of call is told of before and after it is made.
func TestHooksSurroundCalls(t *testing.T) {
	for _, op := range fault.Ops() {
		var log []string
		var s stores
		injector := new(fault.Injector)
		injector.Before = func(_ context.Context, call fault.Call) error {
			log = append(log, fmt.Sprintf("before %s, %d calls, %s", call.Op, len(injector.Calls()), s.state(t)))
			return nil
		}
		injector.After = func(_ context.Context, call fault.Call) {
			log = append(log, fmt.Sprintf("after %s: %s, %s", call.Op, call.Told, s.state(t)))
		}
		s = newStores(t, injector)
		if _, err := s.call(t.Context(), op); err != nil {
			t.Error(err)
		}
		want := []string{
			fmt.Sprintf("before %s, 0 calls, %s", op, untouched),
			fmt.Sprintf("after %s: ok, %s", op, s.state(t)),
		}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", op, diff)
		}
	}
}

// TestBeforeEndsCalls: an error of the hook is the answer, and the call is not made and not counted.
func TestBeforeEndsCalls(t *testing.T) {
	for _, op := range fault.Ops() {
		injector := armed(t, "any #1 fail")
		refuse := true
		injector.Before = func(context.Context, fault.Call) error {
			if refuse {
				return errHook
			}
			return nil
		}
		s := newStores(t, injector)
		_, err := s.call(t.Context(), op)
		if !errors.Is(err, errHook) || s.state(t) != untouched || len(injector.Calls()) > 0 {
			t.Errorf("%s: %v, state %q, calls %v", op, err, s.state(t), injector.Calls())
		}
		refuse = false
		if _, err := s.call(t.Context(), op); !errors.Is(err, fault.ErrInjected) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestBeforeDecides: what is armed while a call waits in the hook disturbs that call, and a crash there ends it.
func TestBeforeDecides(t *testing.T) {
	for _, op := range fault.Ops() {
		injector := new(fault.Injector)
		s := newStores(t, injector)
		injector.Before = func(context.Context, fault.Call) error {
			return injector.Arm(fault.Fault{Nth: 1, Outcome: fault.Fail})
		}
		if _, err := s.call(t.Context(), op); !errors.Is(err, fault.ErrInjected) || s.state(t) != untouched {
			t.Errorf("%s fails: %v, state %q", op, err, s.state(t))
		}
		injector.Before = func(context.Context, fault.Call) error { injector.Crash(); return nil }
		if _, err := s.call(t.Context(), op); !errors.Is(err, fault.ErrCrashed) || len(injector.Calls()) != 1 {
			t.Errorf("%s crashes: %v, journal %v", op, err, injector.Calls())
		}
	}
}

// TestNoHooksAfterCrash: the call that crashes and those after it do not wait anywhere.
func TestNoHooksAfterCrash(t *testing.T) {
	for _, c := range []struct {
		fault, state string
	}{{"swap crash", untouched}, {"swap land-crash", "a=second b=first two"}} {
		before, after := 0, 0
		injector := armed(t, c.fault)
		injector.Before = func(context.Context, fault.Call) error { before++; return nil }
		injector.After = func(context.Context, fault.Call) { after++ }
		s := newStores(t, injector)
		for _, op := range append([]fault.Op{fault.Swap}, fault.Ops()...) {
			if _, err := s.call(t.Context(), op); !errors.Is(err, fault.ErrCrashed) {
				t.Errorf("%s, then %s: %v", c.fault, op, err)
			}
		}
		if before != 1 || after != 0 || s.state(t) != c.state || len(injector.Calls()) != 1 {
			t.Errorf("%s: %d calls before, %d after, state %q", c.fault, before, after, s.state(t))
		}
	}
}

// TestAfterMayPanic: a panic of the hook leaves the injector fit for use.
func TestAfterMayPanic(t *testing.T) {
	injector := new(fault.Injector)
	injector.After = func(_ context.Context, call fault.Call) {
		if call.Op == fault.Swap {
			panic(errHook)
		}
	}
	s := newStores(t, injector)
	if told := s.try(t.Context(), fault.Swap); told != "panic: hook" {
		t.Errorf("told %q", told)
	}
	if location, err := s.catalog.Load(t.Context(), table); location != "two" || err != nil {
		t.Errorf("Load: %s, %v", location, err)
	}
}

// TestWait: the delay comes before the effect or after it, and its error is the answer.
func TestWait(t *testing.T) {
	for _, c := range []struct {
		fault         string
		fails         error
		during, after string
	}{
		{"swap slow 1500", nil, untouched, "a=second b=first two"},
		{"swap slow 1500", context.DeadlineExceeded, untouched, untouched},
		{"swap land-slow 1500", nil, "a=second b=first two", "a=second b=first two"},
		{"swap land-slow 1500", context.DeadlineExceeded, "a=second b=first two", "a=second b=first two"},
	} {
		var s stores
		injector := armed(t, c.fault)
		waits := 0
		injector.Wait = func(_ context.Context, call fault.Call, delay time.Duration) error {
			waits++
			asked := fault.Call{Op: fault.Swap, Name: "demo.events", Outcome: call.Outcome}
			if call != asked || delay != 1500*time.Millisecond || s.state(t) != c.during {
				t.Errorf("%s: waits %v for %v, state %q", c.fault, delay, call, s.state(t))
			}
			return c.fails
		}
		s = newStores(t, injector)
		_, err := s.call(t.Context(), fault.Swap)
		if !errors.Is(err, c.fails) || errors.Is(err, store.ErrRefused) || waits != 1 || s.state(t) != c.after {
			t.Errorf("%s: %v after %d waits, state %q", c.fault, err, waits, s.state(t))
		}
	}
}

// TestRestart: after a restart the injector is as a new one, and a call of before that lands late does no harm.
func TestRestart(t *testing.T) {
	injector := new(fault.Injector)
	s := newStores(t, injector)
	for _, text := range []string{"swap #1 late", "get fail", "load crash"} {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := injector.Arm(f); err != nil {
			t.Fatal(err)
		}
	}
	s.try(t.Context(), fault.Swap)
	s.try(t.Context(), fault.Load)
	if !injector.Crashed() {
		t.Fatal("the program did not crash")
	}
	injector.Restart()
	if injector.Crashed() || len(injector.Calls()) != 0 {
		t.Errorf("after the restart: crashed %t, journal %v", injector.Crashed(), injector.Calls())
	}
	if _, err := s.call(t.Context(), fault.Get); err != nil {
		t.Errorf("a fault of before is still armed: %v", err)
	}
	injector.Release()
	if location, err := s.catalog.Load(t.Context(), table); location != "two" || err != nil {
		t.Errorf("the late swap did not land: %s, %v", location, err)
	}
	calls := injector.Calls()
	if len(calls) != 2 || calls[0].Stored != "" && calls[0].Op != fault.Get {
		t.Errorf("journal: %v", calls)
	}
}
