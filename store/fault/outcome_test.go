package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// stores are two objects and a table, disturbed by an injector.
type stores struct {
	inner    *mem.Objects
	entries  *mem.Catalog
	injector *fault.Injector
	objects  store.Objects
	catalog  store.Catalog
}

// newStores returns stores behind the injector.
func newStores(t *testing.T, injector *fault.Injector) stores {
	t.Helper()
	s := stores{inner: new(mem.Objects), entries: new(mem.Catalog), injector: injector}
	err := errors.Join(s.inner.Put(t.Context(), "b", []byte("first")), s.inner.Put(t.Context(), "a", []byte("second")),
		s.entries.Swap(t.Context(), table, "", "one"))
	if err != nil {
		t.Fatal(err)
	}
	s.objects, s.catalog = injector.Objects(s.inner), injector.Catalog(s.entries)
	return s
}

// call makes a call of each kind and returns what came of it, an error or a panic apart.
func (s stores) call(ctx context.Context, op fault.Op) (got string, err error) {
	switch op {
	case fault.Put:
		return "", s.objects.Put(ctx, "new", []byte("third"))
	case fault.Get:
		data, err := s.objects.Get(ctx, "a", 0)
		return string(data), err
	case fault.GetRange:
		p := make([]byte, 4)
		n, err := s.objects.GetRange(ctx, "a", 1, p)
		return fmt.Sprintf("%d %q", n, p), err
	case fault.Stat:
		info, err := s.objects.Stat(ctx, "a")
		return info.Name, err
	case fault.List:
		names, err := list(ctx, s.objects, "")
		return strings.Join(names, ","), err
	case fault.Delete:
		return "", s.objects.Delete(ctx, "a")
	case fault.Load:
		return s.catalog.Load(ctx, table)
	default:
		return "", s.catalog.Swap(ctx, table, "one", "two")
	}
}

// try is call, with a panic told like an answer.
func (s stores) try(ctx context.Context, op fault.Op) (told string) {
	defer func() {
		if p := recover(); p != nil {
			told = fmt.Sprint("panic: ", p)
		}
	}()
	got, err := s.call(ctx, op)
	if err != nil {
		return strings.TrimSpace(fmt.Sprint(got, " error: ", err))
	}
	return got
}

// state tells what the wrapped stores hold.
func (s stores) state(t *testing.T) string {
	t.Helper()
	var parts []string
	for _, name := range s.inner.Names() {
		data, err := s.inner.Get(t.Context(), name, 0)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, name+"="+string(data))
	}
	location, err := s.entries.Load(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(parts, location), " ")
}

// untouched is the state before any call.
const untouched = "a=second b=first one"

// TestEveryOutcome tries each outcome of each kind of call, the answers of HTTP apart: what is told, what stands
// in the journal, and what the store then holds, as the lines of testdata/outcomes.txt.
func TestEveryOutcome(t *testing.T) {
	var got []string
	for _, op := range fault.Ops() {
		for _, outcome := range fault.Possible(op) {
			if strings.Contains(string(outcome), "http-") {
				continue
			}
			f := fault.Fault{Op: op, Outcome: outcome}
			if outcome.Numbered() {
				f.Number = 1
			}
			injector := new(fault.Injector)
			if err := injector.Arm(f); err != nil {
				t.Fatal(err)
			}
			s := newStores(t, injector)
			told := s.try(t.Context(), op)
			got = append(got, fmt.Sprintf("%s | %s | %s | %s", f, told, injector.Calls()[0], s.state(t)))
		}
	}
	want, err := os.ReadFile("testdata/outcomes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), got); diff != "" {
		t.Error("outcomes (-want +got):\n", diff)
	}
}

// TestOutcomesAreSound: the outcomes that are tried one by one leave nothing for later and cut nothing.
func TestOutcomesAreSound(t *testing.T) {
	for _, op := range append(fault.Ops(), "") {
		possible := fault.Possible(op)
		for _, outcome := range fault.Outcomes(op) {
			if !slices.Contains(possible, outcome) || outcome.Numbered() {
				t.Errorf("%s %s", op, outcome)
			}
		}
	}
	want := []fault.Outcome{"fail", "crash", "slow", "panic"}
	if diff := cmp.Diff(want, fault.Possible("")); diff != "" {
		t.Error("outcomes of any call (-want +got):\n", diff)
	}
}

// TestHTTP holds each answer of a catalog behind HTTP to its kind, applied and not (B22).
func TestHTTP(t *testing.T) {
	kinds := map[string]error{
		"400": store.ErrRefused, "401": store.ErrRefused, "403": store.ErrRefused, "404": store.ErrRefused,
		"409": store.ErrConflict, "412": store.ErrConflict, "429": store.ErrThrottled, "deadline": context.DeadlineExceeded,
	}
	sentinels := []error{store.ErrRefused, store.ErrConflict, store.ErrThrottled, store.ErrUnknown}
	statuses := fault.HTTPStatuses()
	if len(statuses) != 14 {
		t.Errorf("statuses %q", statuses)
	}
	for _, status := range statuses {
		want, definite := kinds[status]
		if !definite {
			want = store.ErrUnknown
		}
		for _, outcome := range []fault.Outcome{fault.HTTP(status), fault.LandHTTP(status)} {
			s := newStores(t, armed(t, "swap "+string(outcome)))
			err := s.catalog.Swap(t.Context(), table, "one", "two")
			kinds := slices.DeleteFunc(slices.Clone(sentinels), func(kind error) bool { return !errors.Is(err, kind) })
			if !errors.Is(err, want) || !errors.Is(err, fault.HTTPError(status)) || len(kinds) != 1 {
				t.Errorf("%s: %v of the kinds %v, want %v", outcome, err, kinds, want)
			}
			landed := s.state(t) != untouched
			if landed != (outcome == fault.LandHTTP(status)) {
				t.Errorf("%s: landed %t", outcome, landed)
			}
		}
	}
	if err := fault.HTTPError("418"); !errors.Is(err, store.ErrUnknown) {
		t.Errorf("a status that is not listed: %v", err)
	}
}

// TestHTTPCreates: a table that is created has the same answers.
func TestHTTPCreates(t *testing.T) {
	other := store.TableID{Namespace: "demo", Name: "new"}
	for _, status := range fault.HTTPStatuses() {
		s := newStores(t, armed(t, "swap demo.new land-"+string(fault.HTTP(status))))
		err := s.catalog.Swap(t.Context(), other, "", "first")
		location, loadErr := s.entries.Load(t.Context(), other)
		if !errors.Is(err, fault.HTTPError(status)) || location != "first" || loadErr != nil {
			t.Errorf("%s: %v, then %q, %v", status, err, location, loadErr)
		}
	}
}
