package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
)

// rootOf are the live files in the root of a table, and the live files of each leaf, sorted.
func (t *realTable) rootOf(ctx context.Context) (loose int64, leaves []int64, err error) {
	head, err := t.table.Head(ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, e := range head.Tree.Rows {
		switch {
		case !e.Tracking.Status.Live():
		case e.Manifest.Valid:
			m := e.Manifest.Val
			leaves = append(leaves, int64(m.AddedFiles)+int64(m.ExistingFiles)+int64(m.ModifiedFiles))
		default:
			loose++
		}
	}
	slices.Sort(leaves)
	return loose, leaves, nil
}

// both runs a workload in the counting model and in one that writes, and returns what each commit wrote.
func both(t *testing.T, c Config, w Workload, p Choice, each func(real *realTable, counted *counted)) (inReal, inCounting []written) {
	t.Helper()
	real, err := c.newRealTable(t.Context(), w, p)
	if err != nil {
		t.Fatal(err)
	}
	counting := &counted{}
	pattern := c.pattern(w)
	pattern.Apart = p.inOrder()
	counting.stream = count.Stream{Table: count.Table{Prices: policy.EstimatePrices(c.Columns).Thinned(1), Pattern: pattern}, Policy: p.Policy, Pace: c.Pace, See: counting.take}
	next := w.Start(c.Seed, c.Commits)
	for change, more := next(); more; change, more = next() {
		if err := real.apply(t.Context(), change, func(x written) { inReal = append(inReal, x) }); err != nil {
			t.Fatal(err)
		}
		if err := counting.apply(t.Context(), change, func(x written) { inCounting = append(inCounting, x) }); err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each(real, counting)
		}
	}
	return inReal, inCounting
}

// small is a comparison that takes a second.
func small(m Model) Config {
	return Config{Model: m, Columns: 5, Pace: 1, Commits: 120, Seed: 3}.withDefaults()
}

// TestCountingIsTheSimulator: where nothing is drawn and prices do not matter, the counting model is the production code to the file: after
// each commit the same files are loose, the same number in each leaf, and the commit wrote leaves for the same reasons.
func TestCountingIsTheSimulator(t *testing.T) {
	w, err := WorkloadByName("stream", 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"never", "sqrt", "cap:rows=98", "tiered:batch=20:ratio=3", "leveled:batch=50:leaf-rows=400"} {
		p, err := Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		real, counting := both(t, small(Simulator), w, p, func(real *realTable, counted *counted) {
			loose, leaves, err := real.rootOf(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			table := &counted.stream.Table
			if want := slices.Sorted(slices.Values(table.Leaves)); loose != table.Loose() || !slices.Equal(leaves, want) {
				t.Fatalf("%s, commit %d: %d loose files and leaves of %d, counted %d and %d", name, real.commits, loose, leaves, table.Loose(), want)
			}
		})
		for i := range real {
			a, b := real[i], counting[i]
			if a.leaves != b.leaves || a.pushed != b.pushed || a.merged != b.merged || a.folded != b.folded || a.read != b.read {
				t.Fatalf("%s, commit %d: %+v, counted %+v", name, i+1, a, b)
			}
		}
	}
}

// cutting pushes what is loose, and once there are so many leaves cuts all into some.
type cutting struct{ most, leaves int }

func (cutting) Name() string { return "cutting" }

func (c cutting) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	step := policy.Step{Kind: policy.Push, Members: rest, Written: -1}
	if len(in.Pointers) == c.most {
		step.Kind, step.Leaves = policy.Merge, c.leaves
		for i := range in.Pointers {
			step.Members = append(step.Members, policy.Ref{Source: policy.FromPointers, Index: i})
		}
	}
	plan.Steps = append(plan.Steps, step)
	return plan, nil
}

