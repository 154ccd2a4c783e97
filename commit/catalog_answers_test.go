package commit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
)

// answerKind says what an answer of a catalog behind HTTP promises (B22).
type answerKind uint8

const (
	// settlesNothing: the swap may have landed.
	settlesNothing answerKind = iota
	// refuses: the swap did not and will not happen.
	refuses
	// conflicts: the entry had changed, possibly by an earlier copy of the same swap.
	conflicts
	// throttles: nothing was done, and the same swap may be sent again.
	throttles
)

// kindOf returns what a status promises; one that is not listed settles nothing.
func kindOf(status string) answerKind {
	return map[string]answerKind{
		"400": refuses, "401": refuses, "403": refuses, "404": refuses,
		"409": conflicts, "412": conflicts, "429": throttles,
	}[status]
}

// sent are the calls of a commit that count here.
func sent(i *fault.Injector, op fault.Op) (calls []fault.Call) {
	for _, call := range i.Calls() {
		if call.Op == op {
			calls = append(calls, call)
		}
	}
	return calls
}

// appendAnswered appends file 9 to a table with file 0 while the catalog gives its answers.
func appendAnswered(t *testing.T, attempts int, answer string) (testtable.Store, *fault.Injector, commit.Result, error) {
	t.Helper()
	s, i := newStore(t, nil, testtable.Files(0, 1)), new(fault.Injector)
	x := begin(t, s.Open(2, i), commit.TxnOptions{MaxAttempts: attempts}, func(x *commit.Txn) { x.Append(testtable.File(9)) })
	arm(t, i, answer)
	r, err := x.Commit(t.Context())
	return s, i, r, err
}

// TestAppliedWhateverTheAnswer: a commit that the catalog applied is a success after one attempt, whatever it answers:
// the file is live once, and nothing is removed (B22).
func TestAppliedWhateverTheAnswer(t *testing.T) {
	for _, status := range fault.HTTPStatuses() {
		t.Run(status, func(t *testing.T) {
			for _, attempts := range []int{1, 5} {
				s, i, r, err := appendAnswered(t, attempts, "swap "+string(fault.LandHTTP(status)))
				if err != nil || r.Attempts != 1 || r.SequenceNumber != 2 {
					t.Errorf("%d attempts: %+v, %v", attempts, r, err)
				}
				if n := len(sent(i, fault.Delete)); n > 0 {
					t.Errorf("%d objects were removed", n)
				}
				checkLive(t, s, 0, 9)
				checkNoOrphans(t, s)
			}
		})
	}
}

// TestAnsweredOnce: a commit that the catalog did not apply is refused where the answer says so for certain, and tried
// again on any other; a throttled one is the same attempt. The look at the table comes before anything else (B22).
func TestAnsweredOnce(t *testing.T) {
	for _, status := range fault.HTTPStatuses() {
		t.Run(status, func(t *testing.T) {
			s, i, r, err := appendAnswered(t, 5, "swap #1 "+string(fault.HTTP(status)))
			calls := i.Calls()
			first := slices.IndexFunc(calls, func(c fault.Call) bool { return c.Op == fault.Swap })
			if next := calls[first+1].Op; next != fault.Load {
				t.Errorf("after the answer comes %s, want a look at the table", next)
			}
			checkNoOrphans(t, s)
			if kindOf(status) == refuses {
				if !errors.Is(err, commit.ErrRefused) || !errors.Is(err, fault.HTTPError(status)) {
					t.Errorf("got %v", err)
				}
				checkLive(t, s, 0)
				return
			}
			attempts, removed := 2, 2 // root and metadata file of the first attempt
			if kindOf(status) == throttles {
				attempts, removed = 1, 0
			}
			if err != nil || r.Attempts != attempts || len(sent(i, fault.Swap)) != 2 || len(sent(i, fault.Delete)) != removed {
				t.Errorf("%d attempts, %d swaps, %d removed, %v; want %d attempts",
					r.Attempts, len(sent(i, fault.Swap)), len(sent(i, fault.Delete)), err, attempts)
			}
			if last := calls[len(calls)-1]; removed > 0 && last.Op != fault.Delete {
				t.Errorf("the last call is %s: something was removed before the commit had landed", last.Op)
			}
			checkLive(t, s, 0, 9)
		})
	}
}

