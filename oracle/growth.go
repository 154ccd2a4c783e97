package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store"
)

// dataFileID tells data files apart, also those that came one after the other at one location.
type dataFileID struct {
	location string
	file     int64
}

// checkGrowth holds each deletion vector against the one that its file had before: the last one that was met in an
// ancestor of the snapshot in which it was met itself. Across lines nothing is compared.
func (c *storage) checkGrowth(ctx context.Context) error {
	var order []dataFileID
	byFile := make(map[dataFileID][]vector)
	for _, v := range c.vectors {
		id := dataFileID{v.dataFile, v.file}
		if len(byFile[id]) == 0 {
			order = append(order, id)
		}
		byFile[id] = append(byFile[id], v)
	}
	parents := make(map[int64]int64)
	for _, s := range c.metadata.Snapshots {
		parents[s.ID] = s.ParentID.Val
	}
	for _, id := range order {
		for _, v := range byFile[id] {
			before, there := lastBefore(v, byFile[id], parents)
			if !there {
				continue
			}
			if err := c.grows(ctx, before, v); err != nil || c.report.done {
				return err
			}
		}
	}
	return nil
}

// lastBefore returns which of the vectors of its file was met in the nearest ancestor.
func lastBefore(v vector, all []vector, parents map[int64]int64) (vector, bool) {
	if len(all) < 2 {
		return vector{}, false
	}
	at := make(map[int64]vector, len(all))
	for _, other := range all {
		at[other.place.snapshot] = other
	}
	id := v.place.snapshot
	for range len(parents) { // which may run in a circle
		id = parents[id]
		if before, there := at[id]; there {
			return before, true
		}
	}
	return vector{}, false
}

// grows reports rows of a vector that the next one has not.
func (c *storage) grows(ctx context.Context, before, after vector) error {
	var rows [2]dv.Vector
	for i, v := range []vector{before, after} {
		var err error
		rows[i], err = dv.Read(ctx, c.objects, v.entry, v.location, v.recordCount, dv.Limits{})
		var fault *dv.FaultError
		switch {
		case errors.As(err, &fault), errors.Is(err, dv.ErrEncrypted), errors.Is(err, store.ErrTooLarge), errors.Is(err, store.ErrNotFound):
			return nil // which was reported
		case err != nil:
			return err
		}
	}
	if lost := rows[0].Minus(rows[1]); !lost.IsEmpty() {
		c.found(vectorGrows, after.place, after.location, fmt.Sprintf("every row of %s that is deleted in snapshot %d", after.dataFile, before.place.snapshot),
			fmt.Sprintf("%d of them missing, such as row %d", lost.Cardinality(), first(lost)))
	}
	return nil
}

// first returns the lowest row of a vector that is not empty.
func first(v dv.Vector) uint64 {
	for row := range v.All() {
		return row
	}
	return 0
}
