package sim

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// The names of the simulator's own checks.
const (
	checkModel      = "model"            // a commit that the table should have refused
	checkLive       = "live-set"         // live files that are not the model's
	checkFeed       = "change-feed"      // a change feed that is not the difference of the trees
	checkMetrics    = "metrics"          // reported numbers that are not the model's
	checkTold       = "told"             // a writer was told what is not true
	checkSelf       = "self-check"       // the engine refused its own work
	checkUnread     = "unreadable"       // a manifest of the table that cannot be read
	checkOrphans    = "orphans"          // an object that nothing references and no fault left
	checkReachable  = "reachable"        // an object that is referenced and gone
	checkSquash     = "squash"           // one transaction that gives other live files than several
	checkIdle       = "idle"             // a commit without changes that changes something
	checkPanic      = "panic"            // a panic
	checkRoot       = "root-limit"       // a root beyond the limit of the policy adaptive
	checkForeground = "foreground-limit" // a writer that wrote more of old leaves again than that policy lets it
	checkThinned    = "thin-pointer"     // a pointer that lost the statistics of a column by which the table is partitioned
)

// settle looks at every state that the catalog has named since the last look.
func (w *World) settle(ctx context.Context) error {
	for len(w.catalog.landed) > 0 {
		name := w.catalog.landed[0]
		w.catalog.landed = w.catalog.landed[1:]
		m, err := w.read(ctx, name)
		if err != nil {
			w.violate(Violation{Check: checkUnread, Message: err.Error()})
			return err
		}
		if err := w.publish(ctx, name, m); err != nil {
			return err
		}
	}
	return nil
}

// read reads a metadata file.
func (w *World) read(ctx context.Context, name string) (metadata.Table, error) {
	return treeio.Metadata(ctx, w.codec, &w.objects, name, metadata.Limits{MaxBytes: metadata.DefaultMaxBytes})
}

// publish takes a new state of the table in.
func (w *World) publish(ctx context.Context, name string, m metadata.Table) error {
	on := named{w.metadata, w.name, w.lineage.turned}
	before := on.Table
	w.metadata, w.name = m, name
	for v := range invariants.CheckMetadata(name, m) {
		w.broken(v)
	}
	w.forgetColumns(before)
	by := w.owners[name]
	for _, s := range m.Snapshots {
		w.enter(s)
	}
	w.lineage.turn(before, m)
	if !maps.Equal(before.Properties, m.Properties) {
		w.limits++
	}
	w.checkRefs(before, m, by)
	w.checkExpired(before, m, by)
	for _, s := range m.Snapshots {
		if w.committed[s.ID] {
			continue
		}
		w.committed[s.ID] = true
		w.stats.Commits++
		if err := w.verify(ctx, s, on); err != nil {
			w.violate(Violation{Check: checkUnread, Snapshot: s.ID, Message: err.Error()})
			return err
		}
	}
	w.noteDropped(before, m, by)
	w.forget(m)
	return nil
}

// broken notes the violation of an invariant; warnings do not count.
func (w *World) broken(v invariants.Violation) {
	if v.Severity == invariants.Error {
		w.violate(Violation{Check: v.ID, Snapshot: v.Snapshot, Message: v.Message()})
	}
}

