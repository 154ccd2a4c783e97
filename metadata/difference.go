package metadata

import (
	"cmp"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"
)

// Difference is what changed from one state of a table to another. The zero Difference says that nothing did;
// counters, times and the two logs, which change with every commit, do not count.
type Difference struct {
	UUID, Location, FormatVersion bool
	// SchemasAdded and SchemasRemoved are schema ids, ascending; an id whose schema became another one stands in
	// both.
	SchemasAdded, SchemasRemoved []int
	CurrentSchema                bool
	// SpecsAdded and SpecsRemoved are spec ids in the same way.
	SpecsAdded, SpecsRemoved []int
	DefaultSpec              bool
	// SortOrders says that sort orders or the default one changed.
	SortOrders bool
	// Properties are the names of properties that were set, changed or removed, in order.
	Properties []string
	// Refs are the branches and tags that changed, by name.
	Refs []RefChange
	// SnapshotsAdded and SnapshotsRemoved are ids, each in the order of the table that has them.
	SnapshotsAdded, SnapshotsRemoved []int64
	// Others are the names of members that this package does not interpret, such as statistics, in order.
	Others []string
}

// RefChange is how a branch or tag changed.
type RefChange struct {
	Name string
	// Before and After are the ref's states; the zero Ref where it did not exist.
	Before, After Ref
	Kind          RefChangeKind
}

// RefChangeKind says what happened to a branch or tag.
type RefChangeKind int

// The kinds of changes of a ref.
const (
	// RefCreated and RefDropped say that only one state has it.
	RefCreated RefChangeKind = iota + 1
	RefDropped
	// RefAdvanced says that its snapshot descends from the one before.
	RefAdvanced
	// RefMoved says that its snapshot does not, as after a rollback, or that a branch became a tag.
	RefMoved
	// RefSettings says that it points where it did, and its retention changed.
	RefSettings
)

// Diff returns what changed from before to after.
func Diff(before, after Table) Difference {
	d := Difference{
		UUID:          before.UUID != after.UUID,
		Location:      before.Location != after.Location,
		FormatVersion: before.FormatVersion != after.FormatVersion,
		CurrentSchema: before.CurrentSchemaID != after.CurrentSchemaID,
		DefaultSpec:   before.DefaultSpecID != after.DefaultSpecID,
		SortOrders: before.DefaultSortOrderID != after.DefaultSortOrderID ||
			!slices.Equal(before.SortOrders, after.SortOrders),
		Properties: changedKeys(before.Properties, after.Properties),
		Others:     changedKeys(before.Unknown.texts(), after.Unknown.texts()),
		Refs:       refChanges(before, after),
	}
	schemaID := func(s *iceberg.Schema) int { return s.ID }
	sameSchema := func(a, b *iceberg.Schema) bool { return a.Equals(b) }
	d.SchemasAdded = slices.Sorted(slices.Values(missing(after.Schemas, before.Schemas, schemaID, sameSchema)))
	d.SchemasRemoved = slices.Sorted(slices.Values(missing(before.Schemas, after.Schemas, schemaID, sameSchema)))
	specID := func(s iceberg.PartitionSpec) int { return s.ID() }
	d.SpecsAdded = slices.Sorted(slices.Values(missing(after.Specs, before.Specs, specID, iceberg.PartitionSpec.Equals)))
	d.SpecsRemoved = slices.Sorted(slices.Values(missing(before.Specs, after.Specs, specID, iceberg.PartitionSpec.Equals)))
	snapshotID := func(s Snapshot) int64 { return s.ID }
	anySnapshot := func(Snapshot, Snapshot) bool { return true }
	d.SnapshotsAdded = missing(after.Snapshots, before.Snapshots, snapshotID, anySnapshot)
	d.SnapshotsRemoved = missing(before.Snapshots, after.Snapshots, snapshotID, anySnapshot)
	return d
}

// Ref returns how the branch or tag of a name changed; false if it did not.
func (d Difference) Ref(name string) (RefChange, bool) {
	for _, c := range d.Refs {
		if c.Name == name {
			return c, true
		}
	}
	return RefChange{}, false
}

// missing returns the ids of the items that others do not have in the same form.
func missing[T any, ID comparable](items, others []T, id func(T) ID, same func(a, b T) bool) []ID {
	known := make(map[ID]T, len(others))
	for _, other := range others {
		known[id(other)] = other
	}
	var ids []ID
	for _, item := range items {
		if other, ok := known[id(item)]; !ok || !same(item, other) {
			ids = append(ids, id(item))
		}
	}
	return ids
}

// changedKeys returns the keys under which only one map has a value, or each another one, in order.
func changedKeys(a, b map[string]string) []string {
	changed := map[string]struct{}{}
	for _, pair := range [][2]map[string]string{{a, b}, {b, a}} {
		for key, value := range pair[0] {
			if other, ok := pair[1][key]; !ok || other != value {
				changed[key] = struct{}{}
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

func (u Unknown) texts() map[string]string {
	texts := make(map[string]string, len(u))
	for _, m := range u {
		texts[m.Name] = m.JSON
	}
	return texts
}

func refChanges(before, after Table) []RefChange {
	var changes []RefChange
	for now := range after.AllRefs() {
		old, existed := before.Ref(now.Name)
		c := RefChange{Name: now.Name, Before: old, After: now}
		switch {
		case !existed:
			c.Kind = RefCreated
		case old.Type != now.Type, old.SnapshotID != now.SnapshotID && !after.IsAncestor(old.SnapshotID, now.SnapshotID):
			c.Kind = RefMoved
		case old.SnapshotID != now.SnapshotID:
			c.Kind = RefAdvanced
		case old.retention() != now.retention() || !slices.Equal(old.Unknown, now.Unknown):
			c.Kind = RefSettings
		default:
			continue
		}
		changes = append(changes, c)
	}
	for old := range before.AllRefs() {
		if _, ok := after.Ref(old.Name); !ok {
			changes = append(changes, RefChange{Name: old.Name, Before: old, Kind: RefDropped})
		}
	}
	slices.SortFunc(changes, func(a, b RefChange) int { return cmp.Compare(a.Name, b.Name) })
	return changes
}

func (r Ref) retention() Retention {
	return Retention{MinSnapshotsToKeep: r.MinSnapshotsToKeep, MaxSnapshotAgeMillis: r.MaxSnapshotAgeMillis, MaxAgeMillis: r.MaxAgeMillis}
}
