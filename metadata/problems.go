package metadata

import (
	"fmt"
	"math"

	"github.com/google/uuid"
)

// Problem is one contradiction in a metadata file that can be read.
type Problem struct {
	// Path leads to the place, as in $.snapshots[3].sequence-number.
	Path string
	// Rule is the number of the rule, such as 14.2; empty where Iceberg requires it in general.
	Rule    string
	Message string
}

// String returns path, message and rule.
func (p Problem) String() string {
	if p.Rule == "" {
		return p.Path + ": " + p.Message
	}
	return fmt.Sprintf("%s: %s (rules %s)", p.Path, p.Message, p.Rule)
}

// Problems lists what in the metadata contradicts itself or the format, in the order of the file. It looks at
// this one file only: nothing about what the locations hold, and nothing about the order of snapshots in time (MD1).
func (t Table) Problems() []Problem {
	var p problems
	p.counters(t)
	p.schemas(t)
	p.specs(t)
	p.snapshots(t)
	p.refs(t)
	p.logs(t)
	return p
}

type problems []Problem

func (p *problems) add(path, rule, format string, args ...any) {
	*p = append(*p, Problem{Path: path, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) counters(t Table) {
	if _, err := uuid.Parse(t.UUID); err != nil && t.FormatVersion > 1 {
		p.add("$.table-uuid", "14.6", "%q is not a UUID", shorten(t.UUID))
	}
	for _, counter := range []struct {
		name  string
		value int64
	}{
		{"last-sequence-number", t.LastSequenceNumber},
		{"last-updated-ms", t.LastUpdatedMillis},
		{"next-row-id", t.NextRowID},
	} {
		if counter.value < 0 {
			p.add("$."+counter.name, "14.6", "%d is negative", counter.value)
		}
	}
	orders := map[int]struct{}{}
	for i, order := range t.SortOrders {
		unique(p, fmt.Sprintf("$.sort-orders[%d]", i), "order-id", orders, order.ID)
	}
	if _, ok := orders[t.DefaultSortOrderID]; !ok {
		p.add("$.default-sort-order-id", "14.6", "%d is not among the sort-orders", t.DefaultSortOrderID)
	}
}

// unique adds the id to those seen, and reports one that stands twice.
func unique[ID comparable](p *problems, path, what string, seen map[ID]struct{}, id ID) {
	if _, twice := seen[id]; twice {
		p.add(path, "14.6", "%s %v stands twice", what, id)
	}
	seen[id] = struct{}{}
}

func (p *problems) schemas(t Table) {
	ids := map[int]struct{}{}
	for i, schema := range t.Schemas {
		path := fmt.Sprintf("$.schemas[%d]", i)
		unique(p, path, "schema-id", ids, schema.ID)
		check := checkSchema(schema)
		for _, complaint := range check.complaints {
			p.add(path, "", "%s", complaint)
		}
		if check.highestID > t.LastColumnID {
			p.add(path, "14.6", "field id %d is above last-column-id %d", check.highestID, t.LastColumnID)
		}
	}
}

func (p *problems) specs(t Table) {
	ids := map[int]struct{}{}
	newestFirst := t.schemasNewestFirst()
	for i, spec := range t.Specs {
		path := fmt.Sprintf("$.partition-specs[%d]", i)
		unique(p, path, "spec-id", ids, spec.ID())
		for j, field := range spec.Fields() {
			at := fmt.Sprintf("%s.fields[%d]", path, j)
			if _, known := findColumn(newestFirst, field.SourceID()); !known && !isVoid(field) {
				p.add(at, "2.7.1", "partition source %d is in no schema", field.SourceID())
			}
			if field.FieldID > t.LastPartitionID {
				p.add(at, "14.6", "field-id %d is above last-partition-id %d", field.FieldID, t.LastPartitionID)
			}
		}
	}
	if _, err := t.UnionPartitionFields(); err != nil {
		p.add("$.partition-specs", "2.7.1", "%v", err)
	}
}

func (p *problems) snapshots(t Table) {
	ids := map[int64]struct{}{}
	numbers := map[int64]struct{}{}
	for i, s := range t.Snapshots {
		path := fmt.Sprintf("$.snapshots[%d]", i)
		unique(p, path, "snapshot-id", ids, s.ID)
		if s.SequenceNumber > 0 {
			unique(p, path, "sequence-number", numbers, s.SequenceNumber)
		}
		if s.SequenceNumber < 0 || s.SequenceNumber > t.LastSequenceNumber {
			p.add(path, "14.1", "sequence-number %d is not from 0 to last-sequence-number %d",
				s.SequenceNumber, t.LastSequenceNumber)
		}
		if _, ok := t.SchemaByID(s.SchemaID.Val); s.SchemaID.Valid && !ok {
			p.add(path, "14.1", "schema-id %d is not among the schemas", s.SchemaID.Val)
		}
		p.roots(t, s, path)
		p.rowIDs(t, s, path)
	}
}

// roots checks how a snapshot names its manifests, and what a root manifest asks for beside it.
func (p *problems) roots(t Table, s Snapshot, path string) {
	roots := 0
	for _, present := range []bool{s.RootManifest.Valid, s.ManifestList.Valid, s.Manifests != nil} {
		if present {
			roots++
		}
	}
	if roots != 1 {
		p.add(path, "14.2", "the snapshot has %d of root-manifest, manifest-list and manifests, not one of them", roots)
	}
	if !s.RootManifest.Valid {
		return
	}
	if t.FormatVersion < FormatVersion {
		p.add(path+".root-manifest", "14.2", "a table of format version %d has no root manifests", t.FormatVersion)
	}
	if s.RootManifest.Val == "" {
		p.add(path+".root-manifest", "14.1", "the location is empty")
	}
	if s.Operation() == "" {
		p.add(path+".summary", "14.1", "the operation is missing")
	}
	if s.SequenceNumber == 0 {
		p.add(path+".sequence-number", "14.1", "the number is missing or 0")
	}
	if !s.FirstRowID.Valid || !s.AddedRows.Valid {
		p.add(path, "14.1", "first-row-id and added-rows are required")
	}
}

func (p *problems) rowIDs(t Table, s Snapshot, path string) {
	first, added := s.FirstRowID.Val, s.AddedRows.Val
	switch {
	case !s.FirstRowID.Valid || !s.AddedRows.Valid:
	case first < 0 || added < 0:
		p.add(path, "8.1", "first-row-id %d or added-rows %d is negative", first, added)
	case first > math.MaxInt64-added || first+added > t.NextRowID:
		p.add(path, "8.1", "first-row-id %d plus added-rows %d exceeds next-row-id %d", first, added, t.NextRowID)
	}
}

func (p *problems) refs(t Table) {
	snapshots := t.SnapshotsByID()
	for _, ref := range t.Refs {
		path := formatPath([]step{{name: "refs", index: -1}, {name: ref.Name, index: -1}})
		if _, ok := snapshots[ref.SnapshotID]; !ok {
			p.add(path, "14.6", "snapshot %d is not among the snapshots", ref.SnapshotID)
		}
		if ref.Type != Branch && (ref.Type != Tag || ref.Name == MainBranch) {
			p.add(path, "14.6", "the type is %q", shorten(ref.Type))
		}
	}
	main, ok := t.Ref(MainBranch)
	if ok != t.CurrentSnapshotID.Valid || main.SnapshotID != t.CurrentSnapshotID.Val {
		p.add("$.current-snapshot-id", "14.6", "it does not agree with the branch main")
	}
}

// logSlackMillis is how far clocks may differ before version 4 (B50).
const logSlackMillis = 60_000

func (p *problems) logs(t Table) {
	slack := int64(logSlackMillis)
	if t.FormatVersion >= FormatVersion {
		slack = 0
	}
	for i := 1; i < len(t.SnapshotLog); i++ {
		p.logOrder("snapshot-log", i, t.SnapshotLog[i-1].TimestampMillis, t.SnapshotLog[i].TimestampMillis, slack)
	}
	for i := 1; i < len(t.MetadataLog); i++ {
		p.logOrder("metadata-log", i, t.MetadataLog[i-1].TimestampMillis, t.MetadataLog[i].TimestampMillis, slack)
	}
}

func (p *problems) logOrder(log string, i int, before, at, slack int64) {
	if at < before && uint64(before-at) > uint64(slack) {
		p.add(fmt.Sprintf("$.%s[%d].timestamp-ms", log, i), "14.3", "the log steps back from %d to %d", before, at)
	}
}
