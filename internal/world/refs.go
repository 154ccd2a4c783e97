package world

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unlogged are the parts of a summary that log leaves out.
func unlogged(key, value string) bool {
	return key == "operation" || key == "engine-name" || value == "0" ||
		strings.HasPrefix(key, "firn.") && key != "firn.restored-snapshot-id" || strings.HasSuffix(key, "-files-size")
}

// log prints the snapshots of all branches in the order of the metadata file: parent, sequence number, time, the range
// of row ids, operation and counts.
func (w *World) log(ctx context.Context, _ command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range head.Metadata.Snapshots {
		parent := "none"
		if s.ParentID.Valid {
			parent = fmt.Sprint(s.ParentID.Val)
		}
		fmt.Fprintf(&b, "snapshot %d parent=%s seq=%d time=%d row_ids=%d+%d %s",
			s.ID, parent, s.SequenceNumber, s.TimestampMillis, s.FirstRowID.Val, s.AddedRows.Val, s.Operation())
		for _, key := range slices.Sorted(maps.Keys(s.Summary)) {
			if !unlogged(key, s.Summary[key]) {
				fmt.Fprintf(&b, " %s=%s", key, s.Summary[key])
			}
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// refs prints the branches and tags.
func (w *World) refs(ctx context.Context, _ command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for ref := range head.Metadata.AllRefs() {
		fmt.Fprintf(&b, "%s %s %d\n", ref.Type, ref.Name, ref.SnapshotID)
	}
	return b.String(), nil
}
