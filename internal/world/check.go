package world

import (
	"context"
	"fmt"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// check prints all that is wrong with the whole history: violations of invariants, warnings too, in every snapshot and
// between every parent and child; what differs from the model; and objects that nothing references.
func (w *World) check(ctx context.Context, _ command) (string, error) {
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	leaves := invariants.NewLeaves(invariants.TableOf(head.Metadata), w.codec.Leaves(w.objects), invariants.LeafOptions{
		Unreadable: func(object string, err error) bool {
			fmt.Fprintf(&out, "unreadable %s: %v\n", object, err)
			return true
		},
	})
	for v := range invariants.CheckMetadata(head.MetadataLocation, head.Metadata) {
		fmt.Fprintf(&out, "%s %s\n", v.Severity, v.Message())
	}
	for v, err := range invariants.History(ctx, leaves, head.Metadata, roots{w, head}) {
		if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "snapshot %d: %s %s\n", v.Snapshot, v.Severity, v.Message())
	}
	if _, err := collect(tree.Live(ctx, head.Tree, tree.Projection{}, w.codec.Leaves(w.objects))); err == nil {
		found, err := w.compare(ctx, head.Tree)
		out.WriteString(found)
		if err != nil {
			return out.String(), err
		}
	}
	orphans, err := w.orphans(ctx, head)
	if err != nil {
		return out.String(), err
	}
	for _, name := range orphans {
		fmt.Fprintf(&out, "orphan %s\n", name)
	}
	if out.Len() == 0 {
		return "check: " + count(len(head.Metadata.Snapshots), "snapshot") + ", clean\n", nil
	}
	return out.String(), nil
}

// orphans returns the objects that no retained snapshot and no metadata file references, sorted.
func (w *World) orphans(ctx context.Context, head *commit.Head) ([]string, error) {
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
			if e.Content.IsManifest() {
				referenced[tree.Resolve(head.Location, e.Location)] = true
			}
		}
	}
	var orphans []string
	for _, name := range w.objects.Names() {
		if !referenced[name] {
			orphans = append(orphans, name)
		}
	}
	return orphans, nil
}
