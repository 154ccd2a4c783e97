package advise_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/adaptive"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/simple"
)

// replayed counts commits of so many files each, with a chance of maintenance after each that something waits for.
func replayed(t *testing.T, p policy.Policy, start advise.Start, commits int, files int64) advise.Outcome {
	t.Helper()
	r, err := advise.NewReplay(p, policy.EstimatePrices(20), start)
	if err != nil {
		t.Fatal(err)
	}
	for range commits {
		if err := r.Commit(count.Change{Added: files}); err != nil {
			t.Fatal(err)
		}
		if r.Due() {
			if err := r.Maintain(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r.Outcome()
}

// TestReplayCountsWhatStreamsCount: the same policy on the same commits costs what package count says, roots whole.
func TestReplayCountsWhatStreamsCount(t *testing.T) {
	for _, p := range []policy.Policy{simple.Never{}, simple.Cap{Rows: 40}, simple.Tiered{}, adaptive.Policy{ForegroundBytes: 100_000}} {
		prices := policy.EstimatePrices(20)
		s := count.Stream{Table: count.Table{Prices: prices}, Policy: p, Pace: 1}
		for range 500 {
			if err := s.Commit(10); err != nil {
				t.Fatal(err)
			}
		}
		o := replayed(t, p, advise.Start{}, 500, 10)
		if want := s.Bytes + (s.Commits+s.Maintenance)*prices.RootFixedBytes; o.Bytes() != want || o.Maintenance != s.Maintenance || o.Commits != 500 {
			t.Errorf("%s: %d bytes in %d and %d commits, want %d in 500 and %d", p.Name(), o.Bytes(), o.Commits, o.Maintenance, want, s.Maintenance)
		}
		if o.LargestRootBytes != s.LargestRoot || o.MostRewrittenBytes != s.MostRewritten || o.EndLeaves != int64(len(s.Table.Leaves)) {
			t.Errorf("%s: %+v, want %+v", p.Name(), o, s)
		}
		if o.Objects() != o.Commits+o.Maintenance+o.LeavesWritten || o.ScanBytes() != o.EndRootBytes+o.EndLeafBytes {
			t.Errorf("%s: %+v", p.Name(), o)
		}
		if files := (o.ScanBytes() - prices.RootFixedBytes - o.EndLeaves*(prices.LeafFixedBytes+prices.PointerBytes)) / prices.LooseBytes; files < 4900 || files > 5000 {
			t.Errorf("%s: a plan of all %d files reads %d bytes", p.Name(), 5000, o.ScanBytes())
		}
	}
}

// TestReplayBeginsInTheMiddle: what the table is made of at the start is there, costs nothing, and is the caller's still.
func TestReplayBeginsInTheMiddle(t *testing.T) {
	start := advise.Start{Loose: 7, Leaves: []int64{30, 40}}
	prices := policy.EstimatePrices(20)
	o := replayed(t, simple.Never{}, start, 0, 0) // its root is there before the first commit
	if want := prices.RootFixedBytes + 7*prices.LooseBytes + 2*prices.PointerBytes; o.EndRootBytes != want || o.Bytes() != 0 || o.EndLeaves != 2 {
		t.Errorf("%+v, want a root of %d bytes", o, want)
	}
	o = replayed(t, simple.Never{}, start, 1, 3)
	if want := prices.RootFixedBytes + 10*prices.LooseBytes + 2*prices.PointerBytes; o.Bytes() != want || o.EndRootBytes != want || o.EndLeaves != 2 || o.LeavesWritten != 0 {
		t.Errorf("%+v, want %d bytes", o, want)
	}
	o = replayed(t, simple.Leveled{Batch: 8, LeafRows: 60}, start, 1, 3)
	if o.EndLeaves != 2 || o.LeavesWritten != 1 || o.EndRootBytes != prices.RootFixedBytes+2*prices.PointerBytes {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff(advise.Start{Loose: 7, Leaves: []int64{30, 40}}, start); diff != "" {
		t.Error(diff)
	}
}

// TestReplayWithoutAnything costs nothing.
func TestReplayWithoutAnything(t *testing.T) {
	r, err := advise.NewReplay(adaptive.Policy{}, policy.EstimatePrices(20), advise.Start{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Maintain(); err != nil {
		t.Fatal(err)
	}
	if got := r.Outcome(); got != (advise.Outcome{}) {
		t.Errorf("%+v", got)
	}
}
