package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// check prints all that is wrong with the whole history of all branches: violations of invariants, warnings too, in
// every snapshot and between every parent and child; what differs from the model; commits that are not what their
// writers were told; and objects that nothing references. Of those there must be as many as the option orphans says, by
// default none unless a writer is in the middle of a commit; any number with orphans=any.
func (w *World) check(ctx context.Context, c command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	settled, err := w.settle(ctx)
	out.WriteString(settled + w.revived() + w.compareLog(ctx, head.Location, head.Metadata))
	if err != nil {
		return out.String(), err
	}
	if err := w.checkInvariants(ctx, head, &out); err != nil {
		return out.String(), err
	}
	for _, s := range head.Metadata.Snapshots {
		t, err := roots{w, head}.Root(ctx, s)
		if err != nil || w.handmade[s.ID] {
			continue // the invariants tell
		}
		if _, err := w.liveFiles(ctx, t); err != nil {
			continue
		}
		found, err := w.compare(ctx, t)
		out.WriteString(found)
		if err != nil {
			return out.String(), err
		}
	}
	if err := w.checkOrphans(ctx, c, &out); err != nil {
		return out.String(), err
	}
	if out.Len() == 0 {
		return "check: " + count(len(head.Metadata.Snapshots), "snapshot") + ", clean\n", nil
	}
	return out.String(), nil
}

func (w *World) checkInvariants(ctx context.Context, head *commit.Head, out *strings.Builder) error {
	leaves := invariants.NewLeaves(invariants.TableOf(head.Metadata), w.codec.Leaves(w.objects), invariants.LeafOptions{
		Unreadable: func(object string, err error) bool {
			fmt.Fprintf(out, "unreadable %s: %v\n", object, err)
			return true
		},
	})
	for v := range invariants.CheckMetadata(head.MetadataLocation, head.Metadata) {
		fmt.Fprintf(out, "%s %s\n", v.Severity, v.Message())
	}
	for v, err := range invariants.History(ctx, leaves, head.Metadata, roots{w, head}) {
		if err != nil {
			return err
		}
		if !madeUp(v) {
			fmt.Fprintf(out, "snapshot %d: %s %s\n", v.Snapshot, v.Severity, v.Message())
		}
	}
	return nil
}

// checkOrphans prints the objects that nothing references.
func (w *World) checkOrphans(ctx context.Context, c command, out *strings.Builder) error {
	text, asked := c.option("orphans")
	any := text == "any"
	want := int64(0)
	if asked && !any {
		var err error
		if want, err = c.number("orphans", 0); err != nil {
			return err
		}
	}
	referenced, err := w.referenced(ctx)
	if err != nil {
		return err
	}
	n := int64(0)
	for _, name := range w.objects.Names() {
		if !referenced[name] {
			n++
			fmt.Fprintf(out, "orphan %s\n", name)
		}
	}
	if n != want && !any && (asked || !w.underWay()) {
		out.WriteString(w.problem("%s that nothing references, and there should be %d", count(int(n), "object"), want))
	}
	return nil
}

// underWay reports whether a writer is in the middle of a commit.
func (w *World) underWay() bool {
	for _, x := range w.writers {
		if x.run != nil {
			return true
		}
	}
	return false
}

// referenced returns the objects that a retained snapshot or the metadata log references: metadata files, roots, leaves
// and Puffin files.
func (w *World) referenced(ctx context.Context) (map[string]bool, error) {
	head, err := w.head(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	referenced := map[string]bool{head.MetadataLocation: true}
	for _, entry := range head.Metadata.MetadataLog {
		referenced[tree.Resolve(head.Location, entry.File)] = true
	}
	for _, s := range head.Metadata.Snapshots {
		t, err := roots{w, head}.Root(ctx, s)
		if err != nil {
			return nil, err
		}
		referenced[t.Root] = true
		for _, e := range t.Rows {
			w.references(ctx, t, e, referenced)
		}
	}
	return referenced, nil
}

// references notes what a row of a root references, and the rows of its leaf.
func (w *World) references(ctx context.Context, t tree.Tree, e tree.Entry, referenced map[string]bool) {
	vectors := func(e tree.Entry) {
		if e.DeletionVector.Valid {
			referenced[tree.Resolve(t.Origin.TableLocation, e.DeletionVector.Val.Location)] = true
		}
	}
	if !e.Content.IsManifest() {
		vectors(e)
		return
	}
	name := tree.Resolve(t.Origin.TableLocation, e.Location)
	if referenced[name] {
		return // read for another snapshot
	}
	referenced[name] = true
	for row, err := range w.codec.Leaves(w.objects).Leaf(ctx, t.Origin, e, tree.Full) {
		if err != nil {
			return // the invariants tell
		}
		vectors(row.Entry)
	}
}
