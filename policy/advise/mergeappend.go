package advise

import (
	"math"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/mergeappend"
)

// MergeAppend counts what writers of format version 3 would have written for the same commits: a list of manifests in place of the root,
// and manifests in place of leaves, which they merge as [mergeappend.Table] says. Of a table that only grows, that is; of others
// nothing is known, and ok is false. columns are those of which the table keeps statistics.
//
// An entry takes as many times more than its estimate as the rows of the table's leaves do. The files of the start are in manifests as they
// were in leaves, those of the root in one more.
func (h History) MergeAppend(columns int) (o Outcome, ok bool) {
	table := mergeappend.Table{Sizes: mergeappend.Estimate(columns), Fast: true}
	learned := float64(h.Prices.LeafEntryBytes) / float64(max(1, policy.EstimatePrices(columns).LeafEntryBytes))
	table.Sizes.EntryBytes = max(1, int64(math.Round(float64(table.Sizes.EntryBytes)*learned)))
	for _, files := range append(h.Start.Leaves[:len(h.Start.Leaves):len(h.Start.Leaves)], h.Start.Loose) {
		o.EndRootBytes = max(o.EndRootBytes, table.Append(files).ListBytes)
	}
	table.Fast = false
	for _, c := range h.Commits {
		if c.Removed+c.Modified > 0 {
			return Outcome{}, false
		}
		if c.Maintenance() { // a merge needs none
			continue
		}
		cost := table.Append(c.Added)
		o.Commits++
		o.RootBytes += cost.ListBytes
		o.LeafBytes += cost.ManifestBytes
		o.LeavesWritten += int64(cost.Objects) - 1
		o.LargestRootBytes, o.EndRootBytes = max(o.LargestRootBytes, cost.ListBytes), cost.ListBytes
		o.MostRewrittenBytes = max(o.MostRewrittenBytes, cost.ManifestBytes-table.Sizes.Manifest(c.Added, 0))
	}
	o.EndLeafBytes, o.EndLeaves = table.LiveBytes(), int64(table.Manifests())
	return o, true
}
