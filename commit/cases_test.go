package commit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// pushNew is a policy that writes all new files into one leaf.
type pushNew struct{}

func (pushNew) Name() string { return "push-new" }

func (pushNew) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	members := slices.DeleteFunc(rest, func(ref policy.Ref) bool { return ref.Source != policy.FromNew })
	if len(members) > 0 {
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Push, Members: members, Written: -1, Reason: "new"})
	}
	return plan, nil
}

// appendLeaf begins to append files 8 and 9 in a leaf to a table with file 0.
func appendLeaf(t *testing.T, i *fault.Injector) (testtable.Store, *commit.Txn) {
	t.Helper()
	s := newStore(t, nil, testtable.Files(0, 1))
	return s, begin(t, s.Open(2, i), commit.TxnOptions{Policy: pushNew{}}, func(x *commit.Txn) {
		x.Append(testtable.Files(8, 10)...)
	})
}

// TestFaultsAfterTheSwap: the swap has landed, and then something goes wrong. The commit is a success, or unknown where
// nobody can tell; nothing of it is removed, nor by whatever the caller does when it gives up (B40).
func TestFaultsAfterTheSwap(t *testing.T) {
	for _, c := range []struct {
		name   string
		race   bool // a lost race before, so that there is something to clean up
		cancel bool // the caller's context ends as soon as the swap has landed
		faults []string
		// unknown says that the outcome cannot be told, and leftover how many objects were not removed.
		unknown  bool
		leftover int
	}{
		{name: "the context ends", cancel: true},
		{name: "the context ends, and there is something to clean up", cancel: true, race: true},
		{name: "the context ends with the answer", cancel: true, faults: []string{"swap #1 land-fail"}},
		{name: "reading fails", faults: []string{"load fail", "get fail", "range fail", "stat fail"}},
		{name: "listing fails", race: true, faults: []string{"list fail"}},
		{name: "the clean-up fails", race: true, faults: []string{"delete fail"}, leftover: 2},
		{name: "the clean-up panics", race: true, faults: []string{"delete panic"}, leftover: 2},
		{name: "the clean-up panics half way", race: true, faults: []string{"delete #2 land-panic"}, leftover: 1},
		{name: "the answer cannot be decoded", faults: []string{"swap #1 land-panic"}},
		{name: "nor can the table be looked at", faults: []string{"swap #1 land-panic", "load fail"}, unknown: true},
		{name: "nor is its metadata there", cancel: true, faults: []string{"swap #1 land-panic", "get fail"}, unknown: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			i := new(fault.Injector)
			s, x := appendLeaf(t, i)
			if c.race {
				mustCommit(t, s.Open(3, nil), func(x *commit.Txn) { x.Append(testtable.File(7)) })
			}
			swaps := 0
			i.Before = func(_ context.Context, call fault.Call) error {
				if call.Op != fault.Swap {
					return nil
				}
				if swaps++; swaps == 1 && c.race {
					return nil
				}
				arm(t, i, c.faults...)
				return nil
			}
			i.After = func(_ context.Context, call fault.Call) {
				if call.Op == fault.Swap && call.Stored == fault.OK && c.cancel {
					cancel()
				}
			}
			r, err := x.Commit(ctx)
			if errors.Is(err, commit.ErrUnknown) != c.unknown || err != nil != c.unknown || len(r.Leftover) != c.leftover {
				t.Errorf("left over %v, %v", r.Leftover, err)
			}
			if _, err := x.Commit(ctx); !errors.Is(err, commit.ErrRefused) {
				t.Errorf("committed again: %v", err)
			}
			want := []int{0, 8, 9}
			if c.race {
				want = []int{0, 7, 8, 9}
			}
			checkLive(t, s, want...)
			if c.leftover == 0 {
				checkNoOrphans(t, s)
			}
		})
	}
}

