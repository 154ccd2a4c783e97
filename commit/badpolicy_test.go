package commit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store"
)

// mine is somebody's policy.
type mine func(policy.Input) (policy.Plan, error)

func (mine) Name() string { return "mine" }

func (p mine) Plan(in policy.Input) (policy.Plan, error) { return p(in) }

// loose, fresh, dead and leaf are the items of the table of leafAndLoose, in a transaction that appends file 7 and removes file 3.
var (
	loose = policy.Ref{Source: policy.FromLoose}
	fresh = policy.Ref{Source: policy.FromNew}
	dead  = policy.Ref{Source: policy.FromTombstones}
	leaf  = policy.Ref{Source: policy.FromPointers}
)

// leafAndLoose is a table with files 0 to 2 in a leaf, and 3 and 4 loose.
func leafAndLoose(t *testing.T) testtable.Store {
	t.Helper()
	s := newStore(t, map[string]string{"firn.policy": "never"})
	intoLeaf := mine(func(in policy.Input) (policy.Plan, error) {
		members := []policy.Ref{fresh, {Source: policy.FromNew, Index: 1}, {Source: policy.FromNew, Index: 2}}
		return policy.Plan{Steps: steps(policy.Push, members...)}, nil
	})
	x := begin(t, s.Open(1, nil), commit.TxnOptions{Policy: intoLeaf}, func(x *commit.Txn) { x.Append(testtable.Files(0, 3)...) })
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s.Open(2, nil), func(x *commit.Txn) { x.Append(testtable.Files(3, 5)...) })
	return s
}

func steps(kind policy.StepKind, members ...policy.Ref) []policy.Step {
	return []policy.Step{{Kind: kind, Members: members, Written: -1}}
}

// spread is a step of several leaves.
func spread(leaves int, kind policy.StepKind, members ...policy.Ref) []policy.Step {
	all := steps(kind, members...)
	all[0].Leaves = leaves
	return all
}

// badPlans are plans and what the error must name beside the policy.
var badPlans = []struct {
	name string
	plan func(policy.Input) (policy.Plan, error)
	want []string
}{
	{"a file twice", does(append(steps(policy.Push, loose), steps(policy.Push, fresh, loose)...)), []string{"step 1 places an item that step 0 placed: loose ", location(4)}},
	{"a file twice in one leaf", does(steps(policy.Push, fresh, fresh)), []string{"placed: new ", location(7)}},
	{"a leaf twice", does(append(steps(policy.Fold, leaf), steps(policy.Merge, leaf, fresh)...)), []string{"placed: leaf mem://wh/t/metadata/", "-m0.parquet"}},
	{"a tombstone twice", does(append(steps(policy.Bury, dead), steps(policy.Bury, dead)...)), []string{"placed: dead ", location(3)}},
	{"a tombstone among live rows", does(steps(policy.Push, fresh, dead)), []string{"mixes live rows and tombstones in one leaf: dead ", location(3)}},
	{"a live row among tombstones", does(steps(policy.Bury, dead, loose)), []string{"mixes live rows and tombstones in one leaf: loose ", location(4)}},
	{"a tombstone into nothing", does(steps(policy.Bury)), []string{"writes an empty leaf"}},
	{"a leaf into nothing", does(steps(policy.Merge)), []string{"writes an empty leaf"}},
	{"a leaf as if it were a file", does(steps(policy.Push, leaf)), []string{"a push of the wrong members", "leaf mem://wh/t/metadata/"}},
	{"a fold of a leaf and a file", does(steps(policy.Fold, leaf, fresh)), []string{"a fold of the wrong members", "leaf mem://wh/t/metadata/"}},
	{"too many rows", does(steps(policy.Merge, leaf, loose, fresh)), []string{"writes more than 4 rows: there is no room for new ", location(7)}},
	{"a file that is not there", does(steps(policy.Push, policy.Ref{Source: policy.FromNew, Index: 9})), []string{"no item 9"}},
	{"an index below zero", does(steps(policy.Push, policy.Ref{Source: policy.FromLoose, Index: -1})), []string{"no item -1"}},
	{"a list that is not there", does(steps(policy.Push, policy.Ref{Source: 77})), []string{"list 77"}},
	{"a leaf that nobody wrote", does([]policy.Step{{Kind: policy.Push, Members: []policy.Ref{fresh}, Written: 7}}), []string{"reuses leaf 7, which nobody wrote"}},
	{"a leaf before the first", does([]policy.Step{{Kind: policy.Push, Members: []policy.Ref{fresh}, Written: -2}}), []string{"leaf -2, which nobody wrote"}},
	{"fewer leaves than none", does(spread(-1, policy.Push, fresh)), []string{"writes -1 leaves"}},
	{"more leaves than rows", does(spread(5, policy.Merge, leaf, loose)), []string{"writes 5 leaves of 4 rows"}},
	{"no end of leaves", does(spread(math.MaxInt, policy.Merge, leaf, loose)), []string{"writes 9223372036854775807 leaves of 4 rows"}},
	{"two leaves of tombstones", does(spread(2, policy.Bury, dead)), []string{"a bury, writes 2 leaves"}},
	{"no kind", does(steps(0, fresh)), []string{"step kind 0"}},
	{"somebody else's summary", says("added-data-files", "9"), []string{`summary key "added-data-files" has not the prefix firn.policy.`}},
	{"a summary that is no text", says("firn.policy.x", "\xff"), []string{"firn.policy.x", "no text"}},
	{"a large summary", says("firn.policy.x", strings.Repeat("y", 1012)), []string{"takes 1025 bytes, at most 1024"}},
	{"an error", fails(errors.New("out of ideas")), []string{"out of ideas"}},
	{"an error that looks like the store's", fails(store.ErrNotFound), []string{"not found"}},
	{"an error that looks like a doubt", fails(commit.ErrUnknown), []string{"outcome unknown"}},
	{"an error that looks like the end of time", fails(context.Canceled), []string{"context canceled"}},
	{"a panic", func(policy.Input) (policy.Plan, error) { panic("boom") }, []string{"it panicked: boom"}},
	{"a bug", func(in policy.Input) (policy.Plan, error) { return policy.Plan{Steps: steps(policy.Push)[9:]}, nil }, []string{"it panicked: runtime error"}},
	{"no end of steps", does(slices.Repeat(steps(policy.Push, fresh), 300_000)), []string{"step 50 places an item that step 0 placed", location(7)}},
	{"no end of members", does(steps(policy.Push, slices.Repeat([]policy.Ref{fresh}, 300_000)...)), []string{location(7)}},
	{"no end of strangers", does(steps(policy.Push, slices.Repeat([]policy.Ref{{Source: policy.FromLoose, Index: 5}}, 300_000)...)), []string{"no item 5"}},
}

