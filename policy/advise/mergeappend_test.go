package advise_test

import (
	"testing"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/policy/mergeappend"
)

// appends is a history of so many commits of ten files each, with maintenance now and then.
func appends(commits int) advise.History {
	h := advise.History{Prices: policy.EstimatePrices(20)}
	for i := range commits {
		h.Commits = append(h.Commits, advise.Commit{Change: count.Change{Added: 10}})
		if i%7 == 0 {
			h.Commits = append(h.Commits, advise.Commit{})
		}
	}
	return h
}

// TestMergeAppendCountsWhatTablesCount: a history costs what package mergeappend says of its appends.
func TestMergeAppendCountsWhatTablesCount(t *testing.T) {
	table := mergeappend.Table{Sizes: mergeappend.Estimate(20)}
	var want advise.Outcome
	for range 1500 {
		c := table.Append(10)
		want.Commits++
		want.RootBytes, want.LeafBytes = want.RootBytes+c.ListBytes, want.LeafBytes+c.ManifestBytes
		want.LeavesWritten += int64(c.Objects - 1)
		want.LargestRootBytes, want.EndRootBytes = max(want.LargestRootBytes, c.ListBytes), c.ListBytes
		if c.Merged > 0 {
			want.MostRewrittenBytes = max(want.MostRewrittenBytes, c.ManifestBytes-table.Sizes.Manifest(10, 0))
		}
	}
	want.EndLeafBytes, want.EndLeaves = table.LiveBytes(), int64(table.Manifests())
	if got, ok := appends(1500).MergeAppend(20); !ok || got != want || got.MostRewrittenBytes == 0 {
		t.Errorf("%t, %+v, want %+v", ok, got, want)
	}
}

// TestMergeAppendBeginsInTheMiddle: what is there at the start costs nothing, and merges with what comes.
func TestMergeAppendBeginsInTheMiddle(t *testing.T) {
	h := appends(0)
	h.Start = advise.Start{Loose: 5, Leaves: make([]int64, 2, 3)}
	h.Start.Leaves[0], h.Start.Leaves[1] = 30, 20
	sizes := mergeappend.Estimate(20)
	got, ok := h.MergeAppend(20)
	want := advise.Outcome{EndRootBytes: sizes.List(3, 0), EndLeafBytes: sizes.Manifest(30, 0) + sizes.Manifest(20, 0) + sizes.Manifest(5, 0), EndLeaves: 3}
	if !ok || got != want || h.Start.Leaves[:3][2] != 0 {
		t.Errorf("%t, %+v, want %+v; leaves %v", ok, got, want, h.Start.Leaves[:3])
	}
	h.Commits = appends(97).Commits
	if got, _ := h.MergeAppend(20); got.EndLeaves != 1 || got.Commits != 97 || got.EndLeafBytes != sizes.Manifest(10, 55+960) || got.MostRewrittenBytes != got.EndLeafBytes {
		t.Errorf("%+v", got)
	}
}

// TestMergeAppendInLearnedPrices: entries are dearer where the rows of the table's leaves are.
func TestMergeAppendInLearnedPrices(t *testing.T) {
	h := appends(1)
	usual, _ := h.MergeAppend(20)
	h.Prices.LeafEntryBytes *= 3
	dear, _ := h.MergeAppend(20)
	if more, want := dear.LeafBytes-usual.LeafBytes, 2*10*mergeappend.Estimate(20).EntryBytes; more != want || dear.RootBytes != usual.RootBytes {
		t.Errorf("%d bytes more, want %d", more, want)
	}
}

// TestMergeAppendOfAppendsAlone: of a history with deletes nothing is known.
func TestMergeAppendOfAppendsAlone(t *testing.T) {
	for _, c := range []count.Change{{Removed: 1}, {Added: 2, Modified: 1}} {
		h := appends(3)
		h.Commits = append(h.Commits, advise.Commit{Change: c})
		if got, ok := h.MergeAppend(20); ok || got != (advise.Outcome{}) {
			t.Errorf("%+v: %t, %+v", c, ok, got)
		}
	}
}