// verify holds a new snapshot against the model, which it extends, with the four checks. on is what it was committed to.
func (w *World) verify(ctx context.Context, s metadata.Snapshot, on named) error {
	t, err := treeio.Tree(ctx, w.codec, &w.objects, w.metadata, tableLocation, s)
	if err != nil {
		return err
	}
	w.trees[s.ID] = t
	parent, known := w.models[s.ParentID.Val]
	if !known {
		if s.ParentID.Valid {
			return fmt.Errorf("snapshot %d: its parent %d is not known", s.ID, s.ParentID.Val)
		}
		parent = newModel()
	}
	in, told := w.intents[s.ID]
	if !told {
		w.violate(Violation{Check: checkModel, Snapshot: s.ID, Message: "no writer made it"})
	}
	in.columns &= w.columnsNow().current
	want, err := in.changes(parent, s, on, w.models)
	if err = errors.Join(err, w.forbidden(in, parent, s, on.Table)); err != nil {
		w.violate(Violation{Check: checkModel, Snapshot: s.ID, Message: err.Error()})
	}
	before := w.trees[s.ParentID.Val] // the zero Tree for the first
	d, err := w.diff(ctx, before, t)
	if err != nil {
		return err
	}
	got := d.changes()
	w.compareLive(s, want, got, d.problems)
	w.models[s.ID] = parent.with(got)
	w.compareFeed(ctx, before, t, got)
	w.compareReport(s, want)
	w.compareTotals(s, got)
	if err := errors.Join(w.judge(ctx, before, t), w.keepsPromise(ctx, in, s, want, before, t),
		w.compareLimits(ctx, commitStep{in, on, s, before, t, got})); err != nil {
		return err
	}
	if w.stats.Commits%int64(w.config.FullEvery) == 0 {
		return w.verifyAll(ctx, t)
	}
	return nil
}

// compareLive compares the changes that the model expects with those that the trees show.
func (w *World) compareLive(s metadata.Snapshot, want, got []change, problems []string) {
	for _, p := range problems {
		w.violate(Violation{Check: checkLive, Snapshot: s.ID, Message: p})
	}
	for _, text := range unlike(want, got) {
		w.violate(Violation{Check: checkLive, Snapshot: s.ID, Message: text})
	}
}

// unlike says how two lists of changes differ, at most a few.
func unlike(want, got []change) []string {
	const most = 5
	var texts []string
	for i, j := 0, 0; (i < len(want) || j < len(got)) && len(texts) < most; {
		switch {
		case j == len(got) || i < len(want) && want[i].number < got[j].number:
			if !want[i].optional {
				texts = append(texts, fmt.Sprintf("file %d: want %s, got no change", want[i].number, want[i]))
			}
			i++
		case i == len(want) || got[j].number < want[i].number:
			texts = append(texts, fmt.Sprintf("file %d: want no change, got %s", got[j].number, got[j]))
			j++
		default:
			if !equal(want[i].before, got[j].before) || !equal(want[i].after, got[j].after) {
				texts = append(texts, fmt.Sprintf("file %d: want %s, got %s", want[i].number, want[i], got[j]))
			}
			i, j = i+1, j+1
		}
	}
	return texts
}

func equal(a, b *file) bool { return (a == nil) == (b == nil) && (a == nil || a.same(*b)) }

// String prints the change as before -> after.
func (c change) String() string {
	text := func(f *file) string {
		if f == nil {
			return "nothing"
		}
		return f.String()
	}
	return text(c.before) + " -> " + text(c.after)
}

// compareFeed compares what the snapshot tells of its changes with the difference of the trees.
func (w *World) compareFeed(ctx context.Context, parent, child tree.Tree, got []change) {
	id := child.Origin.SnapshotID
	var want, feed []string
	for _, c := range got {
		if c.told() {
			want = append(want, c.kinds()...)
		}
	}
	for c, err := range tree.Changes(ctx, parent, child, tree.Projection{}, w.codec.Leaves(&w.objects)) {
		if err != nil {
			w.violate(Violation{Check: checkFeed, Snapshot: id, Message: err.Error()})
			return
		}
		n, _ := numberOf(c.Location)
		feed = append(feed, c.Kind.String()+" "+strconv.FormatInt(n, 10))
	}
	slices.Sort(want)
	slices.Sort(feed)
	if len(want) > 0 {
		w.feeds.add(want)
	}
	if !slices.Equal(want, feed) {
		w.violate(Violation{Check: checkFeed, Snapshot: id, Message: fmt.Sprintf("the trees differ by %q, the snapshot tells %q", want, feed)})
	}
}

// kinds returns the change as a change feed tells it.
func (c change) kinds() []string {
	n := " " + strconv.FormatInt(c.number, 10)
	removed, added, deletes := tree.FileRemoved.String()+n, tree.FileAdded.String()+n, tree.DeletesChanged.String()+n
	switch {
	case c.before == nil:
		return []string{added}
	case c.after == nil:
		return []string{removed}
	case c.before.fileSequence != c.after.fileSequence:
		return []string{removed, added}
	}
	return []string{deletes}
}

