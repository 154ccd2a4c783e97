package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/tree"
)

// filesFlags are the flags of firn files.
type filesFlags struct {
	where             string
	deletes, noHeader bool
}

// filesCommand lists live files.
func (a *app) filesCommand() *cobra.Command {
	var f filesFlags
	c := a.command(cobra.Command{
		Use:     "files TABLE [SNAPSHOT] [--where EXPR] [--deletes]",
		Short:   "List the live files of a snapshot",
		GroupID: groupRead,
		Long: `List the live data files of a snapshot, sorted by location.

With --output tsv, fields are separated by tabs and null is -. Tab, newline, carriage return and backslash are written
\t, \n, \r and \\. A partition is a JSON object by partition field id, with all partition fields of the table; with
--output json, by name.

With --where, files and leaves are left out whose partitions and statistics exclude every row that the filter would take,
as a scan does. A file that stays may still have no such row. EXPR is a small part of SQL:

  EXPR    = TEST | NOT EXPR | EXPR AND EXPR | EXPR OR EXPR | (EXPR) | TRUE | FALSE
  TEST    = COLUMN OP LITERAL                    OP is one of = == != <> < <= > >=
          | COLUMN [NOT] IN (LITERAL, ...)
          | COLUMN [NOT] BETWEEN LITERAL AND LITERAL
          | COLUMN [NOT] LIKE 'prefix%' | COLUMN STARTS WITH 'prefix'
          | COLUMN IS [NOT] NULL | COLUMN IS [NOT] NAN
          | COLUMN                               of a boolean column
  COLUMN  = name | outer.inner | "any name"
  LITERAL = 12 | -9.5 | TRUE | FALSE | 'text', which is also a date, time, timestamp, uuid, decimal or 0x binary

as in region = 'eu' AND (amount >= 9.5 OR ts < '2026-11-29T12:00:00'). Keywords have no case, column names have. A null
satisfies no comparison.`,
		Args: words(1, 2),
	}, func(ctx context.Context, args []string) error { return a.files(ctx, args, f) })
	c.Flags().StringVar(&f.where, "where", "", "list only files that may have rows for this filter")
	c.Flags().BoolVar(&f.deletes, "deletes", false, "list the delete files of versions 2 and 3 that apply to each file")
	c.Flags().BoolVar(&f.noHeader, "no-header", false, "leave out the line of column names")
	return c
}

func (a *app) files(ctx context.Context, args []string, flags filesFlags) error {
	s, err := a.state(ctx, args)
	if err != nil {
		return err
	}
	l := listing{table: s.tree.Origin.TableLocation}
	if l.union, err = s.metadata.UnionPartitionFields(); err != nil {
		return err
	}
	files, err := s.files(ctx, flags.where)
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b tree.Located) int { return cmp.Compare(a.Location, b.Location) })
	return a.printFiles(l, files, flags)
}

func (a *app) printFiles(l listing, files []tree.Located, flags filesFlags) error {
	columns := fileColumns
	if a.format == formatText {
		columns = fileTextColumns
	}
	if flags.deletes {
		columns = append(slices.Clone(columns), deletesColumn)
	}
	var names []string
	for _, column := range columns {
		names = append(names, column.name)
	}
	t := a.newTable(!flags.noHeader, names...)
	cells := make([]cell, len(columns))
	for _, f := range files {
		for i, column := range columns {
			cells[i] = column.cell(l, f)
		}
		t.row(cells...)
	}
	return t.end()
}

// files returns the live files that may have rows for the filter; an empty one takes all.
func (s state) files(ctx context.Context, where string) ([]tree.Located, error) {
	filter, err := s.filter(where)
	if err != nil {
		return nil, err
	}
	pruned, err := without(s.tree, func(ref tree.Entry) (bool, error) { return !filter.MayMatch(ref), nil })
	if err != nil {
		return nil, err
	}
	var files []tree.Located
	p := tree.Projection{File: true, Stats: filter.Columns()}
	for f, err := range tree.Unique(tree.Live(ctx, pruned, p, s.leaves)) {
		if err != nil {
			return nil, err
		}
		if filter.MayMatch(f.Entry) {
			files = append(files, f)
		}
	}
	return files, nil
}

// filter binds a filter to the schema of the state.
func (s state) filter(where string) (*match.Filter, error) {
	schema := s.metadata.Schema()
	if old, ok := s.metadata.SchemaByID(s.schemaID); ok {
		schema = old
	}
	expr, err := match.Parse(cmp.Or(where, "true"), schema)
	if err != nil {
		return nil, &target.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return match.New(expr, schema, s.metadata.Specs)
}

// without returns the tree without the leaves that are excluded: a pointer that is not live is not followed.
func without(t tree.Tree, excluded func(ref tree.Entry) (bool, error)) (tree.Tree, error) {
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		if row.Content != tree.DataManifest || !row.Tracking.Status.Live() {
			continue
		}
		out, err := excluded(row)
		if err != nil {
			return t, err
		}
		if out {
			t.Rows[i].Tracking.Status = tree.Deleted
		}
	}
	return t, nil
}
