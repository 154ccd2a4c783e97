package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

var logColumns = []string{
	"snapshot_id", "parent_snapshot_id", "sequence_number", "timestamp_ms", "operation", "root", "schema_id",
	"first_row_id", "added_rows", "refs", "summary",
}

var logTextColumns = []string{"snapshot_id", "parent", "seq", "time", "operation", "files", "records", "refs"}

// logCommand lists snapshots.
func (a *app) logCommand() *cobra.Command {
	var noHeader bool
	c := a.command(cobra.Command{
		Use:     "log TABLE",
		Short:   "List the snapshots of a table",
		GroupID: groupRead,
		Long: `List the snapshots that the table retains, of all branches, the newest first.

The root is the root manifest, or the manifest list of a snapshot of versions 1 to 3. Refs are the branches and tags at a
snapshot.`,
		Args: words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.log(ctx, args[0], !noHeader) })
	c.Flags().BoolVar(&noHeader, "no-header", false, "leave out the line of column names")
	return c
}

func (a *app) log(ctx context.Context, name string, header bool) error {
	t, err := a.table(ctx, name)
	if err != nil {
		return err
	}
	_, m, err := t.Metadata(ctx)
	if err != nil {
		return err
	}
	refs := make(map[int64][]string)
	for _, ref := range m.Refs {
		refs[ref.SnapshotID] = append(refs[ref.SnapshotID], ref.Name)
	}
	newestFirst := slices.Clone(m.Snapshots)
	slices.SortStableFunc(newestFirst, func(a, b metadata.Snapshot) int {
		return cmp.Or(cmp.Compare(b.SequenceNumber, a.SequenceNumber), cmp.Compare(b.TimestampMillis, a.TimestampMillis))
	})
	if a.format == formatText {
		return a.printLogText(newestFirst, refs, header)
	}
	location := cmp.Or(m.Location.Val, t.Location)
	out := a.newTable(header, logColumns...)
	for _, s := range newestFirst {
		out.row(
			numberCell(s.ID), optionalCell(s.ParentID), numberCell(s.SequenceNumber), numberCell(s.TimestampMillis),
			nonEmpty(s.Operation()), rootCell(s, location), optionalCell(s.SchemaID),
			optionalCell(s.FirstRowID), optionalCell(s.AddedRows), listCell(refs[s.ID]), mapCell(s.Summary),
		)
	}
	return out.end()
}

func (a *app) printLogText(snapshots []metadata.Snapshot, refs map[int64][]string, header bool) error {
	out := a.newTable(header, logTextColumns...)
	for _, s := range snapshots {
		out.row(
			numberCell(s.ID), optionalCell(s.ParentID), numberCell(s.SequenceNumber),
			textCell(time.UnixMilli(s.TimestampMillis).UTC().Format(time.RFC3339)),
			nonEmpty(s.Operation()), nonEmpty(s.Summary["total-data-files"]), nonEmpty(s.Summary["total-records"]),
			nonEmpty(strings.Join(refs[s.ID], ",")),
		)
	}
	return out.end()
}

// rootCell prints the one file from which everything of a snapshot is found.
func rootCell(s metadata.Snapshot, location string) cell {
	switch {
	case s.RootManifest.Valid:
		return textCell(tree.Resolve(location, s.RootManifest.Val))
	case s.ManifestList.Valid:
		return textCell(s.ManifestList.Val)
	}
	return nullCell
}

func nonEmpty(s string) cell {
	if s == "" {
		return nullCell
	}
	return textCell(s)
}

// listCell prints words as a JSON list.
func listCell(words []string) cell {
	return jsonCell(jsonList(words, appendText))
}

// mapCell prints texts by name as a JSON object, sorted by name.
func mapCell(m map[string]string) cell {
	object := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(appendText(object, key), ':')
		object = appendText(object, m[key])
	}
	return jsonCell(append(object, '}'))
}

// jsonList returns a JSON list of what add appends for each element.
func jsonList[T any](elements []T, add func(dst []byte, element T) []byte) []byte {
	list := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			list = append(list, ',')
		}
		list = add(list, element)
	}
	return append(list, ']')
}

// jsonCell prints the same JSON everywhere.
func jsonCell(value []byte) cell { return cell{text: string(value), json: string(value)} }
