package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// liveFile is a live file as a tree shows it.
type liveFile struct {
	location string
	known
}

// live returns the live files of a tree.
func (w *World) liveFiles(ctx context.Context, t tree.Tree) ([]liveFile, error) {
	var files []liveFile
	for l, err := range tree.Live(ctx, t, tree.Full, w.codec.Leaves(w.objects)) {
		if err != nil {
			return nil, err
		}
		k := known{
			records: l.Entry.RecordCount, size: l.Entry.FileSizeBytes, firstRowID: noRowID,
			stats: fmt.Sprint(l.Entry.Stats.Settled()),
		}
		tracking := l.Entry.Tracking
		k.snapshot, k.sequence, k.fileSequence = tracking.SnapshotID.Val, tracking.SequenceNumber.Val, tracking.FileSequenceNumber.Val
		k.modified = tracking.ModifiedSnapshotID.Val
		if tracking.FirstRowID.Valid {
			k.firstRowID = tracking.FirstRowID.Val
		}
		if l.Entry.DeletionVector.Valid {
			place := l.Revision().DeletionVector.Val.Location
			if k.deleted, err = w.deletedRows(ctx, l.Entry.DeletionVector.Val, place, l.Entry.RecordCount); err != nil {
				return nil, fmt.Errorf("%s: %w", l.Location, err)
			}
		}
		files = append(files, liveFile{l.Location, k})
	}
	return files, nil
}

// deletedRows returns the positions of a deletion vector, or its place if a script made up a file that is not there.
func (w *World) deletedRows(ctx context.Context, place tree.DeletionVector, location string, records int64) (string, error) {
	rows, err := dv.Read(ctx, w.objects, place, location, records, dv.Limits{})
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Sprintf("%d rows at %s, %d", place.Cardinality, location, place.OffsetBytes), nil
	}
	return rows.String(), err
}

