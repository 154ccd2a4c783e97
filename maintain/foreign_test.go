package maintain_test

import (
	"slices"
	"testing"

	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/simple"
)

// watched is a policy of which the test sees what its plans write of old leaves again, in bytes.
type watched struct {
	adaptive.Policy
	again *int64
}

func (w watched) Plan(in policy.Input) (policy.Plan, error) {
	plan, err := w.Policy.Plan(in)
	*w.again = 0
	for _, step := range plan.Steps {
		for _, ref := range step.Members {
			if ref.Source == policy.FromPointers {
				*w.again += in.Pointers[ref.Index].LiveEntries * in.LearnedPrices().LeafEntryBytes
			}
		}
	}
	return plan, err
}

// eachAlone writes each new file into a leaf of its own.
var eachAlone = script(func(in policy.Input) []policy.Step {
	var steps []policy.Step
	for i := range in.New {
		steps = append(steps, policy.Step{Kind: policy.Push, Written: -1, Members: []policy.Ref{{Source: policy.FromNew, Index: i}}})
	}
	return steps
})

// numbers are those from first to last.
func numbers(first, last int) []int {
	var all []int
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

// TestMaintainForeignTable: a table that other policies have left with hundreds of leaves of one file, a few that no writer may write again,
// masked rows, and loose files beyond the root's limit, is brought into shape by commits of a writer with maintenance now and then: none of
// them is above its cap, every file stays, and at the end the root is as small as it should be.
func TestMaintainForeignTable(t *testing.T) {
	for pace, within := range map[int]int{0: 3, 1: 2, 5: 3} { // commits by when the root is below its limit
		w := newWorld(t, nil)
		w.append(eachAlone, numbers(0, 699)...)
		for i := range 3 {
			w.append(push, numbers(1000+200*i, 1199+200*i)...)
		}
		w.append(simple.Never{}, numbers(2000, 2099)...)
		gone := append(numbers(100, 139), numbers(1150, 1180)...)
		w.remove(gone...)
		want := slices.DeleteFunc(slices.Concat(numbers(0, 699), numbers(1000, 1599), numbers(2000, 2099)), func(n int) bool {
			return slices.Contains(gone, n)
		})

		var again int64
		p := watched{adaptive.Policy{RootBytes: 8000, ForegroundBytes: 3000, LeafBytes: 30_000}, &again}
		shaped := 0
		for i := 1; i <= 10; i++ {
			want = append(want, 3000+i)
			r := w.append(p, 3000+i)
			if again > p.ForegroundBytes {
				t.Errorf("pace %d, commit %d: a writer writes %d bytes of leaves again", pace, i, again)
			}
			if shaped == 0 && w.rootSize() <= p.RootBytes {
				shaped = i
			}
			if shaped == 0 && len(r.Plan.Deferred) == 0 {
				t.Errorf("pace %d, commit %d: nothing waits, with a root of %d bytes", pace, i, w.rootSize())
			}
			if pace > 0 && i%pace == 0 {
				r, err := maintain.Maintain(t.Context(), w.table, maintain.MaintainOptions{Policy: p})
				if err != nil || r.LeavesWritten > 8 {
					t.Fatalf("pace %d: %d leaves, %v", pace, r.LeavesWritten, err)
				}
			}
		}
		if shaped == 0 || shaped > within || w.rootSize() > p.RootBytes {
			t.Errorf("pace %d: below the limit after %d commits, want %d; at the end %d bytes", pace, shaped, within, w.rootSize())
		}
		w.live(want)
	}
}

// rootSize is the length of the newest root.
func (w *world) rootSize() int64 {
	w.Helper()
	info, err := w.Objects.Stat(w.Context(), w.head().Tree.Root)
	if err != nil {
		w.Fatal(err)
	}
	return info.SizeBytes
}

// live checks the whole history, and compares the live files with numbered ones.
func (w *world) live(want []int) {
	w.Helper()
	if err := w.Check(w.Context()); err != nil {
		w.Error(err)
	}
	got, err := w.Live(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, n := range want {
		names = append(names, testtable.File(n).Location)
	}
	slices.Sort(names)
	if !slices.Equal(names, got) {
		w.Errorf("%d live files, want %d", len(got), len(names))
	}
}
