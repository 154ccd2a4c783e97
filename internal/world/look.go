package world

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// head returns the current state of the table.
func (w *World) head(ctx context.Context) (*commit.Head, error) { return w.open().Head(ctx) }

// at returns the tree of the snapshot that a command names, else the current one of the branch that it names.
func (w *World) at(ctx context.Context, c command) (tree.Tree, error) {
	branch, given := c.option("branch")
	if !given {
		branch = metadata.MainBranch
	}
	head, err := w.open().HeadOf(ctx, branch)
	if err != nil {
		return tree.Tree{}, err
	}
	id, err := c.number("at", 0)
	if err != nil || id == 0 {
		return head.Tree, err
	}
	s, found := head.Metadata.Snapshot(id)
	if !found {
		return tree.Tree{}, fmt.Errorf("there is no snapshot %d", id)
	}
	return roots{w, head}.Root(ctx, s)
}

// roots reads the roots of the snapshots that a state retains.
type roots struct {
	world *World
	head  *commit.Head
}

// Root implements [invariants.RootReader].
func (r roots) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	return treeio.Tree(ctx, r.world.codec, r.world.objects, r.head.Metadata, r.head.Location, s)
}

// parent returns the tree of the snapshot before t: the empty one for the first snapshot; false if it has expired.
func (w *World) parent(ctx context.Context, head *commit.Head, t tree.Tree) (tree.Tree, bool, error) {
	if !t.ParentSnapshotID.Valid {
		return tree.Tree{Origin: tree.Origin{TableUUID: t.Origin.TableUUID, TableLocation: t.Origin.TableLocation}}, true, nil
	}
	s, retained := head.Metadata.Snapshot(t.ParentSnapshotID.Val)
	if !retained {
		return tree.Tree{}, false, nil
	}
	parent, err := roots{w, head}.Root(ctx, s)
	return parent, true, err
}

// shown are the parts of the text form that with= shows.
var shown = map[string]treetext.Hide{
	"numbers": treetext.HideNumbers, "counts": treetext.HideCounts, "file": treetext.HideFile,
	"stats": treetext.HideStats, "foreign": treetext.HideForeign, "header": treetext.HideHeader,
}

// format returns what with= asks for, and whether it asks for the rows of leaves.
func format(c command) (o treetext.Options, leaves bool, err error) {
	o.Hide = treetext.Short
	text, given := c.option("with")
	if !given {
		return o, false, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		hide, known := shown[part]
		switch {
		case part == "leaves":
			leaves = true
		case !known:
			return o, false, fmt.Errorf("with= knows no %s", part)
		}
		o.Hide &^= hide
	}
	return o, leaves, nil
}

// tree prints the rows of a root.
func (w *World) tree(ctx context.Context, c command) (string, error) {
	o, leaves, err := format(c)
	if err != nil {
		return "", err
	}
	t, err := w.at(ctx, c)
	if err != nil {
		return "", err
	}
	doc := treetext.Doc{Tree: t}
	if leaves {
		doc.Leaves = make(map[string][]tree.Row)
		for _, ref := range t.Rows {
			if !ref.Content.IsManifest() {
				continue
			}
			if doc.Leaves[ref.Location], err = collect(w.codec.Leaves(w.objects).Leaf(ctx, t.Origin, ref, tree.Full)); err != nil {
				return "", err
			}
		}
	}
	if len(t.Rows) == 0 {
		return doc.Format(o) + "no rows\n", nil
	}
	return doc.Format(o), nil
}

// leaf prints the rows of one leaf after inheritance.
func (w *World) leaf(ctx context.Context, c command) (string, error) {
	o, _, err := format(c)
	if err != nil {
		return "", err
	}
	o.Hide &^= treetext.HideNumbers
	if len(c.names) != 1 {
		return "", errors.New("want one leaf")
	}
	t, err := w.at(ctx, c)
	if err != nil {
		return "", err
	}
	for _, ref := range t.Rows {
		if !ref.Content.IsManifest() || tree.Resolve(t.Origin.TableLocation, ref.Location) != w.names.full(c.names[0]) {
			continue
		}
		rows, err := collect(tree.Inherit(ref, w.codec.Leaves(w.objects).Leaf(ctx, t.Origin, ref, tree.Full)))
		if err != nil {
			return "", err
		}
		t.Rows = []tree.Entry{ref}
		return treetext.Doc{Tree: t, Leaves: map[string][]tree.Row{ref.Location: rows}}.Format(o), nil
	}
	return "", fmt.Errorf("the root does not point to %s", c.names[0])
}

// collect returns all that a sequence yields.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// live prints the live files of a snapshot.
func (w *World) live(ctx context.Context, c command) (string, error) {
	t, err := w.at(ctx, c)
	if err != nil {
		return "", err
	}
	files, err := collect(tree.Unique(tree.Live(ctx, t, tree.Projection{}, w.codec.Leaves(w.objects))))
	if err != nil {
		return "", err
	}
	var all []string
	for _, f := range files {
		all = append(all, tree.Relativize(w.names.location, f.Location))
	}
	if len(all) == 0 {
		return "no files\n", nil
	}
	return count(len(all), "file") + ": " + list(all) + "\n", nil
}

// changes prints what a snapshot did to its parent's files.
func (w *World) changes(ctx context.Context, c command) (string, error) {
	t, err := w.at(ctx, c)
	if err != nil {
		return "", err
	}
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	parent, retained, err := w.parent(ctx, head, t)
	if err != nil {
		return "", err
	}
	if !retained {
		return "", fmt.Errorf("snapshot %d has expired", t.ParentSnapshotID.Val)
	}
	changes, err := collect(tree.Changes(ctx, parent, t, tree.Projection{}, w.codec.Leaves(w.objects)))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for kind := tree.FileRemoved; kind <= tree.FileAdded; kind++ {
		var all []string
		for _, change := range changes {
			if change.Kind == kind {
				all = append(all, tree.Relativize(w.names.location, change.Location))
			}
		}
		if len(all) > 0 {
			fmt.Fprintf(&b, "%s %s\n", kind, list(all))
		}
	}
	if b.Len() == 0 {
		return "no changes\n", nil
	}
	return b.String(), nil
}