func location(n int) string { return testtable.File(n).Location }

func does(s []policy.Step) func(policy.Input) (policy.Plan, error) {
	return func(policy.Input) (policy.Plan, error) { return policy.Plan{Steps: s}, nil }
}

func says(key, value string) func(policy.Input) (policy.Plan, error) {
	return func(policy.Input) (policy.Plan, error) {
		return policy.Plan{Summary: map[string]string{key: value}}, nil
	}
}

func fails(err error) func(policy.Input) (policy.Plan, error) {
	return func(policy.Input) (policy.Plan, error) { return policy.Plan{}, err }
}

// refusedFor checks that a commit was refused because of a policy and of what it did, and that nothing is left of it.
func refusedFor(t *testing.T, s testtable.Store, before []string, err error, want []string) {
	t.Helper()
	if !errors.Is(err, commit.ErrRefused) || errors.Is(err, commit.ErrUnknown) || errors.Is(err, store.ErrNotFound) || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	for _, part := range append([]string{"policy mine: "}, want...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %.2000s", part, err)
		}
	}
	if len(err.Error()) > 20_000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
	if after := s.Objects.Names(); !slices.Equal(before, after) {
		t.Errorf("objects are left: %q", after)
	}
}

// TestBadPolicies: a plan that places an entry twice, loses one or breaks a limit is refused with the names of the policy and of the
// entry, in the first attempt and in one after a lost race, and leaves nothing behind.
func TestBadPolicies(t *testing.T) {
	for _, c := range badPlans {
		t.Run(c.name, func(t *testing.T) {
			s := leafAndLoose(t)
			o := commit.TxnOptions{Policy: mine(c.plan), Limits: policy.Limits{LeafRows: 4}}
			change := func(x *commit.Txn) {
				x.Append(testtable.File(7))
				x.Remove(testtable.Target(3))
			}
			before := s.Objects.Names()
			_, err := begin(t, s.Open(5, nil), o, change).Commit(t.Context())
			refusedFor(t, s, before, err, c.want)

			calls := 0
			o.Policy = mine(func(in policy.Input) (policy.Plan, error) {
				if calls++; calls == 1 { // a leaf of each kind is written, and none of them can be kept
					return policy.Plan{Steps: append(steps(policy.Bury, dead), steps(policy.Push, loose, fresh)...)}, nil
				}
				in.Written = nil
				return c.plan(in)
			})
			x := begin(t, s.Open(6, nil), o, change)
			mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(8)) })
			before = s.Objects.Names()
			_, err = x.Commit(t.Context())
			if calls != 2 {
				t.Fatalf("the policy was asked %d times", calls)
			}
			refusedFor(t, s, before, err, c.want)
			checkLive(t, s, 0, 1, 2, 3, 4, 8)
		})
	}
}