// TestAnsweredAlways: a catalog that answers the same to each attempt and applies none. Where that settles nothing the
// outcome is unknown and nothing is removed; a conflict is no proof either, as long as the table is what it was (B22).
func TestAnsweredAlways(t *testing.T) {
	for _, status := range fault.HTTPStatuses() {
		t.Run(status, func(t *testing.T) {
			s, i, _, err := appendAnswered(t, 3, "swap "+string(fault.HTTP(status)))
			checkLive(t, s, 0)
			switch kindOf(status) {
			case refuses:
				if !errors.Is(err, commit.ErrRefused) || len(sent(i, fault.Swap)) != 1 {
					t.Errorf("%d swaps, %v", len(sent(i, fault.Swap)), err)
				}
				checkNoOrphans(t, s)
				return
			case throttles:
				if !errors.Is(err, commit.ErrExhausted) || len(sent(i, fault.Swap)) != 3 || len(sent(i, fault.Put)) != 2 {
					t.Errorf("%d swaps, %d objects, %v", len(sent(i, fault.Swap)), len(sent(i, fault.Put)), err)
				}
				checkNoOrphans(t, s)
				return
			}
			var unknown *commit.UnknownError
			if !errors.As(err, &unknown) || !errors.Is(err, fault.HTTPError(status)) {
				t.Fatalf("got %v", err)
			}
			if n := len(sent(i, fault.Delete)); n > 0 || len(unknown.Objects) != len(sent(i, fault.Put)) {
				t.Errorf("%d objects were removed, %d are named", n, len(unknown.Objects))
			}
			if got, err := s.Open(3, nil).Outcome(t.Context(), unknown.Token); got != commit.Unknown || err != nil {
				t.Errorf("outcome %s, %v", got, err)
			}
		})
	}
}

// createAnswered makes a table while the catalog gives its answers.
func createAnswered(t *testing.T, answer string) (testtable.Store, *fault.Injector, error) {
	t.Helper()
	s, i := testtable.Store{Objects: new(mem.Objects), Catalog: new(mem.Catalog)}, new(fault.Injector)
	arm(t, i, answer)
	on := s.On()
	on.Catalog, on.Objects = i.Catalog(s.Catalog), i.Objects(s.Objects)
	return s, i, on.Make(t.Context(), nil)
}

// TestCreatedWhateverTheAnswer: a table that the catalog has is made, whatever it answers (B22).
func TestCreatedWhateverTheAnswer(t *testing.T) {
	for _, status := range fault.HTTPStatuses() {
		t.Run(status, func(t *testing.T) {
			s, i, err := createAnswered(t, "swap "+string(fault.LandHTTP(status)))
			if err != nil || len(sent(i, fault.Delete)) > 0 {
				t.Errorf("%d objects were removed, %v", len(sent(i, fault.Delete)), err)
			}
			mustCommit(t, s.Open(2, nil), func(x *commit.Txn) { x.Append(testtable.File(9)) })
			checkLive(t, s, 9)
			checkNoOrphans(t, s)
		})
	}
}

// TestCreationAnswered: a table that the catalog did not make follows the same rules (B22).
func TestCreationAnswered(t *testing.T) {
	for _, status := range fault.HTTPStatuses() {
		t.Run(status, func(t *testing.T) {
			s, i, err := createAnswered(t, "swap #1 "+string(fault.HTTP(status)))
			files := s.Objects.Names()
			switch kindOf(status) {
			case refuses:
				if !errors.Is(err, store.ErrRefused) || errors.Is(err, commit.ErrUnknown) || len(files) > 0 {
					t.Errorf("left over %v, %v", files, err)
				}
				if calls := i.Calls(); calls[len(calls)-2].Op != fault.Load {
					t.Error("the metadata file was removed before a look at the catalog")
				}
			case throttles:
				if err != nil || len(sent(i, fault.Swap)) != 2 || len(files) != 1 || len(sent(i, fault.Delete)) > 0 {
					t.Errorf("%d swaps, %d removed, files %v, %v", len(sent(i, fault.Swap)), len(sent(i, fault.Delete)), files, err)
				}
			case settlesNothing:
				var unknown *commit.UnknownError
				if !errors.As(err, &unknown) || !errors.Is(err, fault.HTTPError(status)) {
					t.Fatalf("got %v", err)
				}
				if diff := cmp.Diff(unknown.Objects, files); diff != "" {
					t.Errorf("objects (-named +there):\n%s", diff)
				}
			}
		})
	}
}
