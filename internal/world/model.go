package world

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// model is what should be live: a plain map from resolved location to what must not change as long as the file lives.
type model map[string]known

// known is what is known of a live file.
type known struct {
	records, size                    int64
	snapshot, sequence, fileSequence int64
	firstRowID                       int64
}

// noRowID stands for a row id that the model has not seen yet.
const noRowID = -1

// change is one step of a transaction, as the model understands it.
type change struct {
	location string
	// added is the file that is added; nil for one that is removed.
	added *tree.File
}

func (x *writer) adds(files []tree.File) {
	for _, f := range files {
		x.changes = append(x.changes, change{f.Location, &f})
	}
}

func (x *writer) removes(targets []commit.Target) {
	for _, t := range targets {
		x.changes = append(x.changes, change{location: t.Location})
	}
}

// after returns the model after a transaction that became a snapshot. It reports steps that a table cannot take.
func (m model) after(changes []change, snapshot, sequence int64) (model, error) {
	m = maps.Clone(m)
	for _, c := range changes {
		_, live := m[c.location]
		switch {
		case c.added == nil && !live:
			return nil, fmt.Errorf("a file was removed that was not live: %s", c.location)
		case c.added == nil:
			delete(m, c.location)
		case live:
			return nil, fmt.Errorf("a file was added that was live: %s", c.location)
		default:
			k := known{
				records: c.added.RecordCount, size: c.added.FileSizeBytes, firstRowID: noRowID,
				snapshot: snapshot, sequence: sequence, fileSequence: sequence,
			}
			if n := c.added.DataSequenceNumber; n.Valid {
				k.sequence = n.Val
			}
			m[c.location] = k
		}
	}
	return m, nil
}

// knownOf returns what a live entry says.
func knownOf(l tree.Located) known {
	t := l.Entry.Tracking
	k := known{
		records: l.Entry.RecordCount, size: l.Entry.FileSizeBytes, snapshot: t.SnapshotID.Val,
		sequence: t.SequenceNumber.Val, fileSequence: t.FileSequenceNumber.Val, firstRowID: noRowID,
	}
	if t.FirstRowID.Valid {
		k.firstRowID = t.FirstRowID.Val
	}
	return k
}

// difference says how the model differs from the live files of a tree, and takes over row ids that it did not know.
func (m model) difference(live []tree.Located) []string {
	var found []string
	missing := maps.Clone(m)
	for _, l := range live {
		want, expected := missing[l.Location]
		got := knownOf(l)
		if want.firstRowID == noRowID {
			want.firstRowID = got.firstRowID
		}
		switch {
		case !expected:
			found = append(found, l.Location+" is live and should not be, or is live twice")
		case got != want:
			found = append(found, fmt.Sprintf("%s is %+v and should be %+v", l.Location, got, want))
		default:
			m[l.Location] = want
		}
		delete(missing, l.Location)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		found = append(found, name+" should be live and is not")
	}
	return found
}

// feed returns the changes that lead from one model to another, as the change feed should tell them. A file that is
// removed and added again is one of another file sequence number.
func (m model) feed(to model) []string {
	var all []string
	for name, before := range m {
		if after, kept := to[name]; !kept || before.fileSequence != after.fileSequence {
			all = append(all, fmt.Sprintf("%s %s", tree.FileRemoved, name))
		}
	}
	for name, after := range to {
		if before, kept := m[name]; !kept || before.fileSequence != after.fileSequence {
			all = append(all, fmt.Sprintf("%s %s", tree.FileAdded, name))
		}
	}
	slices.Sort(all)
	return all
}

// verify holds the snapshot of a commit against the model, which it brings up to date, and against the invariants.
func (w *World) verify(ctx context.Context, r commit.Result, changes []change) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	if err := w.note(ctx, r.SnapshotID); err != nil {
		return "", err
	}
	var out strings.Builder
	before := w.model
	if w.model, err = before.after(changes, r.SnapshotID, r.SequenceNumber); err != nil {
		w.model = before
		out.WriteString(w.problem("snapshot %d: %v", r.SnapshotID, err))
	}
	found, err := w.compare(ctx, head.Tree)
	out.WriteString(found)
	if err != nil {
		return out.String(), err
	}
	out.WriteString(w.compareTotals(head))
	parent, err := w.parent(ctx, head.Tree)
	if err != nil {
		return out.String(), err
	}
	out.WriteString(w.compareFeed(ctx, parent, head.Tree, before))
	broken, err := w.judge(ctx, head, parent)
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
	if want := before.feed(w.model); !slices.Equal(feed, want) {
		return w.problem("change feed of snapshot %d: got %q, want %q", child.Origin.SnapshotID, feed, want)
	}
	return ""
}

// compareTotals compares the totals that the current snapshot's summary claims with the model. A summary may claim
// none, where another engine's parent did not.
func (w *World) compareTotals(head *commit.Head) string {
	var records, size int64
	for _, k := range w.model {
		records, size = records+k.records, size+k.size
	}
	s, _ := head.Metadata.Current()
	var out strings.Builder
	for _, total := range []struct {
		name string
		want int64
	}{{"total-data-files", int64(len(w.model))}, {"total-records", records}, {"total-files-size", size}} {
		if got, claimed := s.Summary[total.name]; claimed && got != strconv.FormatInt(total.want, 10) {
			out.WriteString(w.problem("snapshot %d: %s is %s and should be %d", s.ID, total.name, got, total.want))
		}
	}
	return out.String()
}

// compare compares the live files of a tree with the model.
func (w *World) compare(ctx context.Context, t tree.Tree) (string, error) {
	live, err := collect(tree.Live(ctx, t, tree.Full, w.codec.Leaves(w.objects)))
	if err != nil {
		return w.problem("live files of snapshot %d: %v", t.Origin.SnapshotID, err), nil
	}
	var out strings.Builder
	for _, difference := range w.model.difference(live) {
		out.WriteString(w.problem("snapshot %d: %s", t.Origin.SnapshotID, difference))
	}
	return out.String(), nil
}

// judge checks the newest snapshot, its step from the parent, and the metadata. Only errors count.
func (w *World) judge(ctx context.Context, head *commit.Head, parent tree.Tree) (string, error) {
	leaves := w.leaves(head)
	var out strings.Builder
	report := func(v invariants.Violation) {
		if v.Severity == invariants.Error {
			out.WriteString(w.problem("snapshot %d: %s", head.Tree.Origin.SnapshotID, v.Message()))
		}
	}
	for v, err := range invariants.CheckTree(ctx, leaves, head.Tree, invariants.AllLeaves) {
		if err != nil {
			return out.String(), err
		}
		report(v)
	}
	for v, err := range invariants.CheckTransition(ctx, leaves, parent, head.Tree, invariants.AllLeaves) {
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

// adopt makes the model what the current tree says, after a script changed it by hand. Of a tree that cannot be read
// the model keeps what it knew.
func (w *World) adopt(ctx context.Context) error {
	head, err := w.head(ctx)
	if err != nil {
		return err
	}
	live, err := collect(tree.Live(ctx, head.Tree, tree.Full, w.codec.Leaves(w.objects)))
	if err != nil {
		return nil
	}
	w.model = make(model)
	for _, l := range live {
		w.model[l.Location] = knownOf(l)
	}
	return nil
}
