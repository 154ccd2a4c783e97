package metadata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// snapshotFiles are the members of table metadata that list files about single snapshots.
var snapshotFiles = []string{"statistics", "partition-statistics"}

// WithoutSnapshots returns the table without some of its snapshots. A snapshot that a branch or tag points to
// cannot go, and an id that is not listed is an error. The snapshots' entries in statistics and
// partition-statistics go along; the snapshot log loses its last entry of a snapshot that is not there and all
// entries before it, for what is left must be the whole history since then. Children keep the parent's id, and
// schemas and partition specs stay (B47, MD18).
func (t Table) WithoutSnapshots(ids ...int64) (Table, error) {
	known := t.SnapshotsByID()
	gone := make(map[int64]struct{}, len(ids))
	for _, id := range ids {
		if _, ok := known[id]; !ok {
			return Table{}, fmt.Errorf("metadata: remove snapshot %d: it is not among the snapshots", id)
		}
		gone[id] = struct{}{}
		delete(known, id)
	}
	for ref := range t.AllRefs() {
		if _, ok := gone[ref.SnapshotID]; ok {
			return Table{}, fmt.Errorf("metadata: remove snapshot %d: the %s %q points to it", ref.SnapshotID, ref.Type, ref.Name)
		}
	}
	if len(gone) == 0 {
		return t, nil
	}
	t.Snapshots = slices.DeleteFunc(slices.Clone(t.Snapshots), func(s Snapshot) bool {
		_, ok := gone[s.ID]
		return ok
	})
	for i, entry := range slices.Backward(t.SnapshotLog) {
		if _, ok := known[entry.SnapshotID]; !ok {
			t.SnapshotLog = t.SnapshotLog[i+1:]
			break
		}
	}
	t.Unknown = slices.Clone(t.Unknown)
	for i, m := range t.Unknown {
		if !slices.Contains(snapshotFiles, m.Name) {
			continue
		}
		text, err := withoutSnapshots(m.JSON, gone)
		if err != nil {
			return Table{}, fmt.Errorf("metadata: remove snapshots: %s: %w", m.Name, err)
		}
		t.Unknown[i].JSON = text
	}
	return t, nil
}

// withoutSnapshots returns a list of objects without those about the snapshots; the others keep their text.
func withoutSnapshots(list string, gone map[int64]struct{}) (string, error) {
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(list), &items); err != nil {
		return "", err
	}
	var kept []string
	for _, item := range items {
		var about struct {
			Snapshot *int64 `json:"snapshot-id"`
		}
		if err := json.Unmarshal(item, &about); err != nil {
			return "", err
		}
		if about.Snapshot != nil {
			if _, ok := gone[*about.Snapshot]; ok {
				continue
			}
		}
		kept = append(kept, string(item))
	}
	return "[" + strings.Join(kept, ",") + "]", nil
}
