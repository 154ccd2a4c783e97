package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// TestJournal: what is told of calls that the store itself answers with errors.
func TestJournal(t *testing.T) {
	ctx := t.Context()
	done, cancel := context.WithCancel(ctx)
	cancel()
	injector := new(fault.Injector)
	s := newStores(t, injector)
	_ = s.objects.Put(ctx, "a", []byte("x"))
	_, _ = s.objects.Get(ctx, "a", 3)
	_, _ = s.objects.Get(ctx, "c d", 0)
	_, _ = s.objects.GetRange(ctx, "a", 4, make([]byte, 10))
	_ = s.catalog.Swap(ctx, table, "other", "x")
	_ = s.catalog.Swap(ctx, table, "one", "")
	_, _ = s.objects.Stat(done, "a")
	injector.Crash()
	_, _ = s.objects.Stat(ctx, "a")
	var got []string
	for _, call := range injector.Calls() {
		got = append(got, call.String())
	}
	want := []string{
		"put a 1 bytes: exists", "get a: too large", `get "c d": not found`, "range a 2 bytes: end of object",
		"swap demo.events: conflict", "swap demo.events: refused", "stat a: failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("journal (-want +got):\n", diff)
	}
	if text := (fault.Call{Op: fault.Get, Name: "a"}).String(); text != "get a: nothing yet" {
		t.Error(text)
	}
}

func TestCount(t *testing.T) {
	calls := []fault.Call{
		{Op: fault.Swap, Name: "demo.events"}, {Op: fault.Put, Name: "x/b.json", SizeBytes: 5},
		{Op: fault.Get, Name: "x/a.parquet", SizeBytes: 7}, {Op: fault.Put, Name: "x/a.parquet", SizeBytes: 11},
		{Op: fault.Put, Name: "y/c.json", SizeBytes: 13},
	}
	class := func(name string) string { return name[strings.LastIndex(name, ".")+1:] }
	for _, c := range []struct {
		class func(string) string
		want  []fault.Tally
	}{
		{nil, []fault.Tally{
			{Op: fault.Put, Calls: 3, SizeBytes: 29}, {Op: fault.Get, Calls: 1, SizeBytes: 7}, {Op: fault.Swap, Calls: 1},
		}},
		{class, []fault.Tally{
			{fault.Put, "json", 2, 18}, {fault.Put, "parquet", 1, 11},
			{fault.Get, "parquet", 1, 7}, {fault.Swap, "events", 1, 0},
		}},
	} {
		if diff := cmp.Diff(c.want, fault.Count(calls, c.class)); diff != "" {
			t.Error("tallies (-want +got):\n", diff)
		}
	}
}

// TestListings: where a listing breaks, and what a stale one leaves out.
func TestListings(t *testing.T) {
	for _, c := range []struct {
		fault, prefix, names string
		fails                bool
	}{
		{"list break 0", "", "", true},
		{"list break 2", "", "a b", true},
		{"list break 3", "", "a b c", true},
		{"list break 9", "b", "b", true},
		{"list stale", "", "a c", false},
		{"list stale", "c", "", false},
		{"list stale", "d", "", false},
	} {
		ctx := t.Context()
		inner := new(mem.Objects)
		for _, name := range []string{"c", "a", "b"} {
			if err := inner.Put(ctx, name, nil); err != nil {
				t.Fatal(err)
			}
		}
		names, err := list(ctx, armed(t, c.fault).Objects(inner), c.prefix)
		if strings.Join(names, " ") != c.names || errors.Is(err, fault.ErrInjected) != c.fails {
			t.Errorf("%s of %q: %q, %v", c.fault, c.prefix, names, err)
		}
	}
}

// TestListingsStop: a disturbed listing ends with its caller's loop and passes on the store's own error.
func TestListingsStop(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"list break 5", "list stale", "put fail"} {
		injector := armed(t, text)
		s := newStores(t, injector)
		for range s.objects.List(t.Context(), "") {
			break
		}
		if told := injector.Calls()[0].Told; told != fault.OK {
			t.Errorf("%s: left early: %s", text, told)
		}
		if names, err := list(done, s.objects, ""); !errors.Is(err, context.Canceled) || names != nil {
			t.Errorf("%s: under a context that is done: %q, %v", text, names, err)
		}
	}
}

// TestCut: where objects are cut, also where the cut lies behind their end.
func TestCut(t *testing.T) {
	ctx := t.Context()
	for text, want := range map[string]string{
		"get truncate 0": "", "get truncate 2": "se", "get truncate 99": "second", "get half": "sec",
	} {
		s := newStores(t, armed(t, text))
		if data, err := s.objects.Get(ctx, "a", 0); string(data) != want || err != nil {
			t.Errorf("%s: %q, %v", text, data, err)
		}
	}
	for text, want := range map[string]int{
		"range truncate 0": 0, "range truncate 3": 3, "range truncate 4": 4, "range half": 2,
	} {
		s := newStores(t, armed(t, text))
		n, err := s.objects.GetRange(ctx, "a", 0, make([]byte, 4))
		if n != want || errors.Is(err, io.EOF) != (want < 4) {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}

// TestConcurrentUse runs all calls with all kinds of faults at once, for the race detector.
func TestConcurrentUse(t *testing.T) {
	transit := new(fault.Transit)
	injectors := []*fault.Injector{
		armed(t, "put #2 late 3", "delete late manual", "list stale"), armed(t, "swap #3 late 2", "get half"),
	}
	inner, entries := new(mem.Objects), new(mem.Catalog)
	var running sync.WaitGroup
	for _, injector := range injectors {
		injector.Transit = transit
		injector.Before = func(context.Context, fault.Call) error { injector.Pending(); return nil }
		s := stores{inner, entries, injector, injector.Objects(inner), injector.Catalog(entries)}
		for worker := range 4 {
			running.Go(func() {
				for n := range 20 {
					_ = s.objects.Put(t.Context(), fmt.Sprint(worker, "/", n), []byte("data"))
					for _, op := range fault.Ops() {
						s.try(t.Context(), op)
					}
				}
			})
		}
	}
	running.Wait()
	transit.Release()
	for _, injector := range injectors {
		if calls := injector.Calls(); len(calls) != 4*20*9 {
			t.Errorf("%d calls", len(calls))
		}
	}
	if len(transit.Pending()) > 0 {
		t.Errorf("pending %v", transit.Pending())
	}
	if _, err := entries.Load(t.Context(), table); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nobody created the table: %v", err)
	}
}
