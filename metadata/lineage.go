package metadata

import "fmt"

// Lineage returns the snapshot of the id, its parent, and so on, until a snapshot has no parent or its parent
// is not listed, because it has expired. An id that is not listed and parents that form a cycle are errors;
// [Table.Ancestors] passes over both. Parents alone give the order, no time does (B50).
func (t Table) Lineage(id int64) ([]Snapshot, error) {
	line, err := lineage(t.SnapshotsByID(), id)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return line, nil
}

func lineage(index map[int64]Snapshot, id int64) ([]Snapshot, error) {
	s, ok := index[id]
	if !ok {
		return nil, fmt.Errorf("snapshot %d is not among the snapshots", id)
	}
	var line []Snapshot
	for ok {
		if len(line) == len(index) {
			return nil, fmt.Errorf("the parents of snapshot %d form a cycle", id)
		}
		line = append(line, s)
		if !s.ParentID.Valid {
			break
		}
		s, ok = index[s.ParentID.Val]
	}
	return line, nil
}

// IsAncestor reports whether a snapshot is the descendant itself or one that it comes from. An ancestor that
// has expired is known as long as one of its children is listed.
func (t Table) IsAncestor(ancestor, descendant int64) bool {
	for s := range t.Ancestors(descendant) {
		if s.ID == ancestor || s.ParentID == some(ancestor) {
			return true
		}
	}
	return false
}
