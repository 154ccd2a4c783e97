package commit_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
)

// asked keeps what a policy was asked with, and moves nothing.
type asked struct{ in *policy.Input }

func (asked) Name() string { return "asked" }

func (p asked) Plan(in policy.Input) (policy.Plan, error) {
	*p.in = in
	return policy.Plan{}, nil
}

// TestPlanInput: what a policy would be asked with is what it is asked with, nothing is written for it, and what the caller makes of it
// does not reach the transaction.
func TestPlanInput(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 3))
	leaf := begin(t, s.Open(2, nil), commit.TxnOptions{Policy: pushNew{}}, func(x *commit.Txn) { x.Append(testtable.Files(8, 10)...) })
	if _, err := leaf.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := s.Objects.Names()
	for _, mode := range []policy.Mode{policy.Foreground, policy.Maintenance} {
		var want policy.Input
		x, err := s.Open(5, nil).Begin(t.Context(), commit.TxnOptions{Mode: mode, Policy: asked{&want}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.PlanInput(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Loose) != 3 || len(got.Pointers) != 1 || got.Mode != mode || len(got.History) != 2 {
			t.Errorf("%+v", got)
		}
		got.Loose[0].Count, got.History[0].Summary["operation"] = 7, "spoiled"
		if got, err = x.PlanInput(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Plan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mode %d (-asked +told): %s", mode, diff)
		}
		x.Append(testtable.File(20))
		if _, err := x.PlanInput(t.Context()); !errors.Is(err, commit.ErrRefused) {
			t.Errorf("with a change: %v", err)
		}
	}
	if diff := cmp.Diff(before, s.Objects.Names()); diff != "" {
		t.Error(diff)
	}
}
