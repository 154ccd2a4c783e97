package advise_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/simple"
)

// custom is a policy of somebody's own, which says nothing of its steps.
type custom func(in policy.Input) ([]policy.Step, error)

func (custom) Name() string { return "custom" }

func (p custom) Plan(in policy.Input) (policy.Plan, error) {
	steps, err := p(in)
	return policy.Plan{Steps: steps}, err
}

func files(kind string, n int) []policy.Item {
	var items []policy.Item
	for i := range n {
		items = append(items, policy.Item{Key: fmt.Sprint(kind, i), Count: 1})
	}
	return items
}

// pushTwo writes the first two loose files into a leaf.
var pushTwo = custom(func(policy.Input) ([]policy.Step, error) {
	return []policy.Step{{Kind: policy.Push, Written: -1, Members: []policy.Ref{{Source: policy.FromLoose}, {Source: policy.FromLoose, Index: 1}}}}, nil
})

// TestExplain: each line goes on where the one before ended, the root as it is has the size that is known, and what a policy does not say
// of its steps is worked out.
func TestExplain(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(5), Loose: files("loose", 9), New: files("new", 4), Tombstones: files("dead", 1)}
	for _, known := range []int64{0, 5000} {
		for _, p := range []policy.Policy{simple.Cap{Rows: 3}, pushTwo} {
			in.RootBytes = known
			e, err := advise.Explain(p, in)
			if err != nil {
				t.Fatal(err)
			}
			if e.Now.Loose != 9 || e.Now.Tombstones != 0 || known > 0 && e.Now.Bytes != known {
				t.Errorf("%s: the root is %+v", p.Name(), e.Now)
			}
			rows := e.Lines[0].Before
			if rows.Loose != 13 || rows.Tombstones != 1 || rows.Bytes <= e.Now.Bytes {
				t.Errorf("%s: the root of the commit without steps is %+v", p.Name(), rows)
			}
			for _, l := range e.Lines {
				if l.Before != rows || l.PaidBytes <= in.Prices.LeafFixedBytes || l.Rows != int64(len(l.Members)) {
					t.Errorf("%s: %+v after %+v", p.Name(), l, rows)
				}
				if known == 0 && l.SavedBytes != l.Before.Bytes-l.After.Bytes {
					t.Errorf("%s: saves %d bytes, the root goes from %d to %d", p.Name(), l.SavedBytes, l.Before.Bytes, l.After.Bytes)
				}
				rows = l.After
			}
			if e.After != rows || e.Stays.Before != rows || e.Stays.Rows != rows.Loose || (e.Stays.PaidBytes > 0) != (rows.Loose > 0) {
				t.Errorf("%s: ends with %+v and %+v, not %+v", p.Name(), e.After, e.Stays, rows)
			}
		}
	}
}

// TestExplainByTheTablesOwnPrices: leaves that take twice as much as estimated make the estimates of roots larger, not the plan of a
// policy that does not learn.
func TestExplainByTheTablesOwnPrices(t *testing.T) {
	in := policy.Input{
		Mode: policy.Foreground, Prices: policy.EstimatePrices(5), New: files("new", 40), History: []policy.Snapshot{{ID: 1}}, // there is a root
	}
	plain, err := advise.Explain(simple.Never{}, in)
	if err != nil {
		t.Fatal(err)
	}
	size := in.Prices.LeafFixedBytes + 2*500*in.Prices.LeafEntryBytes
	in.Pointers = []policy.Pointer{{Location: "leaf", LiveEntries: 500, Entries: 500, FileSizeBytes: size}}
	wide, err := advise.Explain(simple.Never{}, in)
	if err != nil {
		t.Fatal(err)
	}
	grown := func(e advise.Explanation) int64 { return e.After.Bytes - e.Now.Bytes }
	if got, want := grown(wide), 2*grown(plain); got < want-80 || got > want+80 {
		t.Errorf("the root grows by %d bytes, by the estimate by %d", got, grown(plain))
	}
}

// TestExplainLeavesOfOneStep: a step of several leaves pays for each of them, also where the policy does not say what it pays.
func TestExplainLeavesOfOneStep(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(5), Loose: files("loose", 2)}
	paid := make(map[int]int64)
	for _, leaves := range []int{0, 1, 2} {
		p := custom(func(in policy.Input) ([]policy.Step, error) {
			steps, err := pushTwo(in)
			steps[0].Leaves = leaves
			return steps, err
		})
		e, err := advise.Explain(p, in)
		if err != nil || e.After.Pointers != int64(max(1, leaves)) {
			t.Fatalf("%d leaves: %+v, %v", leaves, e.After, err)
		}
		paid[leaves] = e.Lines[0].PaidBytes
	}
	if paid[0] != paid[1] || paid[2] != paid[1]+in.Prices.LeafFixedBytes {
		t.Errorf("paid by the number of leaves: %v", paid)
	}
}

// TestExplainRefuses a plan that is none, and says whose it is.
func TestExplainRefuses(t *testing.T) {
	in := policy.Input{Mode: policy.Foreground, Prices: policy.EstimatePrices(5), Loose: files("loose", 1)}
	failing := custom(func(policy.Input) ([]policy.Step, error) { return nil, errors.New("no plan") })
	for want, p := range map[string]policy.Policy{"policy custom: no plan": failing, "no item 1": pushTwo} {
		if _, err := advise.Explain(p, in); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "custom") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestFilesPerCommit(t *testing.T) {
	snapshots := func(key string, values ...string) (all []policy.Snapshot) {
		for _, v := range values {
			all = append(all, policy.Snapshot{Summary: map[string]string{key: v}})
		}
		return all
	}
	const added, learned = "added-data-files", "firn.policy.files-per-commit"
	for _, c := range []struct {
		name    string
		history []policy.Snapshot
		want    int64
	}{
		{"a new table", nil, 1},
		{"summaries that say nothing", snapshots("operation", "append", "append"), 1},
		{"one commit", snapshots(added, "12"), 12},
		{"a large commit among small ones", snapshots(added, "10", "10", "10", "10000", "10", "10", "10"), 27},
		{"nonsense", snapshots(added, "-3", "x", "5", "0"), 5},
		{"only the last ones count", append(snapshots(added, "1000000"), snapshots(added, slicesOf("7", 32)...)...), 7},
		{"what the policy learned", append(snapshots(learned, "3", "12.4"), snapshots(added, "5000")...), 12},
		{"what it learned last", append(snapshots(added, "5000"), snapshots(learned, "3", "12.4")...), 12},
		{"what it cannot have learned", append(snapshots(added, "5"), snapshots(learned, "Inf", "-1", "NaN")...), 5},
	} {
		if got := advise.FilesPerCommit(c.history); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func slicesOf(v string, n int) (all []string) {
	for range n {
		all = append(all, v)
	}
	return all
}
