package invariants

import (
	"encoding/json"
	"fmt"

	"github.com/firn-io/firn/metadata"
)

// What is left of an expired snapshot. Refs must not name it (M-REF); the parent id of a child may (MD18).
var danglingInvariants = []Invariant{
	{
		ID: "M-LOG-SNAPSHOT", Scope: ScopeMetadata, Severity: Warning, Firmness: Firm, Rule: "rules 14.6, MD18",
		Statement: "Each snapshot of snapshot-log is one of the table's.",
		Symptom:   "Time travel finds a snapshot that is gone, or takes one of its neighbours for it.",
		Advice:    "Drop the last such entry and all before it: what is left must be the whole history since then.",
		check:     checker{metadata: checkLogSnapshots},
	},
	{
		ID: "M-STATISTICS", Scope: ScopeMetadata, Severity: Warning, Firmness: Derived, Rule: "rules 14.6, MD18",
		Statement: "Each entry of statistics and partition-statistics names a snapshot of the table.",
		Symptom:   "The file of statistics costs storage, and nothing can use it.",
		Advice:    "Drop the entry when its snapshot expires, and then the file.",
		check:     checker{metadata: checkStatistics},
	},
}

func snapshotIDs(m *metadata.Table) map[int64]bool {
	ids := make(map[int64]bool, len(m.Snapshots))
	for i := range m.Snapshots {
		ids[m.Snapshots[i].ID] = true
	}
	return ids
}

func checkLogSnapshots(m *metadata.Table, r reporter) {
	known := snapshotIDs(m)
	for _, entry := range m.SnapshotLog {
		if !known[entry.SnapshotID] {
			r.report("snapshot-log.snapshot-id", "a snapshot of the table", entry.SnapshotID)
		}
	}
}

func checkStatistics(m *metadata.Table, r reporter) {
	known := snapshotIDs(m)
	for _, member := range m.Unknown {
		if member.Name != "statistics" && member.Name != "partition-statistics" {
			continue
		}
		var files []struct {
			SnapshotID *int64 `json:"snapshot-id"`
		}
		if err := json.Unmarshal([]byte(member.JSON), &files); err != nil {
			r.report(member.Name, "a list of files, each with a snapshot-id", err)
			continue
		}
		for i, f := range files {
			switch {
			case f.SnapshotID == nil:
				r.report(fmt.Sprintf("%s.%d.snapshot-id", member.Name, i), "a snapshot of the table", "null")
			case !known[*f.SnapshotID]:
				r.report(fmt.Sprintf("%s.%d.snapshot-id", member.Name, i), "a snapshot of the table", *f.SnapshotID)
			}
		}
	}
}
