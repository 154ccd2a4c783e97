package adaptive_test

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/internal/policytest"
)

// world is a table of which there are only the rows of the root, from one commit to the next.
type world struct {
	in    policy.Input
	names int
}

// foreignWorld is a table as an engine without a policy may leave it: a root with thousands of loose files, thousands of leaves of one file or
// a few, leaves of any size and age, masked ones, and manifests of earlier versions. Nothing in its history speaks of policies.
func foreignWorld(t *rapid.T) *world {
	w := &world{in: policy.Input{Prices: policy.EstimatePrices(20).Thinned(0), History: []policy.Snapshot{{ID: 1, Summary: map[string]string{"operation": "append"}}}}}
	w.in.Loose = policytest.Items("loose", rapid.SampledFrom([]int{0, 3, 100, 1500}).Draw(t, "loose files"))
	leaves := func(n int, live, entries, dvBytes int64, legacy bool) {
		for range n {
			w.point(policy.Pointer{LiveEntries: live, Entries: entries, DVBytes: dvBytes, Legacy: legacy})
		}
	}
	leaves(rapid.SampledFrom([]int{0, 10, 700, 3000}).Draw(t, "leaves of one file"), 1, 1, 0, false)
	leaves(rapid.SampledFrom([]int{0, 10, 200}).Draw(t, "small leaves"), 7, 9, 20, false)
	leaves(rapid.SampledFrom([]int{0, 4, 300}).Draw(t, "leaves beyond what a writer may write"), 400, 500, 60, false)
	leaves(rapid.SampledFrom([]int{0, 5}).Draw(t, "full leaves"), 1800, 1900, 200, false)
	leaves(rapid.SampledFrom([]int{0, 3}).Draw(t, "legacy manifests"), 50, 50, 0, true)
	slices.SortFunc(w.in.Pointers, func(a, b policy.Pointer) int { // in no order of size
		return cmp.Compare(crc32.ChecksumIEEE([]byte(a.Location)), crc32.ChecksumIEEE([]byte(b.Location)))
	})
	return w
}

func (w *world) point(p policy.Pointer) {
	w.names++
	p.Location = fmt.Sprint("leaf", w.names)
	p.FileSizeBytes = w.in.Prices.LeafFixedBytes + p.Entries*w.in.Prices.LeafEntryBytes
	w.in.Pointers = append(w.in.Pointers, p)
}

// live counts the live files.
func (w *world) live() int64 {
	n := int64(len(w.in.Loose) + len(w.in.New))
	for _, p := range w.in.Pointers {
		n += p.LiveEntries
	}
	return n
}

// fataler is a test of either kind.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// commit lets a policy plan a commit of so many files and tombstones, and makes the table what the plan makes of it. It returns what the
// commit wrote of old leaves again, in bytes.
func (w *world) commit(t fataler, p policy.Policy, mode policy.Mode, files, dead int) (again int64, plan policy.Plan) {
	w.names++
	w.in.Mode, w.in.New, w.in.Tombstones = mode, policytest.Items(fmt.Sprint("new", w.names, " "), files), policytest.Items(fmt.Sprint("dead", w.names, " "), dead)
	before := w.live()
	plan, err := p.Plan(w.in)
	if err == nil {
		err = plan.Validate(w.in)
	}
	if err != nil {
		t.Fatal(err)
	}
	gone := make(map[policy.Ref]bool)
	next := &world{in: w.in, names: w.names}
	next.in.Pointers, next.in.Loose, next.in.New, next.in.Tombstones = nil, nil, nil, nil
	for _, step := range plan.Steps {
		var fresh policy.Pointer
		for _, ref := range step.Members {
			item, _ := w.in.Item(ref)
			gone[ref] = true
			fresh.LiveEntries += item.Count
			if ref.Source == policy.FromPointers {
				again += item.Count * w.in.Prices.LeafEntryBytes
			}
		}
		if fresh.Entries = fresh.LiveEntries; step.Kind != policy.Bury {
			next.point(fresh)
		}
	}
	for i, pointer := range w.in.Pointers {
		if pointer.LiveEntries > 0 && !gone[policy.Ref{Source: policy.FromPointers, Index: i}] {
			pointer.Thin = pointer.Thin || slices.Contains(plan.Thinning.Pointers, i)
			next.in.Pointers = append(next.in.Pointers, pointer)
		}
	}
	for i, item := range w.in.Loose {
		if !gone[policy.Ref{Source: policy.FromLoose, Index: i}] {
			next.in.Loose = append(next.in.Loose, item)
		}
	}
	for i, item := range w.in.New {
		if !gone[policy.Ref{Source: policy.FromNew, Index: i}] {
			next.in.Loose = append(next.in.Loose, item)
		}
	}
	next.in.History = append(slices.Clone(w.in.History), policy.Snapshot{ID: int64(w.names), Summary: plan.Summary})
	*w = *next
	if w.live() != before {
		t.Fatalf("%d files, before %d", w.live(), before)
	}
	return again, plan
}