// settle holds every snapshot that has no model yet against what its transaction was to do, and against the invariants:
// the one of a commit that ended just now, and those of commits of which the world had not heard.
func (w *World) settle(ctx context.Context) (string, error) {
	head, err := w.head(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(w.comparePublished(ctx))
	for _, s := range slices.SortedStableFunc(slices.Values(head.Metadata.Snapshots), func(a, b metadata.Snapshot) int {
		return cmp.Compare(a.SequenceNumber, b.SequenceNumber)
	}) {
		if _, known := w.states[s.ID]; known {
			continue
		}
		found, err := w.verify(ctx, head, s)
		out.WriteString(found)
		if err != nil {
			return out.String(), err
		}
	}
	return out.String(), w.note(ctx, head.Tree.Origin.SnapshotID)
}

// verify holds a snapshot against the model, which it extends, and against the invariants.
func (w *World) verify(ctx context.Context, head *commit.Head, s metadata.Snapshot) (string, error) {
	var out strings.Builder
	before := w.states[s.ParentID.Val]
	in, told := w.intents[s.ID]
	if !told {
		out.WriteString(w.problem("snapshot %d: no writer made it", s.ID))
	}
	after, err := before.after(in, s, w.states)
	if err != nil {
		after = maps.Clone(before)
		out.WriteString(w.problem("snapshot %d: %v", s.ID, err))
	}
	w.states[s.ID] = after
	isolation, err := w.compareIsolation(ctx, head, in, s)
	out.WriteString(isolation)
	if err != nil {
		return out.String(), err
	}
	t, err := roots{w, head}.Root(ctx, s)
	if err != nil {
		return out.String(), err
	}
	found, err := w.compare(ctx, t)
	out.WriteString(found)
	if err != nil {
		return out.String(), err
	}
	out.WriteString(w.compareTotals(s))
	parent, retained, err := w.parent(ctx, head, t)
	if err != nil || !retained {
		return out.String(), err
	}
	out.WriteString(w.compareFeed(ctx, parent, t, before))
	out.WriteString(w.comparePruning(head.Metadata, parent, t))
	kept, err := w.compareCommit(ctx, head, parent, t, before, s)
	out.WriteString(kept)
	if err != nil {
		return out.String(), err
	}
	broken, err := w.judge(ctx, head, parent, t)
	return out.String() + broken, err
}

// compareFeed compares the change feed of a snapshot with the difference of the model before it and the present one.
func (w *World) compareFeed(ctx context.Context, parent, child tree.Tree, before model) string {
	told, err := collect(tree.Changes(ctx, parent, child, tree.Projection{}, w.codec.Leaves(w.objects)))
	if err != nil {
		return w.problem("change feed of snapshot %d: %v", child.Origin.SnapshotID, err)
	}
	var feed []string
	for _, c := range told {
		feed = append(feed, fmt.Sprintf("%s %s", c.Kind, c.Location))
	}
	slices.Sort(feed)
	if want := before.feed(w.states[child.Origin.SnapshotID]); !slices.Equal(feed, want) {
		return w.problem("change feed of snapshot %d: got %q, want %q", child.Origin.SnapshotID, feed, want)
	}
	return ""
}

// compareTotals compares the totals that a snapshot's summary claims with the model. A summary may claim none, where
// another engine's parent did not.
func (w *World) compareTotals(s metadata.Snapshot) string {
	var out strings.Builder
	totals := w.states[s.ID].totals()
	for _, name := range slices.Sorted(maps.Keys(totals)) {
		if got, claimed := s.Summary[name]; claimed && got != totals[name] {
			out.WriteString(w.problem("snapshot %d: %s is %s and should be %s", s.ID, name, got, totals[name]))
		}
	}
	return out.String()
}

// compare compares the live files of a tree with the model.
func (w *World) compare(ctx context.Context, t tree.Tree) (string, error) {
	live, err := w.liveFiles(ctx, t)
	if err != nil {
		return w.problem("live files of snapshot %d: %v", t.Origin.SnapshotID, err), nil
	}
	var out strings.Builder
	for _, difference := range w.states[t.Origin.SnapshotID].difference(live) {
		out.WriteString(w.problem("snapshot %d: %s", t.Origin.SnapshotID, difference))
	}
	return out.String(), nil
}

// judge checks a snapshot, its step from the parent, and the metadata. Only errors count.
func (w *World) judge(ctx context.Context, head *commit.Head, parent, child tree.Tree) (string, error) {
	leaves := w.leaves(head)
	var out strings.Builder
	report := func(v invariants.Violation) {
		if v.Severity == invariants.Error {
			out.WriteString(w.problem("snapshot %d: %s", child.Origin.SnapshotID, v.Message()))
		}
	}
	for v, err := range invariants.CheckTree(ctx, leaves, child, invariants.AllLeaves) {
		if err != nil {
			return out.String(), err
		}
		report(v)
	}
	for v, err := range invariants.CheckTransition(ctx, leaves, parent, child, invariants.AllLeaves) {
		if err != nil {
			return out.String(), err
		}
		report(v)
	}
	for v := range invariants.CheckMetadata(head.MetadataLocation, head.Metadata) {
		report(v)
	}
	return out.String(), nil
}

func (w *World) leaves(head *commit.Head) *invariants.Leaves {
	return invariants.NewLeaves(invariants.TableOf(head.Metadata), w.codec.Leaves(w.objects), invariants.LeafOptions{})
}

// adopt makes the model of the current snapshot what its tree says, after a script made it by hand. Of a tree that
// cannot be read the model is that of the parent.
func (w *World) adopt(ctx context.Context, id, parent int64) error {
	w.states[id], w.handmade[id] = w.states[parent], true
	head, err := w.head(ctx)
	if err != nil {
		return err
	}
	live, err := w.liveFiles(ctx, head.Tree)
	if err != nil {
		return nil
	}
	adopted := make(model)
	for _, l := range live {
		l.stats = ""
		adopted[l.location] = l.known
	}
	w.states[id] = adopted
	return nil
}
