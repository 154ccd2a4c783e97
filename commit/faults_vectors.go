//go:build mutate

package commit

import (
	"slices"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

func init() { tamper.Register(vectorFaults...) }

// vector is a fault of the deletion vectors that are written.
func vector(name, says string, change func(r *resolver, p *pending)) tamper.Fault {
	return tamper.At(seamVectors, name, says, func(r *resolver, all []pending) []pending {
		all = slices.Clone(all)
		for i := range all {
			change(r, &all[i])
		}
		return all
	})
}

// written is a fault of the places where deletion vectors were written.
func written(name, says string, change func(r *resolver, all []tree.DeletionVector)) tamper.Fault {
	return tamper.At(seamVectorPlaces, name, says, func(r *resolver, all []tree.DeletionVector) []tree.DeletionVector {
		all = slices.Clone(all)
		change(r, all)
		return all
	})
}

// vectorFaults are faults of deletion vectors.
var vectorFaults = []tamper.Fault{
	vector("vector-forgets-old-rows", "A new deletion vector has only the rows that are deleted now.",
		func(r *resolver, p *pending) {
			if t := r.named[p.dataFile]; t != nil && !t.deletes.rows.IsEmpty() {
				p.vector = t.deletes.rows
			}
		}),
	vector("vector-forgets-winners-rows", "After a lost race the deletion vector lacks the rows that the winner deleted.",
		func(r *resolver, p *pending) {
			p.vector = tamper.First(r.Txn, p.dataFile, p.vector)
		}),
	vector("vector-of-other-rows", "Each deleted row is noted one row too far.", func(_ *resolver, p *pending) {
		var rows []uint64
		for row := range p.vector.All() {
			rows = append(rows, row+1)
		}
		if moved, err := dv.Of(rows...); err == nil {
			p.vector = moved
		}
	}),
	tamper.At(seamVectors, "vectors-exchanged", "Two files of one commit get each other's deletion vector.",
		func(_ *resolver, all []pending) []pending {
			all = slices.Clone(all)
			if n := len(all); n > 1 {
				all[0].vector, all[n-1].vector = all[n-1].vector, all[0].vector
			}
			return all
		}),
	tamper.At(seamVectors, "vector-not-put", "A file is written as MODIFIED with the deletion vector that it had before.",
		func(*resolver, []pending) []pending {
			return nil
		}),
	written("vector-cardinality", "The cardinality of a deletion vector is one too high.",
		func(_ *resolver, all []tree.DeletionVector) {
			for i := range all {
				all[i].Cardinality++
			}
		}),
	written("vector-offset-of-first", "All deletion vectors of a Puffin file are given the offset of the first one.",
		func(_ *resolver, all []tree.DeletionVector) {
			for i := range all {
				all[i].OffsetBytes = all[0].OffsetBytes
			}
		}),
	written("vector-size-without-frame", "The size of a deletion vector leaves out length and checksum.",
		func(_ *resolver, all []tree.DeletionVector) {
			for i := range all {
				all[i].SizeBytes -= 8
			}
		}),
	written("vector-of-lost-attempt", "After a lost race the entry names the Puffin file of the attempt that lost.",
		func(r *resolver, all []tree.DeletionVector) {
			for i := range all {
				all[i].Location = tamper.First(r.Txn, "Puffin file", all[i].Location)
			}
		}),
}

func init() { tamper.Register(maskFaults...) }

// masked is a fault of the positions that a commit masks.
func masked(name, says string, change func(m *tree.Masks)) tamper.Fault {
	return tamper.At(seamMasked, name, says, func(_ *resolver, out resolved) resolved {
		for row, m := range out.masks {
			change(&m)
			out.masks[row] = m
		}
		return out
	})
}

// maskFaults are faults of the positions that a commit masks.
var maskFaults = []tamper.Fault{
	masked("deleted-told-as-replaced", "The position of a removed file goes into replaced_positions.", func(m *tree.Masks) {
		m.Replaced, m.Deleted = m.Replaced.Union(m.Deleted), mdv.Bitmap{}
	}),
	masked("deleted-not-told", "The position of a removed file goes into dv alone.", func(m *tree.Masks) {
		m.Moved, m.Deleted = m.Moved.Union(m.Deleted), mdv.Bitmap{}
	}),
	masked("replaced-told-as-deleted", "The old position of a file whose rows are deleted goes into deleted_positions.",
		func(m *tree.Masks) {
			m.Deleted, m.Replaced = m.Deleted.Union(m.Replaced), mdv.Bitmap{}
		}),
	masked("replaced-not-told", "The old position of a file whose rows are deleted goes into dv alone.", func(m *tree.Masks) {
		m.Moved, m.Replaced = m.Moved.Union(m.Replaced), mdv.Bitmap{}
	}),
	masked("moved-told-as-deleted", "The old position of an entry that only moves goes into deleted_positions.",
		func(m *tree.Masks) {
			m.Deleted, m.Moved = m.Deleted.Union(m.Moved), mdv.Bitmap{}
		}),
	masked("moved-told-as-replaced", "The old position of an entry that only moves goes into replaced_positions.",
		func(m *tree.Masks) {
			m.Replaced, m.Moved = m.Replaced.Union(m.Moved), mdv.Bitmap{}
		}),
	tamper.At(seamMasked, "mask-of-lost-attempt", "After a lost race the positions are masked that the first attempt found.",
		func(r *resolver, out resolved) resolved {
			for row, m := range out.masks {
				out.masks[row] = tamper.First(r.Txn, "masks", m)
			}
			return out
		}),
	tamper.At(seamMasked, "clean-up-takes-vectors", "The clean-up after a commit does not know that its Puffin file is in use.",
		func(_ *resolver, out resolved) resolved {
			out.vectors = nil
			return out
		}),
}
