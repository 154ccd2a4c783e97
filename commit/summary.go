package commit

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// total is a running total of the summary, and the two counts by which a commit changes it.
type total struct {
	name, added, removed string
}

var (
	files   = total{"total-data-files", "added-data-files", "deleted-data-files"}
	records = total{"total-records", "added-records", "deleted-records"}
	bytes   = total{"total-files-size", "added-files-size", "removed-files-size"}
)

// summary returns the summary of the new snapshot. Totals go on from the parent's; where the parent has none,
// or the size of a removed file was not read, a total is left out rather than guessed.
func (x *Txn) summary(p *placement, t tree.Tree, rootBytes int64) map[string]string {
	s := map[string]string{"operation": x.operation(), "engine-name": "firn"}
	var addedRecords, addedBytes, removedRecords, removedBytes sum
	for _, a := range x.adds {
		addedRecords.add(a.file.RecordCount)
		addedBytes.add(a.file.FileSizeBytes)
	}
	for _, gone := range p.found.gone {
		removedRecords.add(gone.Entry.RecordCount)
		removedBytes.add(gone.Entry.FileSizeBytes)
		removedBytes.unknown = removedBytes.unknown || !gone.Projection.File
	}
	parent := x.parentSummary(p.base)
	files.put(s, parent, sum{n: int64(len(x.adds))}, sum{n: int64(len(p.found.gone))})
	records.put(s, parent, addedRecords, removedRecords)
	bytes.put(s, parent, addedBytes, removedBytes)
	count(s, "firn.root-rows", int64(len(t.Rows)))
	count(s, "firn.root-bytes", rootBytes)
	count(s, "firn.leaves-written", int64(len(p.plan.Steps)))
	for k, v := range p.plan.Summary {
		s[k] = v
	}
	for k, v := range x.options.Summary {
		s[k] = v
	}
	return s
}

// operation names what the transaction does in the words of the format.
func (x *Txn) operation() string {
	switch {
	case len(x.targets) == 0:
		return metadata.OpAppend
	case len(x.adds) == 0:
		return metadata.OpDelete
	}
	return metadata.OpOverwrite
}

// parentSummary returns the summary that totals go on from; a table without snapshots has totals of zero.
func (x *Txn) parentSummary(base *Head) map[string]string {
	if s, ok := base.Metadata.Current(); ok {
		return s.Summary
	}
	return map[string]string{files.name: "0", records.name: "0", bytes.name: "0"}
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
	reserved := []string{"operation", "engine-name"}
	for _, t := range []total{files, records, bytes} {
		reserved = append(reserved, t.name, t.added, t.removed)
	}
	for _, key := range reserved {
		if _, set := extra[key]; set {
			return refusef("", "summary key %q is set by the engine", key)
		}
	}
	for key := range extra {
		if strings.HasPrefix(key, "firn.") {
			return refusef("", "summary keys with the prefix firn. are set by the engine")
		}
	}
	return nil
}

func some[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }
