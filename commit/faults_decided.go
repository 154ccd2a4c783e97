//go:build mutate

package commit

import (
	"context"
	"slices"

	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(decidedFaults...) }

// decided is a fault of what becomes of one file that a commit changes.
func decided(name, says string, change func(r *resolver, c *changed)) tamper.Fault {
	return tamper.At(seamDecided, name, says, func(r *resolver, out resolved) resolved {
		for _, c := range out.files {
			change(r, c)
		}
		return out
	})
}

// forgotten is a fault that leaves one file of a kind as it was.
func forgotten(name, says string, which func(c *changed) bool) tamper.Fault {
	return tamper.At(seamDecided, name, says, func(_ *resolver, out resolved) resolved {
		if i := slices.IndexFunc(out.files, which); i >= 0 {
			out.files = slices.Delete(slices.Clone(out.files), i, i+1)
		}
		return out
	})
}

// added is a fault of the files that come in.
func added(name, says string, change func(r *resolver, adds []addition) []addition) tamper.Fault {
	return tamper.At(seamDecided, name, says, func(r *resolver, out resolved) resolved {
		out.adds = change(r, slices.Clone(out.adds))
		return out
	})
}

// decidedFaults are faults of what becomes of each file.
var decidedFaults = []tamper.Fault{
	forgotten("mask-forgotten", "A file is removed from a leaf, and its position is not masked.",
		func(c *changed) bool { return c.fate == removed && !c.inRoot() }),
	forgotten("removal-forgotten", "A loose file is removed, and its row is carried.",
		func(c *changed) bool { return c.fate == removed && c.inRoot() }),
	forgotten("deletes-forgotten", "Rows of a file are deleted, and its entry is carried without them.",
		func(c *changed) bool { return c.fate == modified }),
	forgotten("refresh-forgotten", "Statistics are refreshed, and the old ones are carried.",
		func(c *changed) bool { return c.fate == refreshed }),

	forgotten("full-vector-stays", "All rows of a file are deleted, and it stays with the rows that it had.",
		func(c *changed) bool { return c.fate == removed && c.old.Projection.AllStats && c.state.Location != "" }),
	decided("vector-on-old-entry", "After a lost race a deletion vector goes into the entry that the first attempt read.",
		func(r *resolver, c *changed) {
			if c.fate == modified {
				c.state.Stats = tamper.First(r.Txn, c.old.Location, c.state.Stats)
			}
		}),
	tamper.At(seamDecided, "refresh-after-deletes", "After a lost race statistics are refreshed although the winner deleted rows of the file.",
		(*resolver).refreshAll),

	decided("mask-of-neighbour", "The position that is masked is the one behind that of the removed file.",
		func(r *resolver, c *changed) {
			if c.fate == removed && !c.inRoot() {
				c.old.Position = (c.old.Position + 1) % r.base.Tree.Rows[c.row].RecordCount
			}
		}),
	decided("removal-of-neighbour", "The loose row that is removed is the one behind that of the removed file.",
		func(r *resolver, c *changed) {
			rows := r.base.Tree.Rows
			for next := c.row + 1; c.fate == removed && c.inRoot() && next < len(rows); next++ {
				if !rows[next].Manifest.Valid && rows[next].Tracking.Status.Live() {
					c.row = next
					return
				}
			}
		}),

	added("file-forgotten", "Several files are added, and the last one is forgotten.",
		func(_ *resolver, adds []addition) []addition {
			return adds[:len(adds)-min(1, len(adds)/2)]
		}),
	added("file-added-twice", "A file that is added gets two rows.", func(_ *resolver, adds []addition) []addition {
		if len(adds) > 0 {
			again := adds[0]
			again.key += " again"
			adds = append(adds, again)
		}
		return adds
	}),
	added("compaction-takes-new-number", "A compaction gives its new files the commit's sequence number in place of their rows' own.",
		func(_ *resolver, adds []addition) []addition {
			for i := range adds {
				adds[i].entry.Tracking.SequenceNumber = null
			}
			return adds
		}),
	added("restored-takes-new-row-ids", "A file that is restored gets new row ids in place of those that its rows had.",
		func(_ *resolver, adds []addition) []addition {
			for i := range adds {
				adds[i].entry.Tracking.FirstRowID = null
			}
			return adds
		}),
	added("restored-keeps-file-sequence", "A file that is restored keeps the file sequence number that it had.",
		func(r *resolver, adds []addition) []addition {
			for i := range adds {
				if t := &adds[i].entry.Tracking; r.restored != nil {
					t.FileSequenceNumber = t.SequenceNumber
				}
			}
			return adds
		}),
	added("added-loses-statistics", "A file is added without the statistics that came with it.",
		func(_ *resolver, adds []addition) []addition {
			for i := range adds {
				adds[i].entry.Stats = nil
			}
			return adds
		}),
	added("sequence-of-rows-ahead", "A file is added with a data sequence number that no snapshot has yet.",
		func(r *resolver, adds []addition) []addition {
			for i := range adds {
				adds[i].entry.Tracking.SequenceNumber = some(r.base.Metadata.LastSequenceNumber + 2)
			}
			return adds
		}),
}

