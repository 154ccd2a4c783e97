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
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/tree"
)

// verify compares the table with what the writers were told, cleans up, and checks history and storage.
func (r *run) verify(ctx context.Context) error {
	table := commit.Open(tableID, r.Catalog, r.meter, commit.Options{})
	head, err := table.Head(ctx)
	if err != nil {
		return err
	}
	return errors.Join(r.compare(ctx, table, head), r.cleanUp(ctx, table, head), r.check(ctx, head))
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

// check is `firn check --history --storage`: it must find nothing but compactions whose one file has not as many rows as
// the two before, for every file of the soak has the same number.
func (r *run) check(ctx context.Context, head *commit.Head) error {
	var problems []error
	target := oracle.Target{Objects: r.meter, Metadata: head.MetadataLocation}
	for f, err := range oracle.Check(ctx, target, oracle.Options{History: true, Storage: true}) {
		if err != nil {
			return err
		}
		if f.Rule == "C-OPERATION" && f.Found == metadata.OpReplace {
			continue
		}
		problems = append(problems, fmt.Errorf("%s: %s", f.Rule, f.Message))
	}
	return errors.Join(problems...)
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
