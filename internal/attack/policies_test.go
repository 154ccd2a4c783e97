package attack_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
)

func push(written int, members ...policy.Ref) policy.Step {
	return policy.Step{Kind: policy.Push, Members: members, Written: written}
}

func ref(source policy.Source, index int) policy.Ref { return policy.Ref{Source: source, Index: index} }

// TestBadPlans: plans that place items twice, nowhere or with others, and plans that are no plans.
func TestBadPlans(t *testing.T) {
	fresh, loose, dead := ref(policy.FromNew, 0), ref(policy.FromLoose, 0), ref(policy.FromTombstones, 0)
	for what, steps := range map[string][]policy.Step{
		"an item twice in a leaf":     {push(-1, fresh, fresh)},
		"an item in two leaves":       {push(-1, fresh), push(-1, loose, fresh)},
		"a tombstone among live rows": {push(-1, fresh, dead)},
		"a live row among tombstones": {{Kind: policy.Bury, Members: []policy.Ref{dead, fresh}, Written: -1}},
		"an empty leaf":               {push(-1)},
		"an unknown item":             {push(-1, ref(policy.FromNew, 7))},
		"a negative item":             {push(-1, ref(policy.FromNew, -1))},
		"an unknown list":             {push(-1, policy.Ref{Source: 9})},
		"an unknown kind":             {{Kind: 9, Members: []policy.Ref{fresh}, Written: -1}},
		"a leaf that nobody wrote":    {push(3, fresh)},
		"a leaf beyond the limit":     {push(-1, fresh, loose, ref(policy.FromLoose, 1))},
	} {
		s := newStore(t, map[string]string{"firn.policy": "never"}, testtable.Files(0, 3))
		o := commit.TxnOptions{
			Limits: policy.Limits{LeafRows: 2},
			Policy: planner(func(policy.Input) (policy.Plan, error) { return policy.Plan{Steps: steps}, nil }),
		}
		err := try(t, s, o, func(x *commit.Txn) { x.Append(testtable.File(7)); x.Remove(testtable.Target(2)) })
		if err == nil {
			t.Errorf("%s: committed", what)
		}
		wantLive(t, s, name(0), name(1), name(2))
	}
}

// TestPlansThatSayTooMuch: a policy has its own part of the summary and may not write another.
func TestPlansThatSayTooMuch(t *testing.T) {
	for _, key := range []string{"operation", "total-data-files", "firn.root-rows", "note", ""} {
		s := newStore(t, nil, testtable.Files(0, 1))
		p := planner(func(policy.Input) (policy.Plan, error) {
			return policy.Plan{Summary: map[string]string{key: "delete"}}, nil
		})
		err := try(t, s, commit.TxnOptions{Policy: p}, func(x *commit.Txn) { x.Append(testtable.File(7)) })
		wantError(t, err, commit.ErrRefused, "prefix")
		wantLive(t, s, name(0))
	}
}

// TestPoliciesThatSpoilTheirInput: a policy that writes into what it was given reaches neither the plan's check, nor
// written leaves, nor the summaries of earlier snapshots.
func TestPoliciesThatSpoilTheirInput(t *testing.T) {
	s := newStore(t, map[string]string{"firn.policy": "never"}, testtable.Files(0, 2))
	calls := 0
	p := planner(func(in policy.Input) (policy.Plan, error) {
		for _, h := range in.History {
			clear(h.Summary)
			h.Summary["operation"] = "delete"
		}
		if calls++; calls == 1 { // a leaf of the loose file that the winner removes
			return policy.Plan{Steps: []policy.Step{push(-1, ref(policy.FromLoose, 0))}}, nil
		}
		in.Written[0].Members = []string{in.New[0].Key} // the leaf passes for one of the new file
		slices.Reverse(in.Loose)
		return policy.Plan{Steps: []policy.Step{push(0, ref(policy.FromNew, 0))}}, nil
	})
	x := begin(t, s.Open(5, nil), commit.TxnOptions{Policy: p}, func(x *commit.Txn) { x.Append(testtable.File(7)) })
	mustCommit(t, s.Open(6, nil), func(x *commit.Txn) { x.Remove(testtable.Target(0)) })
	_, err := x.Commit(t.Context())
	wantError(t, err, commit.ErrRefused, "other members")
	wantLive(t, s, name(1))

	spoil := planner(func(in policy.Input) (policy.Plan, error) {
		for _, h := range in.History {
			h.Summary["operation"] = "replace"
		}
		return policy.Plan{}, nil
	})
	if err := try(t, s, commit.TxnOptions{Policy: spoil}, func(x *commit.Txn) { x.Append(testtable.File(8)) }); err != nil {
		t.Fatal(err)
	}
	for _, snapshot := range head(t, s).Metadata.Snapshots {
		if snapshot.Operation() == "replace" {
			t.Errorf("snapshot %d was rewritten", snapshot.ID)
		}
	}
}

// TestPoliciesThatFail: an error of a policy ends the commit and leaves nothing behind.
func TestPoliciesThatFail(t *testing.T) {
	s := newStore(t, nil, testtable.Files(0, 1))
	before, failed := s.Objects.Names(), errors.New("no plan")
	p := planner(func(policy.Input) (policy.Plan, error) { return policy.Plan{}, failed })
	wantError(t, try(t, s, commit.TxnOptions{Policy: p}, func(x *commit.Txn) { x.Append(testtable.File(7)) }), failed, "no plan")
	if !slices.Equal(before, s.Objects.Names()) {
		t.Error("objects are left")
	}
}