// TestFaultsBeforeTheSwap: what goes wrong before the swap is sent leaves the table as it was, and exactly what the
// attempt had written is removed (B40).
func TestFaultsBeforeTheSwap(t *testing.T) {
	var calm fault.Injector
	_, x := appendLeaf(t, &calm)
	if _, err := x.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	puts := len(sent(&calm, fault.Put))
	if puts != 3 {
		t.Fatalf("%d objects, want a leaf, a root and a metadata file", puts)
	}
	for n := 1; n <= puts; n++ {
		for _, outcome := range []fault.Outcome{fault.Fail, fault.LandFail, fault.Unknown, fault.LandUnknown, fault.HalfFail, ""} {
			t.Run(fmt.Sprintf("%d %s", n, outcome), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				i := new(fault.Injector)
				s, x := appendLeaf(t, i)
				before := s.Objects.Names()
				if outcome != "" {
					arm(t, i, fmt.Sprintf("put #%d %s", n, outcome))
				}
				i.Before = func(_ context.Context, call fault.Call) error {
					if outcome == "" && call.Op == fault.Put && len(sent(i, fault.Put)) == n-1 {
						cancel() // the caller gives up
					}
					return nil
				}
				_, err := x.Commit(ctx)
				if err == nil || errors.Is(err, commit.ErrUnknown) || len(sent(i, fault.Swap)) > 0 {
					t.Errorf("%d swaps, %v", len(sent(i, fault.Swap)), err)
				}
				if diff := cmp.Diff(before, s.Objects.Names()); diff != "" {
					t.Errorf("objects (-before +after):\n%s", diff)
				}
				for _, call := range sent(i, fault.Delete) {
					if !slices.ContainsFunc(sent(i, fault.Put), func(c fault.Call) bool { return c.Name == call.Name }) {
						t.Errorf("removed %s, which the attempt did not write", call.Name)
					}
				}
				checkLive(t, s, 0)
			})
		}
	}
}

// stormBranches are the branches of the storm; main comes first.
var stormBranches = []string{metadata.MainBranch, "p", "q", "r"}

const (
	stormWriters = 8
	stormCommits = 25
)

// weather runs all writers of a storm at the same time, two on each branch, and returns how many attempts they took.
func weather(t *testing.T, s testtable.Store) int {
	t.Helper()
	var group sync.WaitGroup
	attempts := make([]int, stormWriters)
	for w := range stormWriters {
		env := testtable.Env(int64(10 + w))
		env.Sleep, env.Float64 = sysenv.Sleep, sysenv.Float64
		table := commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
		group.Go(func() {
			for n := range stormCommits {
				x, err := table.Begin(t.Context(), commit.TxnOptions{Branch: stormBranches[w%4], MaxAttempts: 1000})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				x.Append(testtable.File(1000*(w%4+1) + w/4*stormCommits + n))
				r, err := x.Commit(t.Context())
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				attempts[w] += r.Attempts
			}
		})
	}
	group.Wait()
	total := 0
	for _, n := range attempts {
		total += n
	}
	return total
}

