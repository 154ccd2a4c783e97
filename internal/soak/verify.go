package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// verify compares the table with what the writers were told, holds its history to the invariants, and cleans up.
func (r *run) verify(ctx context.Context) error {
	table := commit.Open(tableID, r.Catalog, r.meter, commit.Options{})
	head, err := table.Head(ctx)
	if err != nil {
		return err
	}
	return errors.Join(r.compare(ctx, table, head), r.invariants(ctx, head), r.cleanUp(ctx, table, head))
}

// compare compares the live files and their deleted rows with the ledger.
func (r *run) compare(ctx context.Context, table *commit.Table, head *commit.Head) error {
	want, err := r.log.replay()
	if err != nil {
		return err
	}
	if n := int64(len(r.log.records)); head.Metadata.LastSequenceNumber != n {
		return fmt.Errorf("the table is at sequence number %d, writers were told of %d snapshots", head.Metadata.LastSequenceNumber, n)
	}
	var problems []error
	for l, err := range table.Files(ctx, head, tree.Full) {
		if err != nil {
			return err
		}
		rows, expected := want[l.Location]
		if !expected {
			problems = append(problems, fmt.Errorf("%s is live and should not be, or is live twice", l.Location))
			continue
		}
		delete(want, l.Location)
		var got dv.Vector
		if d := l.Entry.DeletionVector; d.Valid {
			got, err = dv.Read(ctx, r.meter, d.Val, l.Revision().DeletionVector.Val.Location, l.Entry.RecordCount, dv.Limits{})
			if err != nil {
				return err
			}
		}
		if !got.Equal(rows) {
			problems = append(problems, fmt.Errorf("%s: deleted rows %s, want %s", l.Location, got, rows))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		problems = append(problems, fmt.Errorf("%s should be live and is not", name))
	}
	return errors.Join(problems...)
}

// invariants holds the history to all rules; any error is one too many.
func (r *run) invariants(ctx context.Context, head *commit.Head) error {
	leaves := invariants.NewLeaves(invariants.TableOf(head.Metadata), treeio.Parquet{}.Leaves(r.meter), invariants.LeafOptions{})
	var problems []error
	for v, err := range invariants.History(ctx, leaves, head.Metadata, roots{r, head}) {
		if err != nil {
			return err
		}
		if v.Severity == invariants.Error {
			problems = append(problems, fmt.Errorf("%s: %s", v.ID, v.Message()))
		}
	}
	return errors.Join(problems...)
}

// roots reads the roots of the table for the checker.
type roots struct {
	*run
	head *commit.Head
}

// Root implements [invariants.RootReader].
func (r roots) Root(ctx context.Context, s metadata.Snapshot) (tree.Tree, error) {
	return treeio.Tree(ctx, treeio.Parquet{}, r.meter, r.head.Metadata, r.head.Location, s)
}

// cleanUp removes the orphans that conflicts left (data files that were never added) and looks whether any object is
// left that nothing reaches, or missing that something does.
func (r *run) cleanUp(ctx context.Context, table *commit.Table, head *commit.Head) error {
	report, err := maintain.Orphans(ctx, table, maintain.OrphanOptions{
		Delete: true, AgeMillis: iceberg.Optional[int64]{Valid: true}, Force: true,
	})
	if err != nil {
		return err
	}
	r.orphans = len(report.Deleted)
	reachable := make(map[string]bool)
	for o, err := range maintain.Reachable(ctx, table, head) {
		if err != nil {
			return err
		}
		reachable[o.Location] = true
	}
	var problems []error
	for info, err := range r.meter.List(ctx, r.Location+"/") {
		if err != nil {
			return err
		}
		if !reachable[info.Name] {
			problems = append(problems, fmt.Errorf("orphan left: %s", info.Name))
		}
		delete(reachable, info.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(reachable)) {
		problems = append(problems, fmt.Errorf("missing: %s", name))
	}
	r.live, r.snapshots = 0, len(head.Metadata.Snapshots)
	for _, err := range table.Files(ctx, head, tree.Projection{}) {
		if err != nil {
			return err
		}
		r.live++
	}
	return errors.Join(problems...)
}
