package commit

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// total is a running total of the summary, and the two counts by which a commit changes it.
type total struct {
	name, added, removed string
}

// A deletion vector counts as a delete file, its rows as position deletes, as in tables of format version 3 (F25).
var (
	fileTotal    = total{"total-data-files", "added-data-files", "deleted-data-files"}
	recordTotal  = total{"total-records", "added-records", "deleted-records"}
	byteTotal    = total{"total-files-size", "added-files-size", "removed-files-size"}
	vectorTotal  = total{"total-delete-files", "added-delete-files", "removed-delete-files"}
	deletedTotal = total{"total-position-deletes", "added-position-deletes", "removed-position-deletes"}

	totals = []total{fileTotal, recordTotal, byteTotal, vectorTotal, deletedTotal}
)

// The counts of deletion vectors alone.
const (
	addedVectors   = "added-dvs"
	removedVectors = "removed-dvs"
)

// difference is what a commit adds to a total and takes from it.
type difference struct{ added, removed sum }

// summary returns the summary of the new snapshot. Totals go on from the parent's; where the parent has none,
// or what a removed file had was not read, a total is left out rather than guessed.
func (x *Txn) summary(p *placement, t tree.Tree, rootBytes int64) map[string]string {
	s := map[string]string{"operation": p.operation(), "engine-name": "firn"}
	d := p.differences()
	parent := x.parentSummary(p.base)
	for _, t := range totals {
		t.put(s, parent, d[t].added, d[t].removed)
	}
	if n := d[vectorTotal].added; n.n > 0 {
		count(s, addedVectors, n.n)
	}
	if n := d[vectorTotal].removed; n.n > 0 && !n.unknown {
		count(s, removedVectors, n.n)
	}
	count(s, "firn.root-rows", int64(len(t.Rows)))
	count(s, "firn.root-bytes", rootBytes)
	count(s, "firn.leaves-written", p.plan.Leaves())
	if x.restored != nil {
		count(s, "firn.restored-snapshot-id", x.restored.snapshotID)
	}
	for k, v := range p.plan.Summary {
		s[k] = v
	}
	for k, v := range x.options.Summary {
		s[k] = v
	}
	return s
}

// differences adds up what the commit changes. A file whose deletion vector changes is neither added nor removed (B34).
func (p *placement) differences() map[total]difference {
	d := make(map[total]*difference)
	for _, t := range totals {
		d[t] = new(difference)
	}
	gone := func(dv iceberg.Optional[tree.DeletionVector]) {
		if dv.Valid {
			d[vectorTotal].removed.add(1)
			d[deletedTotal].removed.add(dv.Val.Cardinality)
		}
	}
	come := func(dv iceberg.Optional[tree.DeletionVector]) {
		if dv.Valid {
			d[vectorTotal].added.add(1)
			d[deletedTotal].added.add(dv.Val.Cardinality)
		}
	}
	for _, a := range p.found.adds {
		d[fileTotal].added.add(1)
		d[recordTotal].added.add(a.entry.RecordCount)
		d[byteTotal].added.add(a.entry.FileSizeBytes)
		come(a.entry.DeletionVector)
	}
	for _, c := range p.found.files {
		switch c.fate {
		case removed:
			d[fileTotal].removed.add(1)
			d[recordTotal].removed.add(c.old.Entry.RecordCount)
			d[byteTotal].removed.add(c.old.Entry.FileSizeBytes)
			gone(c.old.Entry.DeletionVector)
			for _, t := range []total{byteTotal, vectorTotal, deletedTotal} {
				d[t].removed.unknown = d[t].removed.unknown || !c.old.Projection.File
			}
		case modified:
			gone(c.old.Entry.DeletionVector)
			come(c.state.DeletionVector)
		}
	}
	all := make(map[total]difference, len(d))
	for t, sums := range d {
		all[t] = *sums
	}
	return all
}

// operation names what the transaction does in the words of the format: it appends files, it deletes files or rows, or
// both; a compaction and what only moves entries replace; everything else overwrites.
func (p *placement) operation() string {
	deletes, refreshes, rewrites := false, false, true
	for _, c := range p.found.files {
		deletes = deletes || c.fate == removed || c.fate == modified
		refreshes = refreshes || c.fate == refreshed
	}
	for _, t := range p.targets {
		rewrites = rewrites && t.rewritten && t.asOf != 0
		deletes = deletes || t.deletes != nil // rows that another writer deleted in the meantime
	}
	for _, a := range p.adds {
		rewrites = rewrites && a.rewritten
	}
	switch {
	case p.restored != nil:
		return metadata.OpOverwrite
	case !deletes && len(p.found.adds) > 0:
		return metadata.OpAppend
	case !deletes && (refreshes || p.options.Mode == policy.Maintenance):
		return metadata.OpReplace
	case !deletes:
		return metadata.OpAppend
	case rewrites && len(p.found.adds) > 0:
		return metadata.OpReplace
	case len(p.found.adds) == 0:
		return metadata.OpDelete
	}
	return metadata.OpOverwrite
}

// parentSummary returns the summary that totals go on from; a table without snapshots has totals of zero.
func (x *Txn) parentSummary(base *Head) map[string]string {
	if s, ok := base.Snapshot(); ok {
		return s.Summary
	}
	zero := make(map[string]string)
	for _, t := range totals {
		zero[t.name] = "0"
	}
	return zero
}

// sum adds numbers that are not negative. It is unknown where one of them was not read or 64 bits do not hold it.
type sum struct {
	n       int64
	unknown bool
}

func (s *sum) add(n int64) {
	s.unknown = s.unknown || n < 0 || n > math.MaxInt64-s.n
	s.n += n
}

// put writes the counts that are known and not zero, and the total if it is known.
func (t total) put(s, parent map[string]string, added, removed sum) {
	for key, part := range map[string]sum{t.added: added, t.removed: removed} {
		if part.n > 0 && !part.unknown {
			count(s, key, part.n)
		}
	}
	after := added
	before, err := strconv.ParseInt(parent[t.name], 10, 64)
	if after.add(before); err == nil && !after.unknown && !removed.unknown && after.n >= removed.n {
		count(s, t.name, after.n-removed.n)
	}
}

func count(s map[string]string, key string, n int64) { s[key] = strconv.FormatInt(n, 10) }

// checkSummary refuses keys that the engine sets itself.
func checkSummary(extra map[string]string) error {
	reserved := []string{"operation", "engine-name", addedVectors, removedVectors}
	for _, t := range totals {
		reserved = append(reserved, t.name, t.added, t.removed)
	}
	for _, key := range reserved {
		if _, set := extra[key]; set {
			return refusef("", "summary key %q is set by the engine", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		if strings.HasPrefix(key, "firn.") {
			return refusef("", "summary key %q: those with the prefix firn. are set by the engine", key)
		}
	}
	return nil
}