// TestStorm lets eight writers commit to four branches at the same time: nobody fails, sequence numbers follow the order
// of the commits, and each branch is a line of its own with its own files (B49).
func TestStorm(t *testing.T) {
	quick := map[string]string{"firn.policy": "never", "commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1000"}
	s := newStore(t, quick, testtable.Files(0, 1))
	first := current(t, s).ID
	for _, branch := range stormBranches[1:] {
		_, err := s.Open(2, nil).Update(t.Context(), func(m metadata.Table) (metadata.Table, error) {
			return m.CreateRef(metadata.Ref{Name: branch, Type: metadata.Branch, SnapshotID: first})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const commits = stormWriters * stormCommits
	t.Logf("%d attempts for %d commits", weather(t, s), commits)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	table := s.Open(3, nil)
	head, err := table.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := head.Metadata
	if len(m.Snapshots) != 1+commits || m.LastSequenceNumber != 1+commits || m.NextRowID != 100*(1+commits) {
		t.Errorf("%d snapshots, sequence number %d, row id %d", len(m.Snapshots), m.LastSequenceNumber, m.NextRowID)
	}
	for i, snapshot := range m.Snapshots {
		if snapshot.SequenceNumber != int64(1+i) {
			t.Errorf("snapshot %d of the list has sequence number %d", i, snapshot.SequenceNumber)
		}
	}
	for b, branch := range stormBranches {
		ref, _ := m.Ref(branch)
		line, err := m.Lineage(ref.SnapshotID)
		if err != nil || len(line) != 1+commits/4 {
			t.Errorf("%s: a line of %d snapshots, %v", branch, len(line), err)
		}
		want := append(testtable.Files(0, 1), testtable.Files(1000*(b+1), 1000*(b+1)+2*stormCommits)...)
		checkBranch(t, table, branch, want)
	}
}

// current returns the current snapshot.
func current(t *testing.T, s testtable.Store) metadata.Snapshot {
	t.Helper()
	head, err := s.Open(4, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snapshot, _ := head.Snapshot()
	return snapshot
}

// checkBranch compares the live files of a branch.
func checkBranch(t *testing.T, table *commit.Table, branch string, want []tree.File) {
	t.Helper()
	head, err := table.HeadOf(t.Context(), branch)
	if err != nil {
		t.Fatal(err)
	}
	times := make(map[string]int)
	for l, err := range table.Files(t.Context(), head, tree.Projection{}) {
		if err != nil {
			t.Fatal(err)
		}
		times[l.Location]++
	}
	once := make(map[string]int)
	for _, f := range want {
		once[f.Location] = 1
	}
	if !maps.Equal(once, times) {
		t.Errorf("%s: live files (-want +got):\n%s", branch, cmp.Diff(once, times))
	}
}

// clockOf opens the table with a clock that stands still.
func clockOf(s testtable.Store, seed, millis int64) *commit.Table {
	env := testtable.Env(seed)
	env.NowMillis = func() int64 { return millis }
	return commit.Open(testtable.ID, s.Catalog, s.Objects, commit.Options{Env: env})
}

// TestClocks: writers whose clocks differ by any amount commit one after the other. Time goes up with each snapshot, a
// clock that is behind is warned of and no error, and neither log of the metadata steps back (B50).
func TestClocks(t *testing.T) {
	const parent = int64(1_700_000_100_000)
	const second, minute = int64(1000), int64(60_000)
	for _, c := range []struct {
		name        string
		clock, want int64
		warns       bool
	}{
		{"half a minute behind", parent - 30*second, parent + 1, true},
		{"just under a minute behind", parent - 59*second, parent + 1, true},
		{"just over a minute behind", parent - 61*second, parent + 1, true},
		{"ten minutes behind", parent - 10*minute, parent + 1, true},
		{"in the same millisecond", parent, parent + 1, false},
		{"a millisecond later", parent + 1, parent + 1, false},
		{"ten minutes ahead", parent + 10*minute, parent + 10*minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, nil)
			mustCommit(t, clockOf(s, 2, parent), func(x *commit.Txn) { x.Append(testtable.File(1)) })
			r := mustCommit(t, clockOf(s, 3, c.clock), func(x *commit.Txn) { x.Append(testtable.File(2)) })
			if got := current(t, s).TimestampMillis; got != c.want || len(r.Warnings) > 0 != c.warns {
				t.Errorf("time %d, want %d; warnings %q", got, c.want, r.Warnings)
			}
			r = mustCommit(t, clockOf(s, 4, parent), func(x *commit.Txn) { x.Remove(testtable.Target(1)) })
			if got := current(t, s).TimestampMillis; got != c.want+1 || len(r.Warnings) != 1 {
				t.Errorf("the next one: time %d, want %d; warnings %q", got, c.want+1, r.Warnings)
			}
			policy := metadata.ExpiryPolicy{KeepLast: 1}
			policy.OlderThanMillis.Val, policy.OlderThanMillis.Valid = c.want+10*minute, true
			slow := clockOf(s, 5, parent-60*minute)
			if e, err := maintain.Expire(t.Context(), slow, maintain.ExpireOptions{Policy: policy}); err != nil || len(e.Snapshots) != 2 {
				t.Errorf("expiry by a slow clock: %v, %v", e.Snapshots, err)
			}
			checkLive(t, s, 2)
			checkLogs(t, s, c.want+1)
		})
	}
}

// checkLogs checks that the times of the metadata do not step back, and end at last or later.
func checkLogs(t *testing.T, s testtable.Store, last int64) {
	t.Helper()
	head, err := s.Open(6, nil).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var snapshots, files []int64
	for _, e := range head.Metadata.SnapshotLog {
		snapshots = append(snapshots, e.TimestampMillis)
	}
	for _, e := range head.Metadata.MetadataLog {
		files = append(files, e.TimestampMillis)
	}
	files = append(files, head.Metadata.LastUpdatedMillis)
	if !slices.IsSorted(snapshots) || !slices.IsSorted(files) || files[len(files)-1] < last {
		t.Errorf("times of the snapshot log %d, of the metadata files %d", snapshots, files)
	}
}
