package invariants

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
)

// spot is where a row stands in a tree: in which object, 0 for the root or one more than the index of an opened leaf, and
// in the low 32 bits its ordinal there. Spots are in the order of [treeInput.live].
type spot uint64

func spotOf(object int, row int64) spot { return spot(object)<<32 | spot(row) }

func (s spot) object() int { return int(s >> 32) }
func (s spot) row() int64  { return int64(s & (1<<32 - 1)) }

// object returns the location of the object in which a spot is.
func (in *treeInput) object(s spot) string {
	if i := s.object(); i > 0 {
		return in.leaves[i-1].pointer.location
	}
	return in.tree.Root
}

// spots yields the live files with their spots, in the order of the spots. A file is valid for one turn.
func (in *treeInput) spots() iter.Seq2[spot, *file] {
	return func(yield func(spot, *file) bool) {
		for i := range in.files {
			if f := &in.files[i]; f.live() && !yield(spotOf(0, f.row), f) {
				return
			}
		}
		for i, o := range in.leaves {
			for f := range o.live() {
				if !yield(spotOf(i+1, f.row), f) {
					return
				}
			}
		}
	}
}

// at yields the live files at spots that are in order. Of leaves it reads those in which there are some.
func (in *treeInput) at(spots []spot) iter.Seq2[spot, *file] {
	return func(yield func(spot, *file) bool) {
		loose, rest := spotsIn(0, spots)
		for i := range in.files {
			if f := &in.files[i]; len(loose) > 0 && loose[0].row() == f.row {
				if !yield(loose[0], f) {
					return
				}
				loose = loose[1:]
			}
		}
		for len(rest) > 0 {
			var some []spot
			object := rest[0].object()
			if some, rest = spotsIn(object, rest); !in.leaves[object-1].at(some, yield) {
				return
			}
		}
	}
}

// spotsIn parts spots in order into those of an object, which come first, and the rest.
func spotsIn(object int, spots []spot) (some, rest []spot) {
	n := 0
	for n < len(spots) && spots[n].object() == object {
		n++
	}
	return spots[:n], spots[n:]
}

// at shows visit the live files at spots of the leaf until it says false.
func (o *openLeaf) at(spots []spot, visit func(spot, *file) bool) bool {
	for f := range o.live() {
		if f.row != spots[0].row() {
			continue
		}
		if !visit(spots[0], f) {
			return false
		}
		if spots = spots[1:]; len(spots) == 0 {
			break
		}
	}
	return true
}

// hashed returns the hash of the file's location. Files are told apart by locations; their hashes only say which ones
// need not be compared. It is one of which nobody can make many collisions on purpose, which would cost memory.
func (f *file) hashed() uint64 {
	if f.hash == 0 {
		var room [256]byte
		sum := sha256.Sum256(append(room[:0], f.location...))
		f.hash = binary.LittleEndian.Uint64(sum[:])
	}
	return f.hash
}

// liveWalk is what rules about all live files need of them, so that they are walked once.
type liveWalk struct {
	// byHash and byRowID hold the files, and the ranges of their row ids, until they are asked for.
	byHash, byRowID *sorter
	// endsBeyond says that the row ids of a file in a leaf end beyond those that the snapshot took.
	endsBeyond bool
	sums       liveSums
}

// walk walks over the live files.
func (in *treeInput) walk() *liveWalk {
	if in.walked != nil {
		return in.walked
	}
	n := len(in.files)
	for _, o := range in.leaves {
		n += o.leaf.rows.count
	}
	w := &liveWalk{byHash: newSorter(in.storage, n), byRowID: newSorter(in.storage, n)}
	for s, f := range in.spots() {
		w.byHash.add(record{key: f.hashed(), spot: s})
		w.sums.add(f)
		if !f.firstRowID.Valid {
			continue
		}
		if f.firstRowID.Val < f.end() {
			w.byRowID.add(record{key: unsigned(f.firstRowID.Val), value: unsigned(f.end()), spot: s})
		}
		w.endsBeyond = w.endsBeyond || s.object() > 0 && f.end() > in.nextRowID()
	}
	in.walked = w
	return w
}

// unsigned turns numbers into ones without a sign in the same order, and signed turns them back.
func unsigned(n int64) uint64 { return uint64(n) ^ 1<<63 }
func signed(n uint64) int64   { return int64(n ^ 1<<63) }

// suspects yields the spots of the live files that share a hash with another, in order, and if there are more than a
// check may hold in several parts. Files that share a hash are in one part.
func (in *treeInput) suspects() iter.Seq[[]spot] {
	return func(yield func([]spot) bool) {
		var all, same []spot
		var hash uint64
		for r := range in.walk().byHash.sorted() {
			if r.key != hash {
				same, hash = same[:0], r.key
				if in.storage.exceeded(len(all)) {
					slices.Sort(all)
					if !yield(all) {
						return
					}
					all = all[:0]
				}
			}
			if same = append(same, r.spot); len(same) == 2 {
				all = append(all, same...)
			} else if len(same) > 2 {
				all = append(all, r.spot)
			}
		}
		slices.Sort(all)
		if len(all) > 0 && !in.storage.failed() {
			yield(all)
		}
	}
}

// idRanges yields the row ids of the live files in order.
func (in *treeInput) idRanges() iter.Seq[idRange] {
	return func(yield func(idRange) bool) {
		for r := range in.walk().byRowID.sorted() {
			if !yield(idRange{signed(r.key), signed(r.value), in.object(r.spot), r.spot.row()}) {
				return
			}
		}
	}
}
