package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// TestLateLandsAfterFurtherCalls counts the calls until the effect is seen; calls of the other interface do not count.
func TestLateLandsAfterFurtherCalls(t *testing.T) {
	for _, c := range []struct {
		fault        string
		op           fault.Op
		further      []fault.Op
		before, then string
	}{
		{"swap late 1", fault.Swap, []fault.Op{fault.Load}, untouched, "a=second b=first two"},
		{"swap late 3", fault.Swap, []fault.Op{fault.Load, fault.Get, fault.Load, fault.List, fault.Load},
			untouched, "a=second b=first two"},
		{"put late 2", fault.Put, []fault.Op{fault.Stat, fault.Swap, fault.List}, "a=second b=first two",
			"a=second b=first new=third two"},
		{"delete late 1", fault.Delete, []fault.Op{fault.Load, fault.GetRange}, untouched, "b=first one"},
	} {
		injector := armed(t, c.fault)
		s := newStores(t, injector)
		if _, err := s.call(t.Context(), c.op); !errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", c.fault, err)
		}
		var state string
		for _, op := range c.further {
			state = s.state(t)
			if pending := injector.Pending(); len(pending) != 1 || pending[0].Op != c.op || pending[0].ID != 1 {
				t.Errorf("%s: pending %v before %s", c.fault, pending, op)
			}
			if _, err := s.call(t.Context(), op); err != nil {
				t.Errorf("%s: %v", c.fault, err)
			}
		}
		if state != c.before || s.state(t) != c.then || len(injector.Pending()) > 0 {
			t.Errorf("%s: before the last call %q, after it %q, pending %v", c.fault, state, s.state(t), injector.Pending())
		}
		first := injector.Calls()[0]
		if first.Stored != fault.OK || first.Told != fault.Uncertain {
			t.Errorf("%s: journal %v", c.fault, first)
		}
	}
}

// TestLateSwapLoses: a late swap lands with the old location that it was sent with.
func TestLateSwapLoses(t *testing.T) {
	ctx := t.Context()
	injector := armed(t, "swap #1 late 2")
	s := newStores(t, injector)
	_ = s.catalog.Swap(ctx, table, "one", "two")
	if err := s.catalog.Swap(ctx, table, "one", "other"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if location, err := s.catalog.Load(ctx, table); location != "other" || err != nil {
			t.Errorf("Load: %s, %v", location, err)
		}
	}
	want := "swap demo.events late: conflict, reported as unknown"
	if got := injector.Calls()[0].String(); got != want || len(injector.Pending()) > 0 {
		t.Errorf("journal %q, want %q", got, want)
	}
}

// TestLateByHand: order, memory and contexts of calls that land by hand.
func TestLateByHand(t *testing.T) {
	injector := armed(t, "any #9 fail", "put late manual", "delete late manual", "swap late manual")
	s := newStores(t, injector)
	ctx, cancel := context.WithCancel(t.Context())
	data := []byte("third")
	_ = s.objects.Put(ctx, "new", data)
	copy(data, "-----")
	_ = s.objects.Delete(ctx, "new")
	_ = s.catalog.Swap(ctx, table, "one", "two")
	cancel()
	want := []fault.Pending{
		{ID: 1, Op: fault.Put, Name: "new"}, {ID: 2, Op: fault.Delete, Name: "new"},
		{ID: 3, Op: fault.Swap, Name: "demo.events"},
	}
	if diff := cmp.Diff(want, injector.Pending()); diff != "" || s.state(t) != untouched {
		t.Errorf("state %q, pending (-want +got):\n%s", s.state(t), diff)
	}
	for _, id := range []int{0, 4} {
		if err := injector.Land(id); err == nil || !strings.Contains(err.Error(), fmt.Sprint("no call ", id)) {
			t.Errorf("Land(%d): %v", id, err)
		}
	}
	if err := injector.Land(1); err != nil || s.state(t) != "a=second b=first new=third one" {
		t.Errorf("after the put: %v, state %q", err, s.state(t))
	}
	if err := injector.Land(1); err == nil {
		t.Error("a call has landed twice")
	}
	injector.Crash()
	injector.Release()
	if s.state(t) != "a=second b=first two" || len(injector.Pending()) > 0 {
		t.Errorf("after all: state %q", s.state(t))
	}
}

// TestLateIsNotSentWhenDone: a call whose context is done has no effect, not even later.
func TestLateIsNotSentWhenDone(t *testing.T) {
	injector := armed(t, "any #9 fail", "put late 1", "swap late manual")
	s := newStores(t, injector)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, putErr := s.call(ctx, fault.Put)
	_, swapErr := s.call(ctx, fault.Swap)
	if !errors.Is(putErr, context.Canceled) || !errors.Is(swapErr, store.ErrRefused) || len(injector.Pending()) > 0 {
		t.Errorf("put: %v; swap: %v; pending %v", putErr, swapErr, injector.Pending())
	}
}

// TestSharedTransit: calls of all programs count, in one order.
func TestSharedTransit(t *testing.T) {
	ctx := t.Context()
	inner, transit := new(mem.Objects), new(fault.Transit)
	first, second := armed(t, "put late 2"), armed(t, "put late 1")
	first.Transit, second.Transit = transit, transit
	a, b := first.Objects(inner), second.Objects(inner)
	_ = a.Put(ctx, "x", []byte("from a"))
	_ = b.Put(ctx, "x", []byte("from b"))
	if diff := cmp.Diff(transit.Pending(), first.Pending()); diff != "" || len(second.Pending()) != 2 {
		t.Error(diff)
	}
	first.Crash()
	_, _ = a.Stat(ctx, "x")
	if len(transit.Pending()) != 2 {
		t.Error("a call of a program that has crashed counts")
	}
	_, _ = b.Stat(ctx, "x")
	data, err := inner.Get(ctx, "x", 0)
	if string(data) != "from a" || err != nil || len(transit.Pending()) > 0 {
		t.Errorf("%q, %v, pending %v", data, err, transit.Pending())
	}
	if call := second.Calls()[0]; call.Stored != fault.Exists {
		t.Errorf("journal of the second: %v", call)
	}
}