// rootBytes estimates the root.
func (w *world) rootBytes() int64 { return policytest.RootOf(w.in.LearnedPrices(), w.in, nil) }

// TestForeignTables: a table that another engine made is brought into shape, and no commit of a writer writes more of old leaves again
// than it may, nor one of maintenance more than the leaves that it may make; with maintenance now and then within a few turns of it, and
// without any the root comes below its limit where its leaves are small enough for writers.
func TestForeignTables(t *testing.T) {
	small := adaptive.Policy{RootBytes: 1 << 16, ForegroundBytes: 1 << 16, LeafBytes: 1 << 19}
	rapid.Check(t, func(t *rapid.T) {
		w := foreignWorld(t)
		pace := rapid.SampledFrom([]int{0, 1, 7}).Draw(t, "maintenance after")
		files := rapid.SampledFrom([]int{1, 10, 90}).Draw(t, "files a commit")
		dead := rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "tombstones")
		large := slices.ContainsFunc(w.in.Pointers, func(p policy.Pointer) bool { return p.LiveEntries >= 200 })
		turns := 0
		for i := 1; i <= 80; i++ {
			again, _ := w.commit(t, small, policy.Foreground, files, dead)
			if again > small.ForegroundBytes {
				t.Fatalf("commit %d of a writer writes %d bytes of leaves again", i, again)
			}
			if pace > 0 && i%pace == 0 {
				_, plan := w.commit(t, small, policy.Maintenance, 0, 0)
				turns++
				if len(plan.Steps) > 8 {
					t.Fatalf("commit %d of maintenance writes %d leaves", turns, len(plan.Steps))
				}
			}
		}
		if root := w.rootBytes(); root > small.RootBytes && (pace > 0 || !large) {
			t.Fatalf("after 80 commits and %d of maintenance the root takes %d bytes; %d leaves, %d loose files", turns, root, len(w.in.Pointers), len(w.in.Loose))
		}
	})
}

// TestLargeForeignTables: with the usual limits it takes few commits, of which no writer's writes more than 1 MiB of old leaves again.
func TestLargeForeignTables(t *testing.T) {
	for _, c := range []struct {
		name         string
		leaves, live int
		loose, pace  int
		thin         bool
		within       int // commits of writers until the root has at most 1 MiB
	}{
		{"leaves of one file", 20_000, 1, 0, 0, false, 5},
		{"leaves of one file, with maintenance", 20_000, 1, 0, 1, false, 2},
		{"leaves of five files", 20_000, 5, 0, 0, false, 24},
		{"leaves of five files, with maintenance", 20_000, 5, 0, 10, false, 11},
		{"a huge root", 0, 0, 50_000, 0, false, 1},
		{"all of it", 8000, 3, 20_000, 0, false, 4},
		{"leaves of one file, thin pointers", 20_000, 1, 0, 0, true, 1},
		{"leaves of five files, thin pointers", 20_000, 5, 0, 0, true, 1},
		{"all of it, thin pointers", 8000, 3, 20_000, 0, true, 1},
	} {
		prices := policy.EstimatePrices(20)
		if c.thin {
			prices = prices.Thinned(0)
		}
		w := &world{in: policy.Input{Prices: prices, Loose: policytest.Items("loose", c.loose)}}
		for range c.leaves {
			w.point(policy.Pointer{LiveEntries: int64(c.live), Entries: int64(c.live)})
		}
		for i := 1; i <= c.within; i++ {
			again, _ := w.commit(t, adaptive.Policy{}, policy.Foreground, 10, 0)
			if again > adaptive.DefaultForegroundBytes {
				t.Errorf("%s: commit %d writes %d bytes of leaves again", c.name, i, again)
			}
			if c.pace > 0 && i%c.pace == 0 {
				w.commit(t, adaptive.Policy{}, policy.Maintenance, 0, 0)
			}
		}
		if root := w.rootBytes(); root > adaptive.DefaultRootBytes {
			t.Errorf("%s: a root of %d bytes after %d commits", c.name, root, c.within)
		}
	}
}