// refreshAll refreshes the statistics of files too whose refresh was dropped.
func (r *resolver) refreshAll(out resolved) resolved {
	for _, t := range r.Txn.targets {
		place, found := r.taken[t.location]
		if t.stats == nil || !t.dropped || !found {
			continue
		}
		old, err := r.complete(context.Background(), place.located, place.row)
		if err != nil {
			panic(err)
		}
		c := &changed{old: old, row: place.row, fate: refreshed, state: old.Entry}
		c.state.Stats = *t.stats
		out.files = append(out.files, c)
	}
	return out
}

func init() { tamper.Register(stateFaults...) }

// state is a fault of the new row of a file whose rows are deleted.
func state(name, says string, change func(r *resolver, c *changed, new *tree.Entry)) tamper.Fault {
	return decided(name, says, func(r *resolver, c *changed) {
		if c.fate == modified {
			change(r, c, &c.state)
		}
	})
}

// stateFaults are faults of the new row of a file whose deletion vector changed.
var stateFaults = []tamper.Fault{
	state("modified-takes-new-sequence", "A file whose rows are deleted gets the commit's data sequence number.",
		func(r *resolver, _ *changed, new *tree.Entry) {
			new.Tracking.SequenceNumber = some(r.base.Metadata.LastSequenceNumber + 1)
		}),
	state("modified-takes-new-file-sequence", "A file whose rows are deleted gets the commit's file sequence number.",
		func(r *resolver, _ *changed, new *tree.Entry) {
			new.Tracking.FileSequenceNumber = some(r.base.Metadata.LastSequenceNumber + 1)
		}),
	state("modified-takes-new-row-ids", "A file whose rows are deleted gets new row ids.",
		func(_ *resolver, _ *changed, new *tree.Entry) {
			new.Tracking.FirstRowID = null
		}),
	state("modified-takes-new-snapshot-id", "A file whose rows are deleted gets the commit's snapshot id.",
		func(r *resolver, _ *changed, new *tree.Entry) {
			new.Tracking.SnapshotID = some(r.work.snapshotID)
		}),
	state("modified-loses-statistics", "A file whose rows are deleted loses its statistics.",
		func(_ *resolver, _ *changed, new *tree.Entry) {
			new.Stats = nil
		}),
	state("modified-loses-partition", "A file whose rows are deleted loses spec id and partition.",
		func(_ *resolver, _ *changed, new *tree.Entry) {
			new.Partition, new.SpecID.Valid = nil, false
		}),
	state("modified-counts-live-rows", "A file whose rows are deleted gets the number of rows that are left as its record count.",
		func(r *resolver, c *changed, new *tree.Entry) {
			if t := r.named[c.old.Location]; t != nil {
				new.RecordCount -= t.deletes.rows.Cardinality()
			}
		}),
	state("modified-loses-key", "A file whose rows are deleted loses its key metadata and split offsets.",
		func(_ *resolver, _ *changed, new *tree.Entry) {
			new.KeyMetadata, new.SplitOffsets = nil, nil
		}),
}
