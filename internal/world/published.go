package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// publication is one step of the catalog's entry.
type publication struct {
	old, new string
	// byHand says that another program took it.
	byHand bool
}

// comparePublished holds each metadata file that writers have published since the last time against the one before it: a
// commit changes its branch and adds its snapshot, and nothing else; no change turns a counter back; and the log
// names every file.
func (w *World) comparePublished(ctx context.Context) string {
	var out strings.Builder
	for _, p := range w.catalog.steps {
		if p.old == "" || p.byHand {
			continue
		}
		before, err := w.open().Metadata(ctx, p.old)
		after, afterErr := w.open().Metadata(ctx, p.new)
		if err = errors.Join(err, afterErr); errors.Is(err, store.ErrNotFound) {
			continue // trimmed since; if it should not have been, the log tells
		} else if err != nil {
			out.WriteString(w.problem("metadata: %v", err))
			continue
		}
		for _, wrong := range wrongStep(w.names.location, p.old, before, after) {
			out.WriteString(w.problem("metadata: %s after %s: %s", p.new, p.old, wrong))
		}
	}
	w.catalog.steps = nil
	return out.String()
}

// wrongStep says what is wrong with a step from one metadata file to the next.
func wrongStep(location, old string, before, after metadata.Table) []string {
	var wrong []string
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	n := len(after.MetadataLog)
	expect(n > 0 && tree.Resolve(location, after.MetadataLog[n-1].File) == old, "its log does not end with the file before it")
	expect(after.LastSequenceNumber >= before.LastSequenceNumber, "last-sequence-number was turned back")
	expect(after.NextRowID >= before.NextRowID, "next-row-id was turned back")
	d := metadata.Diff(before, after)
	if len(d.SnapshotsAdded) == 0 {
		return wrong
	}
	id := d.SnapshotsAdded[0]
	expect(len(d.SnapshotsAdded) == 1, "%d snapshots were added", len(d.SnapshotsAdded))
	expect(len(d.SnapshotsRemoved) == 0, "a commit let go the snapshots %v", d.SnapshotsRemoved)
	expect(len(d.Refs) == 1 && d.Refs[0].After.SnapshotID == id, "a commit of snapshot %d changed the refs %v", id, d.Refs)
	s, _ := after.Snapshot(id)
	expect(len(d.Refs) != 1 || d.Refs[0].Before.SnapshotID == s.ParentID.Val, "snapshot %d does not follow the head of its branch", id)
	moved := before.CurrentSnapshotID != after.CurrentSnapshotID
	logged := len(after.SnapshotLog) - len(before.SnapshotLog)
	expect(moved && logged == 1 && after.SnapshotLog[len(after.SnapshotLog)-1].SnapshotID == id || !moved && logged == 0,
		"the snapshot log does not tell what became the current snapshot")
	d.SnapshotsAdded, d.SnapshotsRemoved, d.Refs = nil, nil, nil
	expect(fmt.Sprint(d) == fmt.Sprint(metadata.Difference{}), "a commit changed more than snapshots and refs: %+v", d)
	return wrong
}

// compareLog looks for the metadata files that the log names. Those of before a table was moved may be elsewhere.
func (w *World) compareLog(ctx context.Context, location string, m metadata.Table) string {
	var out strings.Builder
	for _, entry := range m.MetadataLog {
		name := tree.Resolve(location, entry.File)
		if _, err := w.objects.Stat(ctx, name); err != nil {
			out.WriteString(w.problem("metadata: a file of the log: %v", err))
		}
	}
	return out.String()
}
