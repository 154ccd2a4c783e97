package fault_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

func TestObjectsWithoutFaults(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		return new(fault.Injector).Objects(new(mem.Objects)), "mem://test/"
	})
}

func TestCatalogWithoutFaults(t *testing.T) {
	storetest.TestCatalog(t, func(t *testing.T) store.Catalog {
		return new(fault.Injector).Catalog(new(mem.Catalog))
	})
}

// armed returns an injector with the faults given as text.
func armed(t *testing.T, texts ...string) *fault.Injector {
	t.Helper()
	injector := new(fault.Injector)
	for _, text := range texts {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := injector.Arm(f); err != nil {
			t.Fatal(err)
		}
	}
	return injector
}

// table is the entry that the tests swap.
var table = store.TableID{Namespace: "demo", Name: "events"}

// list collects the names of a listing up to its error.
func list(ctx context.Context, o store.Objects, prefix string) ([]string, error) {
	var names []string
	for info, err := range o.List(ctx, prefix) {
		if err != nil {
			return names, err
		}
		names = append(names, info.Name)
	}
	return names, nil
}

func TestFaultPicksCalls(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		faults []string
		want   string
	}{
		{[]string{"put #1 fail"}, "fail . . . . ."},
		{[]string{"put #3 fail"}, ". . fail . . ."},
		{[]string{"put #9 fail"}, ". . . . . ."},
		{[]string{"put fail"}, "fail fail fail fail fail fail"},
		{[]string{"put a/* fail"}, "fail fail . fail . ."},
		{[]string{"put a/* #2 fail"}, ". fail . . . ."},
		{[]string{"put */1 #2 fail"}, ". . fail . . ."},
		{[]string{"put *a*1* fail"}, "fail . . . . fail"},
		{[]string{"put b fail"}, ". . . . . ."},
		{[]string{"put b/1 fail"}, ". . fail . . ."},
		{[]string{"any #2 fail", "put #2 unknown", "put #3 unknown"}, ". fail unknown . . ."},
		{[]string{"get fail", "swap fail", "delete fail"}, ". . . . . ."},
		{[]string{"put b/* crash"}, ". . crash crash crash crash"},
	} {
		injector := armed(t, c.faults...)
		objects := injector.Objects(new(mem.Objects))
		got := ""
		for _, name := range []string{"a/1", "a/2", "b/1", "a/3", "b/2", "ba/11"} {
			switch err := objects.Put(ctx, name, nil); {
			case err == nil:
				got += " ."
			case errors.Is(err, fault.ErrInjected):
				got += " fail"
			case errors.Is(err, store.ErrUnknown):
				got += " unknown"
			case errors.Is(err, fault.ErrCrashed):
				got += " crash"
			default:
				t.Errorf("%q: %v", c.faults, err)
			}
		}
		if got != " "+c.want {
			t.Errorf("%q:%s, want %s", c.faults, got, c.want)
		}
	}
}

func TestCrashEndsEverything(t *testing.T) {
	ctx := t.Context()
	inner, entries := new(mem.Objects), new(mem.Catalog)
	if err := errors.Join(inner.Put(ctx, "x", nil), inner.Put(ctx, "y", nil)); err != nil {
		t.Fatal(err)
	}
	injector := armed(t, "put z crash")
	objects, catalog := injector.Objects(inner), injector.Catalog(entries)
	var listed []string
	var ended error
	for info, err := range objects.List(ctx, "") {
		if err != nil {
			ended = err
			break
		}
		listed = append(listed, info.Name)
		if err := objects.Put(ctx, "z", nil); !errors.Is(err, fault.ErrCrashed) {
			t.Errorf("Put: %v", err)
		}
	}
	if diff := cmp.Diff([]string{"x"}, listed); diff != "" || !errors.Is(ended, fault.ErrCrashed) {
		t.Errorf("the listing ended with %v after (-want +got):\n%s", ended, diff)
	}
	for _, err := range []error{
		objects.Put(ctx, "late", nil), objects.Delete(ctx, "x"), catalog.Swap(ctx, table, "", "one"),
	} {
		if !errors.Is(err, fault.ErrCrashed) {
			t.Errorf("after the crash: %v", err)
		}
	}
	if diff := cmp.Diff([]string{"x", "y"}, inner.Names()); diff != "" {
		t.Error("objects (-want +got):\n", diff)
	}
	if !injector.Crashed() || len(entries.Tables()) > 0 {
		t.Errorf("crashed: %t, tables: %v", injector.Crashed(), entries.Tables())
	}
	want := []fault.Call{
		{Op: fault.List, Stored: fault.Crashed, Told: fault.Crashed},
		{Op: fault.Put, Name: "z", Outcome: fault.Crash, Told: fault.Crashed},
	}
	if diff := cmp.Diff(want, injector.Calls()); diff != "" {
		t.Error("calls (-want +got):\n", diff)
	}
}

func TestCrashByHand(t *testing.T) {
	injector := new(fault.Injector)
	objects := injector.Objects(new(mem.Objects))
	injector.Crash()
	if err := objects.Put(t.Context(), "x", nil); !errors.Is(err, fault.ErrCrashed) || len(injector.Calls()) > 0 {
		t.Errorf("Put: %v; calls: %v", err, injector.Calls())
	}
}

func TestSingle(t *testing.T) {
	calls := []fault.Call{{Op: fault.Load}, {Op: fault.Put, Name: "x"}, {Op: fault.Load}, {Op: fault.Delete}}
	var got []string
	for _, f := range fault.Single(calls) {
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
		got = append(got, f.String())
	}
	want := []string{
		"load * #1 fail", "load * #1 crash",
		"put * #1 fail", "put * #1 unknown", "put * #1 land-fail", "put * #1 land-unknown", "put * #1 land-conflict",
		"put * #1 crash", "put * #1 land-crash", "load * #2 fail", "load * #2 crash",
		"delete * #1 fail", "delete * #1 unknown", "delete * #1 land-fail", "delete * #1 land-unknown", "delete * #1 crash",
		"delete * #1 land-crash",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("faults (-want +got):\n", diff)
	}
}