// TestForeignCommitsBetween: a writer whose commits alternate with those of another engine waits for maintenance once, not each time anew:
// where it never comes, roots are not larger than without the other's snapshots. What is noted of a large root holds beyond them too.
func TestForeignCommitsBetween(t *testing.T) {
	const commits = 400
	small := adaptive.Policy{ForegroundBytes: 1 << 16, LeafBytes: 1 << 19}
	var alone int64
	for _, foreign := range []int{0, 1, 3} { // snapshots of others after each of ours
		w := &world{in: policy.Input{Prices: policy.EstimatePrices(20).Thinned(0)}}
		var bytes int64
		for range commits {
			w.commit(t, small, policy.Foreground, 10, 0)
			bytes += w.rootBytes()
			for range foreign {
				w.in.History = append(w.in.History, policy.Snapshot{Summary: map[string]string{"operation": "overwrite"}})
			}
		}
		t.Logf("%d foreign snapshots: roots of %d bytes", foreign, bytes/commits)
		if foreign == 0 {
			alone = bytes
		} else if bytes > alone/10*11 {
			t.Errorf("%d foreign snapshots after each commit: roots of %d bytes, without them %d", foreign, bytes/commits, alone/commits)
		}
	}

	w := &world{in: policy.Input{Prices: policy.EstimatePrices(20).Thinned(0)}}
	leaf := policy.Pointer{LiveEntries: 400, Entries: 400}
	w.point(leaf)
	for w.rootBytes() <= adaptive.DefaultRootBytes {
		w.point(leaf)
	}
	w.in.Pointers = w.in.Pointers[1:] // the next leaf is one too many
	w.in.History = []policy.Snapshot{
		{Summary: map[string]string{"firn.policy.files-per-commit": "10", "firn.policy.waiting": "root"}}, {Summary: map[string]string{"operation": "overwrite"}},
	}
	if again, _ := w.commit(t, small, policy.Foreground, 500, 0); again > small.ForegroundBytes {
		t.Errorf("a writer writes %d bytes of leaves again", again)
	}
}

// TestNoLeafForNothing: while a root that another engine made is beyond its limit, and no writer can bring it down, none of them writes a
// leaf that makes it no smaller.
func TestNoLeafForNothing(t *testing.T) {
	w := &world{in: policy.Input{Prices: policy.EstimatePrices(20).Thinned(0)}}
	for range 4500 {
		w.point(policy.Pointer{LiveEntries: 40_000, Entries: 40_000})
	}
	for i := range 20 {
		_, plan := w.commit(t, adaptive.Policy{}, policy.Foreground, i%3, i%4)
		for _, step := range plan.Steps {
			if step.SavedBytes <= 0 {
				t.Errorf("commit %d: a %s of %d rows makes roots %d bytes smaller", i, step.Kind, len(step.Members), step.SavedBytes)
			}
		}
		if len(plan.Deferred) == 0 {
			t.Errorf("commit %d: nothing waits for maintenance", i)
		}
	}
}
