package metadata

import (
	"iter"

	"github.com/apache/iceberg-go"
)

// Schema returns the current schema.
func (t Table) Schema() *iceberg.Schema {
	schema, _ := t.SchemaByID(t.CurrentSchemaID)
	return schema
}

// SchemaByID returns the schema of the id.
func (t Table) SchemaByID(id int) (*iceberg.Schema, bool) {
	for _, schema := range t.Schemas {
		if schema.ID == id {
			return schema, true
		}
	}
	return nil, false
}

// Spec returns the default partition spec.
func (t Table) Spec() iceberg.PartitionSpec {
	spec, _ := t.SpecByID(t.DefaultSpecID)
	return spec
}

// SpecByID returns the partition spec of the id.
func (t Table) SpecByID(id int) (iceberg.PartitionSpec, bool) {
	for _, spec := range t.Specs {
		if spec.ID() == id {
			return spec, true
		}
	}
	return iceberg.PartitionSpec{}, false
}

// Snapshot returns the snapshot of the id. It looks through the list; see [Table.SnapshotsByID].
func (t Table) Snapshot(id int64) (Snapshot, bool) {
	for _, s := range t.Snapshots {
		if s.ID == id {
			return s, true
		}
	}
	return Snapshot{}, false
}

// SnapshotsByID returns the snapshots by id. If an id stands twice, the first one counts, as it does for
// [Table.Snapshot].
func (t Table) SnapshotsByID() map[int64]Snapshot {
	index := make(map[int64]Snapshot, len(t.Snapshots))
	for _, s := range t.Snapshots {
		if _, twice := index[s.ID]; !twice {
			index[s.ID] = s
		}
	}
	return index
}

// Ref returns the branch or tag of the name.
func (t Table) Ref(name string) (Ref, bool) {
	for _, r := range t.Refs {
		if r.Name == name {
			return r, true
		}
	}
	return Ref{}, false
}

// Current returns the current snapshot; false before the first commit to the branch main.
func (t Table) Current() (Snapshot, bool) {
	if !t.CurrentSnapshotID.Valid {
		return Snapshot{}, false
	}
	return t.Snapshot(t.CurrentSnapshotID.Val)
}

// Ancestors yields the snapshot of the id, its parent, and so on, until a snapshot has no parent or its parent
// is not listed (it has expired). A cycle ends where it closes.
func (t Table) Ancestors(id int64) iter.Seq[Snapshot] {
	return func(yield func(Snapshot) bool) {
		index := t.SnapshotsByID()
		for {
			s, ok := index[id]
			if !ok || !yield(s) || !s.ParentID.Valid {
				return
			}
			delete(index, id)
			id = s.ParentID.Val
		}
	}
}