// TestBadRetries: a retry that forgets a leaf which an earlier attempt wrote, or takes it for another one, would write rows twice or lose
// them: it is refused with the name of a row of the leaf.
func TestBadRetries(t *testing.T) {
	kept := func(members ...policy.Ref) []policy.Step {
		return []policy.Step{{Kind: policy.Push, Members: members, Written: 0}}
	}
	for _, c := range []struct {
		name string
		then []policy.Step
		want []string
	}{
		{"forgotten", nil, []string{"written leaf 0 could be kept and is not: 2 members, the first is loose ", location(4)}},
		{"with a row less", kept(loose), []string{"reuses a leaf with other members: the leaf has new ", location(7)}},
		{"with a row more", kept(loose, fresh, policy.Ref{Source: policy.FromLoose, Index: 1}), []string{"the step has loose ", location(8)}},
		{"in another order", kept(fresh, loose), []string{"the step has new ", location(7), "where the leaf has loose ", location(4)}},
	} {
		s := leafAndLoose(t)
		calls := 0
		p := mine(func(policy.Input) (policy.Plan, error) {
			if calls++; calls == 1 {
				return policy.Plan{Steps: steps(policy.Push, loose, fresh)}, nil
			}
			return policy.Plan{Steps: c.then}, nil
		})
		x := begin(t, s.Open(6, nil), commit.TxnOptions{Policy: p}, func(x *commit.Txn) {
			x.Append(testtable.File(7))
			x.Remove(testtable.Target(3))
		})
		mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(8)) })
		before := s.Objects.Names()
		_, err := x.Commit(t.Context())
		t.Run(c.name, func(t *testing.T) { refusedFor(t, s, before, err, c.want) })
	}
}

// TestPoliciesSpoilNothing: a policy that spoils its input, and the plan that it gave away, spoils neither the plan that is followed nor
// the table.
func TestPoliciesSpoilNothing(t *testing.T) {
	s := leafAndLoose(t)
	var given policy.Plan
	p := mine(func(in policy.Input) (policy.Plan, error) {
		for i := range given.Steps {
			given.Steps[i].Members[0] = policy.Ref{Source: policy.FromTombstones, Index: 9}
			given.Steps[i].Kind = 0
		}
		given = policy.Plan{Steps: steps(policy.Push, loose, fresh), Summary: map[string]string{"firn.policy.x": "1"}}
		given.Steps[0].Written = len(in.Written) - 1
		for i := range in.Loose {
			in.Loose[i].Key = "spoiled"
		}
		for i := range in.Written {
			in.Written[i].Members[0] = "spoiled"
		}
		for i := range in.History {
			in.History[i].Summary["spoiled"] = "yes"
		}
		in.Pointers[0] = policy.Pointer{}
		return given, nil
	})
	x := begin(t, s.Open(6, nil), commit.TxnOptions{Policy: p}, func(x *commit.Txn) { x.Append(testtable.File(7)) })
	mustCommit(t, s.Open(7, nil), func(x *commit.Txn) { x.Append(testtable.File(8)) })
	r, err := x.Commit(t.Context())
	if err != nil || r.LeavesWritten != 1 || r.Attempts != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	given.Steps[0].Members[0], given.Summary["firn.policy.x"] = policy.Ref{}, "2"
	if fmt.Sprint(r.Plan.Steps[0].Members) != fmt.Sprint([]policy.Ref{loose, fresh}) || r.Plan.Summary["firn.policy.x"] != "1" {
		t.Errorf("the plan became %+v", r.Plan)
	}
	checkLive(t, s, 0, 1, 2, 3, 4, 7, 8)
	head, err := s.Open(8, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, snapshot := range head.Metadata.Snapshots {
		if _, spoiled := snapshot.Summary["spoiled"]; spoiled {
			t.Error("a summary is spoiled")
		}
	}
}
