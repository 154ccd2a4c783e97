package commit

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// resolved says where the change of a transaction stands in one base.
type resolved struct {
	// masks are the positions to mask, by the root row of the pointer.
	masks map[int]tree.Masks
	// removed are the root rows of loose files to remove, ascending.
	removed []int
	// gone are all removed files.
	gone []tree.Located
}

// resolver binds the files that a transaction names to rows of one base.
type resolver struct {
	*Txn
	base   *Head
	leaves treeio.LeafReader
	// wanted are the targets still to be found, and suspects the added files to be looked for, by location.
	wanted   map[string]*target
	suspects map[string]bool
	// taken are the places of the targets that were found, by location.
	taken   map[string]tree.Located
	deleted map[int][]uint32
	out     resolved
}

// locate finds every target and, if asked to, every duplicate of an added file. It opens a leaf only for what
// no hint, no earlier lookup and no statistics answer, and no leaf twice in a transaction.
func (x *Txn) locate(ctx context.Context, base *Head) (resolved, error) {
	r := &resolver{
		Txn: x, base: base, leaves: x.table.options.Codec.Leaves(x.table.objects),
		wanted: make(map[string]*target), suspects: make(map[string]bool), taken: make(map[string]tree.Located),
		deleted: make(map[int][]uint32),
	}
	for _, a := range x.adds {
		r.suspects[a.location] = true
	}
	if err := r.followHints(); err != nil {
		return resolved{}, err
	}
	if err := r.searchRoot(); err != nil {
		return resolved{}, err
	}
	if err := r.searchLeaves(ctx); err != nil {
		return resolved{}, err
	}
	for _, t := range x.targets { // in the order in which the caller named them
		if r.wanted[t.location] == t {
			return resolved{}, x.missing(base, t)
		}
	}
	return r.finish(ctx)
}

