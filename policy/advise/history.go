package advise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/tree"
)

// Source is a table whose history is read.
type Source struct {
	Metadata metadata.Table
	// Prices are those of the table.
	Prices policy.Prices
	// Tree reads the root of a snapshot, and RootBytes tells its length.
	Tree      func(ctx context.Context, s metadata.Snapshot) (tree.Tree, error)
	RootBytes func(ctx context.Context, root string) (int64, error)
	// Leaves reads the leaves of snapshots whose summaries do not say what they changed.
	Leaves tree.LeafReader
	// Progress is told how many snapshots have been read, if it is not nil.
	Progress func(snapshots, all int)
}

// Commit is one snapshot of a history. One that changes no file is a maintenance commit.
type Commit struct {
	SnapshotID int64
	count.Change
	// Read says that the change was counted from manifests: the summary says nothing of it, or not what fits its totals.
	Read bool
}

// Maintenance reports whether the commit changed no file.
func (c Commit) Maintenance() bool { return c.Change == count.Change{} }

// History is what the retained snapshots of a branch tell.
type History struct {
	Prices policy.Prices
	// Start is the table before the first commit. Older says that it is not the empty table of the beginning: what was committed before
	// has expired, was written by an older version of the format, or is not told.
	Start Start
	Older bool
	// Commits are those after the start, the oldest first.
	Commits []Commit
	// Counted is what the table wrote, by its prices, and Measured in real bytes. Leaves of attempts that lost a race are not known,
	// nor what writers took from old leaves.
	Counted, Measured Outcome
}

// Read reads the history of a snapshot: the roots of all its ancestors that are retained.
func Read(ctx context.Context, s Source, snapshotID int64) (History, error) {
	line, err := s.Metadata.Lineage(snapshotID)
	if err != nil {
		return History{}, err
	}
	for i, snapshot := range line {
		if !snapshot.RootManifest.Valid {
			line = line[:i]
			break
		}
	}
	h := History{Prices: s.Prices}
	if len(line) == 0 {
		return h, fmt.Errorf("advise: snapshot %d has no root manifest", snapshotID)
	}
	slices.Reverse(line)
	h.Older = line[0].ParentID.Valid
	var parent metadata.Snapshot
	var before, now root
	for i, snapshot := range line {
		if now, err = s.root(ctx, snapshot); err != nil {
			return h, err
		}
		if s.Progress != nil {
			s.Progress(i+1, len(line))
		}
		var c Commit
		if i > 0 || !h.Older {
			if c, err = s.change(ctx, parent, snapshot, before, now); err != nil {
				return h, err
			}
			h.Older = h.Older || i == 0 && c.Added-c.Removed != now.files()
		}
		if i == 0 && h.Older {
			h.Start = now.start()
		} else {
			h.Commits = append(h.Commits, c)
			h.add(c, before, now)
		}
		parent, before = snapshot, now
	}
	h.end(now)
	return h, nil
}

// change says what a snapshot changed. The summary is believed if it fits to the live files of both roots.
func (s Source) change(ctx context.Context, parent, child metadata.Snapshot, before, now root) (Commit, error) {
	c := Commit{SnapshotID: child.ID}
	var said bool
	if c.Change, said = summarized(parent, child); said && now.files()-before.files() == c.Added-c.Removed {
		return c, nil
	}
	c.Change, c.Read = count.Change{}, true
	for change, err := range tree.Changes(ctx, before.tree, now.tree, tree.Projection{}, s.Leaves) {
		if err != nil {
			return c, err
		}
		switch change.Kind {
		case tree.FileAdded:
			c.Added++
		case tree.FileRemoved:
			c.Removed++
		case tree.DeletesChanged:
			c.Modified++
		}
	}
	return c, nil
}

// The counts of a snapshot's summary.
const (
	addedFiles   = "added-data-files"
	removedFiles = "deleted-data-files"
	addedVectors = "added-dvs"
	totalFiles   = "total-data-files"
)

// summarized returns what a summary says of the files that a snapshot changed. It is believed if its totals fit to it; the zero parent
// is that of a first snapshot.
func summarized(parent, child metadata.Snapshot) (c count.Change, said bool) {
	for _, n := range []struct {
		key string
		to  *int64
	}{{addedFiles, &c.Added}, {removedFiles, &c.Removed}, {addedVectors, &c.Modified}} {
		text, there := child.Summary[n.key]
		if !there {
			continue
		}
		if *n.to, said = number(text); !said {
			return count.Change{}, false
		}
	}
	total, said := number(child.Summary[totalFiles])
	last, known := number(parent.Summary[totalFiles])
	if said = said && (known || parent.ID == 0) && total == last+c.Added-c.Removed; !said {
		return count.Change{}, false
	}
	return c, true
}

// number reads a count of files that may be.
func number(text string) (n int64, known bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, false
	}
	return n, true
}

// root is the root of a snapshot, with what counts of it.
type root struct {
	tree  tree.Tree
	bytes int64
	// leaves are the live manifests by their locations, rows the other rows, tombstones included, and live the live ones of these.
	leaves     map[string]leaf
	rows, live int64
	dvBytes    int64
}

// leaf is a manifest to which a root points.
type leaf struct{ live, entries, bytes int64 }

