package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

var changeColumns = []string{
	"change", "location", "record_count", "dv_cardinality_before", "dv_cardinality_after", "snapshot_id",
}

// changesCommand lists what snapshots changed.
func (a *app) changesCommand() *cobra.Command {
	var noHeader bool
	c := a.command(cobra.Command{
		Use:     "changes TABLE FROM TO",
		Short:   "List what changed from one snapshot to a later one",
		GroupID: groupRead,
		Long: `List what the snapshots after FROM up to TO changed, one line a file and snapshot, the first snapshot first: change is added,
removed or deletes, which means that rows of the file were deleted. A file that was removed and added again by one snapshot
has two lines.

FROM and TO are SNAPSHOTs, and TO must come from FROM. What only moved between manifests is no change.`,
		Example: "  firn changes demo.events '~3' @main",
		Args:    words(3, 3),
	}, func(ctx context.Context, args []string) error { return a.changes(ctx, args, !noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	return c
}

func (a *app) changes(ctx context.Context, args []string, header bool) error {
	t, err := a.table(ctx, args[0])
	if err != nil {
		return err
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return err
	}
	line, err := lineBetween(m, args[1], args[2])
	if err != nil {
		return err
	}
	location, err := treeio.TableLocation(m, t.Location)
	if err != nil {
		return err
	}
	codec := treeio.Parquet{}
	leaves := codec.Leaves(t.Objects)
	out := a.newTable(header, changeColumns...)
	var parent tree.Tree
	for i, snapshot := range line {
		child, err := treeio.Tree(ctx, codec, t.Objects, m, location, snapshot)
		if err != nil {
			return hinted(ctx, t, err)
		}
		if i > 0 {
			if err := printChanges(ctx, out, parent, child, leaves, snapshot.ID); err != nil {
				return hinted(ctx, t, err)
			}
		}
		parent = child
	}
	return out.end()
}

// lineBetween returns the snapshots from one that an argument names to another that comes from it, oldest first.
func lineBetween(m metadata.Table, fromArg, toArg string) ([]metadata.Snapshot, error) {
	from, err := target.Snapshot(m, fromArg)
	if err != nil {
		return nil, err
	}
	to, err := target.Snapshot(m, toArg)
	if err != nil {
		return nil, err
	}
	line, err := m.Lineage(to.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	end := slices.IndexFunc(line, func(s metadata.Snapshot) bool { return s.ID == from.ID })
	if end < 0 {
		return nil, usagef("snapshot %d does not come from snapshot %d: firn log shows parents", to.ID, from.ID)
	}
	line = line[:end+1]
	slices.Reverse(line)
	return line, nil
}

func printChanges(ctx context.Context, out *table, parent, child tree.Tree, leaves tree.LeafReader, id int64) error {
	p := tree.Projection{File: true}
	for c, err := range tree.Changes(ctx, parent, child, p, leaves) {
		if err != nil {
			return err
		}
		state := c.After
		if !state.Valid {
			state = c.Before
		}
		out.row(textCell(c.Kind.String()), textCell(c.Location), numberCell(state.Val.Entry.RecordCount),
			cardinalityCell(c.Before.Valid, c.Before.Val), cardinalityCell(c.After.Valid, c.After.Val), numberCell(id))
	}
	return nil
}

// cardinalityCell prints how many rows of a file are deleted in a state of it; null if there is none, or no deletion
// vector in it.
func cardinalityCell(valid bool, f tree.Located) cell {
	if !valid || !f.Entry.DeletionVector.Valid {
		return nullCell
	}
	return numberCell(f.Entry.DeletionVector.Val.Cardinality)
}