// compareReport compares the counts of a summary with the model.
func (w *World) compareReport(s metadata.Snapshot, changes []change) {
	counts := make(map[string]int64)
	for _, c := range changes {
		added := c.after != nil && (c.before == nil || c.before.fileSequence != c.after.fileSequence)
		removed := c.before != nil && (c.after == nil || c.before.fileSequence != c.after.fileSequence)
		if added {
			counts["added-data-files"]++
			counts["added-records"] += c.after.records
		}
		if removed {
			counts["deleted-data-files"]++
			counts["deleted-records"] += c.before.records
		}
	}
	for _, key := range []string{"added-data-files", "added-records", "deleted-data-files", "deleted-records"} {
		text, said := s.Summary[key]
		if said != (counts[key] > 0) || said && text != strconv.FormatInt(counts[key], 10) {
			w.violate(Violation{Check: checkMetrics, Snapshot: s.ID, Message: fmt.Sprintf("%s is %q and should be %d", key, text, counts[key])})
		}
	}
}

// judge checks a snapshot and its step from the parent: the root, and the leaves that were written or rewritten.
func (w *World) judge(ctx context.Context, parent, child tree.Tree) error {
	return w.report(invariants.CheckChild(ctx, w.sharedLeaves(), parent, child, invariants.RewrittenLeaves))
}

// manyCommits is after how many commits leaves are read anew, so that those of snapshots that are gone do not stay in memory.
const manyCommits = 20

// shared are the leaves that the checks of a few commits have in common.
type shared struct {
	leaves         *invariants.Leaves
	schemas, specs int
	since          int64
}

// sharedLeaves returns leaves as the checks of the commits before left them: leaves never change, so that one need not be held to
// the rules again as long as the table has no other schemas and specs.
func (w *World) sharedLeaves() *invariants.Leaves {
	schemas, specs := len(w.metadata.Schemas), len(w.metadata.Specs)
	s := &w.shared
	if s.leaves == nil || s.schemas != schemas || s.specs != specs || w.stats.Commits >= s.since+manyCommits {
		*s = shared{w.invariantLeaves(), schemas, specs, w.stats.Commits}
	}
	return s.leaves
}

func (w *World) invariantLeaves() *invariants.Leaves {
	return invariants.NewLeaves(invariants.TableOf(w.metadata), w.codec.Leaves(&w.objects), invariants.LeafOptions{})
}

func (w *World) report(findings iter.Seq2[invariants.Violation, error]) error {
	for v, err := range findings {
		if err != nil {
			return err
		}
		w.broken(v)
	}
	return nil
}

// verifyAll compares all live files of a tree with its model, and checks all its leaves.
func (w *World) verifyAll(ctx context.Context, t tree.Tree) error {
	if err := w.compareAll(ctx, t); err != nil {
		return err
	}
	return w.report(invariants.CheckTree(ctx, w.invariantLeaves(), t, invariants.AllLeaves))
}

// compareAll compares all live files of a tree with its model.
func (w *World) compareAll(ctx context.Context, t tree.Tree) error {
	id := t.Origin.SnapshotID
	d, err := w.diff(ctx, tree.Tree{Origin: t.Origin}, t)
	if err != nil {
		return err
	}
	shown := newModel().with(d.changes())
	for _, text := range append(d.problems, unlike(nil, w.models[id].minus(shown))...) {
		w.violate(Violation{Check: checkLive, Snapshot: id, Message: text})
	}
	n := 0
	for l, err := range tree.Live(ctx, t, tree.Projection{}, w.codec.Leaves(&w.objects)) {
		if err != nil {
			return err
		}
		n++
		if number, _ := numberOf(l.Location); !w.models[id].has(number) {
			w.violate(Violation{Check: checkLive, Snapshot: id, Message: l.Location + " is read as live and should not be"})
		}
	}
	if n != w.models[id].files.Len() {
		w.violate(Violation{Check: checkLive, Snapshot: id, Message: fmt.Sprintf("%d files are read as live, %d are", n, w.models[id].files.Len())})
	}
	return nil
}