// root reads a root.
func (s Source) root(ctx context.Context, snapshot metadata.Snapshot) (root, error) {
	r := root{leaves: make(map[string]leaf)}
	var err error
	if r.tree, err = s.Tree(ctx, snapshot); err != nil {
		return r, err
	}
	if r.bytes, err = s.RootBytes(ctx, r.tree.Root); err != nil {
		return r, err
	}
	for i, row := range r.tree.Rows {
		switch {
		case row.Content.IsManifest() && row.Tracking.Status.Live():
			live, err := living(row)
			if err != nil {
				return r, fmt.Errorf("root manifest %s, row %d: %w", r.tree.Root, i, err)
			}
			r.dvBytes += int64(len(row.Manifest.Val.DV))
			r.leaves[tree.Resolve(r.tree.Origin.TableLocation, row.Location)] = leaf{live, row.RecordCount, row.FileSizeBytes}
		case !row.Content.IsManifest():
			r.rows++
			if row.Tracking.Status.Live() {
				r.live++
			}
		}
	}
	return r, nil
}

// living counts the live entries of a manifest by its row.
func living(row tree.Entry) (int64, error) {
	info := row.Manifest.Val
	live := row.RecordCount - int64(info.DeletedFiles) - int64(info.ReplacedFiles)
	if info.DV != nil {
		mask, err := mdv.Parse(info.DV)
		if err != nil {
			return 0, err
		}
		live = min(live, row.RecordCount-int64(mask.Cardinality()))
	}
	return max(0, live), nil
}

// files counts the live files of the table.
func (r root) files() int64 {
	n := r.live
	for _, l := range r.leaves {
		n += l.live
	}
	return n
}

// start is the table of a root, its leaves by their live files, the largest first.
func (r root) start() Start {
	s := Start{Loose: r.live}
	for _, l := range r.leaves {
		if l.live > 0 {
			s.Leaves = append(s.Leaves, l.live)
		}
	}
	slices.Sort(s.Leaves)
	slices.Reverse(s.Leaves)
	return s
}

// counted is the size of a root by prices.
func (r root) counted(p policy.Prices) int64 {
	return p.RootFixedBytes + r.rows*p.LooseBytes + int64(len(r.leaves))*p.PointerBytes + r.dvBytes
}

// add counts what a commit wrote: its root, and the leaves that were not there before.
func (h *History) add(c Commit, before, now root) {
	counted := now.counted(h.Prices)
	for _, o := range []struct {
		outcome *Outcome
		root    int64
	}{{&h.Counted, counted}, {&h.Measured, now.bytes}} {
		o.outcome.RootBytes += o.root
		o.outcome.LargestRootBytes = max(o.outcome.LargestRootBytes, o.root)
		if c.Maintenance() {
			o.outcome.Maintenance++
		} else {
			o.outcome.Commits++
		}
	}
	for location, l := range now.leaves {
		if _, old := before.leaves[location]; !old {
			h.Measured.LeafBytes += l.bytes
			h.Counted.LeafBytes += h.Prices.LeafFixedBytes + l.entries*h.Prices.LeafEntryBytes
			h.Measured.LeavesWritten++
			h.Counted.LeavesWritten++
		}
	}
}

// end says what the table is at last.
func (h *History) end(now root) {
	h.Measured.EndRootBytes, h.Counted.EndRootBytes = now.bytes, now.counted(h.Prices)
	for _, o := range []*Outcome{&h.Measured, &h.Counted} {
		o.EndLeaves = int64(len(now.leaves))
	}
	for _, l := range now.leaves {
		h.Measured.EndLeafBytes += l.bytes
		h.Counted.EndLeafBytes += h.Prices.LeafFixedBytes + l.entries*h.Prices.LeafEntryBytes
	}
}

// AsItCame lets maintenance come in [History.Replay] where it came in the history.
const AsItCame = -1

// Replay counts what a policy would have written for the same commits. Maintenance comes where it came, or after every so many commits
// of writers if something waits for it; 0 is never.
func (h History) Replay(ctx context.Context, p policy.Policy, every int64) (Outcome, error) {
	r, err := NewReplay(p, h.Prices, h.Start)
	if err != nil {
		return Outcome{}, err
	}
	for _, c := range h.Commits {
		if err := ctx.Err(); err != nil {
			return Outcome{}, err
		}
		if c.Maintenance() {
			if every == AsItCame {
				if err := r.Maintain(); err != nil {
					return Outcome{}, err
				}
			}
			continue
		}
		if err := r.Commit(c.Change); err != nil {
			return Outcome{}, err
		}
		if every > 0 && r.outcome.Commits%every == 0 && r.Due() {
			if err := r.Maintain(); err != nil {
				return Outcome{}, err
			}
		}
	}
	return r.Outcome(), nil
}

// Trace returns the changes of the writers, for a comparison with other workloads. The files of the start come as one commit.
func (h History) Trace() []count.Change {
	var trace []count.Change
	first := h.Start.Loose
	for _, files := range h.Start.Leaves {
		first += files
	}
	if first > 0 {
		trace = append(trace, count.Change{Added: first})
	}
	for _, c := range h.Commits {
		if !c.Maintenance() {
			trace = append(trace, c.Change)
		}
	}
	return trace
}