// TestCountingCuts: the counting model cuts leaves of which it knows the partitions where a commit does, and tells policies the same of the
// order of their partitions.
func TestCountingCuts(t *testing.T) {
	w, err := WorkloadByName("stream", 50)
	if err != nil {
		t.Fatal(err)
	}
	w.ByTime = true
	moved := 0
	for _, c := range []cutting{{10, 2}, {11, 2}, {13, 3}, {20, 3}, {23, 5}, {40, 5}, {59, 7}} {
		config := small(Simulator)
		config.Commits = int64(c.most) + 2
		config.Partitions = max(1, config.Commits/4)
		var seen [2][]policy.Pointer
		asked := 0
		see := func(in policy.Input) { seen[asked%2] = slices.Clone(in.Pointers); asked++ }
		both(t, config, w, Choice{Name: "cutting", Policy: watching{c, see}}, func(real *realTable, counted *counted) {
			_, inReal, err := real.rootOf(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := slices.Sorted(slices.Values(counted.stream.Table.Leaves)); !slices.Equal(inReal, want) {
				t.Fatalf("%+v, commit %d: leaves of %d, counted %d", c, real.commits, inReal, want)
			}
			if real.commits == int64(c.most)+1 && inReal[c.leaves-1]-inReal[0] > 1 {
				moved++
			}
			if a, b := inOrder(seen[0]), inOrder(seen[1]); !slices.Equal(a, b) {
				t.Fatalf("%+v, commit %d: leaves of partitions %q, counted %q", c, real.commits, a, b)
			}
		})
	}
	if moved < 3 {
		t.Errorf("%d times a cut is where a partition begins", moved)
	}
}

// TestOrderIsKept: if asked to, the code that commits keeps leaves in the order of their partitions, as it does in the counting model: plans
// of one partition open no more leaves than they may.
func TestOrderIsKept(t *testing.T) {
	w, err := WorkloadByName("stream", 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, byTime := range []bool{false, true} {
		w.ByTime = byTime
		for name, kept := range map[string]bool{"adaptive:leaf-bytes=6000": false, "adaptive:leaf-bytes=6000:partition-leaves=150": true} {
			p, err := Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			var tables [2]subject
			both(t, small(Simulator), w, p, func(real *realTable, counted *counted) { tables = [2]subject{real, counted} })
			for i, table := range tables {
				l, err := table.layout(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				s, err := l.scan()
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("by time %t, %s, %s: %.2f of %d leaves are opened", byTime, name, [...]string{"written", "counted"}[i], s.partition.LeavesOpened, len(l.pointers))
				if opened := s.partition.LeavesOpened; kept && (opened > 1.6 || len(l.pointers) < 4) || !kept && !byTime && opened < 3 {
					t.Errorf("by time %t, %s, table %d: a plan opens %.2f of %d leaves", byTime, name, i, opened, len(l.pointers))
				}
			}
		}
	}
}

// inOrder returns the partitions of leaves by where they stand among all their bounds, in order. The real table is partitioned by a
// number, of which nobody knows that it is a period of time.
func inOrder(pointers []policy.Pointer) (all []string) {
	var bounds []int64
	for _, p := range pointers {
		bounds = append(bounds, p.First, p.Last)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for _, p := range pointers {
		first, _ := slices.BinarySearch(bounds, p.First)
		last, _ := slices.BinarySearch(bounds, p.Last)
		all = append(all, fmt.Sprintf("%d-%d: %d", first, last, p.Entries))
	}
	slices.Sort(all)
	return all
}

// watching shows what a policy is asked.
type watching struct {
	policy.Policy
	see func(policy.Input)
}

func (w watching) Plan(in policy.Input) (policy.Plan, error) {
	w.see(in)
	return w.Policy.Plan(in)
}

// TestCountingBytes holds the bytes of the counting model to those of manifests that are really written, and to the simulator's with the
// prices of its rows: within a fifth where nothing is drawn, and within a quarter else. Prices are a line, and the sizes of small
// manifests bend; files that came together have more in common than those that the prices were fitted to.
func TestCountingBytes(t *testing.T) {
	for _, c := range []struct {
		model    Model
		workload string
		within   float64
	}{{Simulator, "stream", 0.2}, {Simulator, "cdc", 0.25}, {Parquet, "stream", 0.2}, {Parquet, "cdc", 0.25}} {
		w, err := WorkloadByName(c.workload, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"sqrt", "tiered:batch=31:ratio=4", "adaptive"} {
			p, err := Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			config := small(c.model)
			if c.model == Parquet {
				config.Commits = 60
			}
			real, counting := both(t, config, w, p, nil)
			a, b := sumOf(real), sumOf(counting)
			t.Logf("%s, %s, %s: %.0f bytes in roots and %.0f in leaves, counted %+.3f and %+.3f", c.model, c.workload, name, a[0], a[1], b[0]/a[0]-1, b[1]/a[1]-1)
			if name == "adaptive" { // which merges now or a little later, by prices that are a little different
				a[0], a[1], b[0], b[1] = a[0]+a[1], 1, b[0]+b[1], 1
			}
			for i, what := range []string{"roots", "leaves"} {
				if off := b[i]/a[i] - 1; math.Abs(off) > c.within {
					t.Errorf("%s, %s, %s: %s are %.3f of what they are", c.model, c.workload, name, what, 1+off)
				}
			}
		}
	}
}

// TestLongRunsAgree: over more commits the bends of small manifests weigh little, and the models have the same figures.
func TestLongRunsAgree(t *testing.T) {
	for _, c := range []struct {
		model    Model
		workload string
		commits  int64
		within   float64
	}{{Simulator, "stream", 1500, 0.02}, {Simulator, "cdc", 1000, 0.05}, {Parquet, "stream", 300, 0.06}} {
		config := Config{Model: c.model, Columns: 20, Pace: 1, Commits: c.commits, Seed: 1}.withDefaults()
		w, err := WorkloadByName(c.workload, 10)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Choose("adaptive")
		if err != nil {
			t.Fatal(err)
		}
		var means [2]float64
		for i, model := range []Model{c.model, Counting} {
			config.Model = model
			r, err := config.measure(t.Context(), w, p, bounds{})
			if err != nil || r.Problem != "" {
				t.Fatal(err, r.Problem)
			}
			means[i] = r.CommitBytes.Mean
		}
		t.Logf("%s, %s: %.0f bytes a commit, counted %.0f", c.model, c.workload, means[0], means[1])
		if off := means[0]/means[1] - 1; math.Abs(off) > c.within {
			t.Errorf("%s, %s: %.0f bytes a commit, counted %.0f", c.model, c.workload, means[0], means[1])
		}
	}
}

// sumOf adds up the bytes of roots, and those of leaves.
func sumOf(all []written) (sum [2]float64) {
	for _, w := range all {
		sum[0] += float64(w.root)
		sum[1] += float64(w.fresh)
	}
	return sum
}

// TestLayout holds what internal/match prunes by the bounds of pointers to the bounds themselves.
func TestLayout(t *testing.T) {
	l := layout{root: 10, partitions: 8, commits: 8}
	for i := range int64(8) {
		l.pointers = append(l.pointers, pointerOf(count.Leaf{Rows: 5, Bytes: 100, Low: i, High: min(7, i+1), First: 1, Last: i + 1}))
	}
	s, err := l.scan()
	if err != nil {
		t.Fatal(err)
	}
	// A partition is in the leaf of its number and the one before; what came with commit n is in leaves n-1 to 7.
	if got, want := s.partition.LeavesOpened, 15.0/8; math.Abs(got-want) > 1e-9 || math.Abs(s.partition.BytesRead-10-100*want) > 1e-9 {
		t.Errorf("%+v", s)
	}
	if got, want := s.lookup.LeavesOpened, 4.5; s.everything.LeavesOpened != 8 || s.everything.BytesRead != 810 || math.Abs(got-want) > 1.01 {
		t.Errorf("%+v", s)
	}
}