// followHints takes each target whose last known place is still good: it was live there, its leaf is listed and has
// the position, and the position is not masked. A leaf never changes, so the row is the same. Loose files are found in
// the root anyway.
func (r *resolver) followHints() error {
	pointers := r.pointers()
	for _, t := range r.targets {
		r.wanted[t.location] = t
		if t.found == nil || t.found.Manifest == "" || !t.found.Entry.Tracking.Status.Live() {
			continue
		}
		row, listed := pointers[t.found.Manifest]
		if !listed || t.found.Position < 0 || t.found.Position >= r.base.Tree.Rows[row].RecordCount {
			continue
		}
		masked, err := maskOf(r.base.Tree.Rows[row])
		if err != nil {
			return err
		}
		if !masked.Contains(uint32(t.found.Position)) {
			if err := r.take(t, *t.found, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// pointers maps the resolved locations of the live manifests to their root rows.
func (r *resolver) pointers() map[string]int {
	rows := make(map[string]int)
	for i, entry := range r.base.Tree.Rows {
		if entry.Manifest.Valid && entry.Tracking.Status.Live() {
			rows[tree.Resolve(r.base.Location, entry.Location)] = i
		}
	}
	return rows
}

// searchRoot looks through the loose files.
func (r *resolver) searchRoot() error {
	for i, entry := range r.base.Tree.Rows {
		if entry.Manifest.Valid || !entry.Tracking.Status.Live() {
			continue
		}
		located := tree.Located{
			Entry: entry, Location: tree.Resolve(r.base.Location, entry.Location), Origin: r.base.Tree.Origin,
			Position: int64(i), Projection: tree.Full,
		}
		if err := r.meet(located, i); err != nil {
			return err
		}
	}
	return nil
}

// searchLeaves looks through the leaves that may hold what is still wanted.
func (r *resolver) searchLeaves(ctx context.Context) error {
	for i, entry := range r.base.Tree.Rows {
		if entry.Content != tree.DataManifest || !entry.Tracking.Status.Live() {
			continue
		}
		name := tree.Resolve(r.base.Location, entry.Location)
		spellings := r.spellings(name)
		if len(spellings) == 0 {
			continue
		}
		suspect := false
		excluded, err := r.leaves.Excludes(ctx, r.base.Tree.Origin, entry, spellings)
		if err != nil {
			return err
		}
		if !excluded {
			r.work.leavesOpened++
			rows := r.watched(r.leaves.Leaf(ctx, r.base.Tree.Origin, entry, tree.Projection{}), &suspect)
			for located, err := range tree.LiveIn(r.base.Tree.Origin, entry, tree.Projection{}, rows) {
				if err != nil {
					return err
				}
				if err := r.meet(located, i); err != nil {
					return err
				}
			}
		}
		if r.options.CheckDuplicates && !suspect {
			r.work.searched[name] = true
		}
	}
	return nil
}

// watched passes rows on and notes if one of them, live or not, has the location of a file to add. A leaf without such
// a row need not be searched again, whatever becomes of its deletion vector.
func (r *resolver) watched(rows iter.Seq2[tree.Row, error], suspect *bool) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		for row, err := range rows {
			*suspect = *suspect || r.suspects[tree.Resolve(r.base.Location, row.Entry.Location)]
			if !yield(row, err) {
				return
			}
		}
	}
}

// spellings returns, sorted, how the locations that are still to be looked for in a leaf may be stored there.
func (r *resolver) spellings(leaf string) []string {
	names := slices.Collect(maps.Keys(r.wanted))
	if r.options.CheckDuplicates && !r.work.searched[leaf] {
		names = slices.AppendSeq(names, maps.Keys(r.suspects))
	}
	var stored []string
	for _, name := range names {
		stored = append(stored, name)
		if relative := tree.Relativize(r.base.Location, name); relative != name {
			stored = append(stored, relative)
		}
	}
	slices.Sort(stored)
	return stored
}

// meet handles a live file that the search came across. A target that is met twice is live twice: to remove one of its
// entries would not remove it.
func (r *resolver) meet(located tree.Located, row int) error {
	if r.suspects[located.Location] {
		return r.duplicate(located)
	}
	if first, taken := r.taken[located.Location]; taken {
		if first.Manifest == located.Manifest && first.Position == located.Position {
			return nil // a hint had found it
		}
		return &tree.DuplicateError{First: first, Second: located}
	}
	t := r.wanted[located.Location]
	if t == nil || !t.names(located) {
		return nil
	}
	return r.take(t, located, row)
}

// names reports whether the target means this file and not another that had the same location.
func (t *target) names(located tree.Located) bool {
	number := t.FileSequenceNumber
	if t.found != nil {
		number = t.found.Entry.Tracking.FileSequenceNumber
	}
	return !number.Valid || number == located.Entry.Tracking.FileSequenceNumber
}

// take binds a target to a row of the base.
func (r *resolver) take(t *target, located tree.Located, row int) error {
	if t.rewritten && t.found != nil &&
		t.found.Entry.Tracking.ModifiedSnapshotID != located.Entry.Tracking.ModifiedSnapshotID {
		return &ConflictError{
			Rule: RuleRemoveDVRaced, Location: t.location,
			Reason: "its deletes have changed since it was read, the new files would bring deleted rows back",
		}
	}
	t.found = &located
	r.taken[t.location] = located
	delete(r.wanted, t.location)
	r.out.gone = append(r.out.gone, located)
	if located.Manifest == "" {
		r.out.removed = append(r.out.removed, row)
	} else {
		r.deleted[row] = append(r.deleted[row], uint32(located.Position))
	}
	return nil
}

// finish turns the positions into masks. A leaf that mixes live and dead rows, as only other engines write,
// has its dead rows masked on the way, so that its counts and its deletion vector tell what is live (S27).
func (r *resolver) finish(ctx context.Context) (resolved, error) {
	r.out.masks = make(map[int]tree.Masks)
	for i, entry := range r.base.Tree.Rows {
		if !entry.Manifest.Valid || !entry.Tracking.Status.Live() {
			continue
		}
		deleted, err := mdv.Of(r.deleted[i]...)
		if err != nil {
			return resolved{}, err
		}
		dead, err := r.unmaskedDead(ctx, entry)
		if err != nil {
			return resolved{}, err
		}
		if !deleted.IsEmpty() || !dead.IsEmpty() {
			r.out.masks[i] = tree.Masks{Deleted: deleted, Moved: dead}
		}
	}
	slices.Sort(r.out.removed)
	return r.out, nil
}

// unmaskedDead returns the dead rows of a mixed leaf that its deletion vector does not mask yet.
func (r *resolver) unmaskedDead(ctx context.Context, entry tree.Entry) (mdv.Bitmap, error) {
	info := entry.Manifest.Val
	live := int64(info.AddedFiles) + int64(info.ExistingFiles) + int64(info.ModifiedFiles)
	if live == 0 || info.DeletedFiles+info.ReplacedFiles == 0 || info.FormatVersion == 0 {
		return mdv.Bitmap{}, nil
	}
	masked, err := maskOf(entry)
	if err != nil {
		return mdv.Bitmap{}, err
	}
	name := tree.Resolve(r.base.Location, entry.Location)
	dead, known := r.work.dead[name]
	if !known {
		r.work.leavesOpened++
		var positions []uint32
		for row, err := range r.leaves.Leaf(ctx, r.base.Tree.Origin, entry, tree.Projection{}) {
			if err != nil {
				return mdv.Bitmap{}, err
			}
			if !row.Entry.Tracking.Status.Live() {
				positions = append(positions, uint32(row.Position))
			}
		}
		if dead, err = mdv.Of(positions...); err != nil {
			return mdv.Bitmap{}, err
		}
		r.work.dead[name] = dead
	}
	return dead.Minus(masked), nil
}

func maskOf(pointer tree.Entry) (mdv.Bitmap, error) {
	if pointer.Manifest.Val.DV == nil {
		return mdv.Bitmap{}, nil
	}
	return mdv.Parse(pointer.Manifest.Val.DV)
}
