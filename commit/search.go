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

// search looks for files in one base by their locations. It opens a leaf only for what no hint, no earlier lookup and
// no statistics answer, and no leaf twice in a transaction.
type search struct {
	head    *Head
	work    *work
	leaves  treeio.LeafReader
	targets []*target
	// wanted are the targets still to be found, and suspects the added files to be looked for, by location.
	wanted   map[string]*target
	suspects map[string]bool
	// everywhere says that suspects are looked for in leaves too.
	everywhere bool
	// ours reports whether the transaction names a location.
	ours func(location string) bool
	// duplicate says what it means that a suspect is live.
	duplicate func(tree.Located) error
	// taken are the places of the targets that were found, by location, and full the files that were read in full.
	taken map[string]place
	full  map[fullKey]tree.Located
	// spelled are the spellings of all that was to be found when so many targets were wanted.
	spelled       []string
	spelledWanted int
}

// place is where a file stands in a base.
type place struct {
	located tree.Located
	// row is the root row of the file, or of the pointer to its leaf.
	row int
}

// search returns a search for the targets of a transaction, and for the files that it adds.
func (x *Txn) search(base *Head) *search {
	s := x.lookFor(base, x.targets)
	s.everywhere = x.options.CheckDuplicates
	for _, a := range x.adds {
		s.suspects[a.location] = true
	}
	s.duplicate = func(located tree.Located) error {
		if base == x.base {
			return refusef(located.Location, "live in the table already, added by snapshot %d", located.Entry.Tracking.SnapshotID.Val)
		}
		return conflictf(RuleAddExists, located.Location, "another writer added it")
	}
	return s
}

// lookFor returns a search for targets in any snapshot of the table.
func (x *Txn) lookFor(head *Head, targets []*target) *search {
	s := &search{
		head: head, work: &x.work, leaves: x.table.options.Codec.Leaves(x.table.objects), targets: targets,
		wanted: make(map[string]*target), suspects: make(map[string]bool),
		taken: make(map[string]place), full: make(map[fullKey]tree.Located),
		ours: func(location string) bool { return x.named[location] != nil || x.added[location] != nil },
	}
	for _, t := range targets {
		s.wanted[t.location] = t
	}
	return s
}

// find runs the search.
func (s *search) find(ctx context.Context) error {
	if err := s.followHints(); err != nil {
		return err
	}
	if err := s.searchRoot(); err != nil {
		return err
	}
	return s.searchLeaves(ctx)
}

// followHints takes each target whose last known place is still good: it was live there, its leaf is listed and has
// the position, and the position is not masked. A leaf never changes, so the row is the same. Loose files are found in
// the root anyway.
func (s *search) followHints() error {
	pointers := s.pointers()
	for _, t := range s.targets {
		if t.found == nil || t.found.Manifest == "" || !t.found.Entry.Tracking.Status.Live() {
			continue
		}
		row, listed := pointers[t.found.Manifest]
		if !listed || t.found.Position < 0 || t.found.Position >= s.head.Tree.Rows[row].RecordCount {
			continue
		}
		masked, err := maskOf(s.head.Tree.Rows[row])
		if err != nil {
			return err
		}
		if !masked.Contains(uint32(t.found.Position)) {
			s.take(t, place{*t.found, row})
		}
	}
	return nil
}

// pointers maps the resolved locations of the live manifests to their root rows.
func (s *search) pointers() map[string]int {
	rows := make(map[string]int)
	for i, entry := range s.head.Tree.Rows {
		if entry.Manifest.Valid && entry.Tracking.Status.Live() {
			rows[tree.Resolve(s.head.Location, entry.Location)] = i
		}
	}
	return rows
}

// searchRoot looks through the loose files.
func (s *search) searchRoot() error {
	for i, entry := range s.head.Tree.Rows {
		if entry.Manifest.Valid || !entry.Tracking.Status.Live() {
			continue
		}
		if err := s.meet(s.head.loose(i), i); err != nil {
			return err
		}
	}
	return nil
}

// loose returns the file of a root row.
func (h *Head) loose(row int) tree.Located {
	entry := h.Tree.Rows[row]
	return tree.Located{
		Entry: entry, Location: tree.Resolve(h.Location, entry.Location), Origin: h.Tree.Origin,
		Position: int64(row), Projection: tree.Full,
	}
}

// searchLeaves looks through the leaves that may hold what is still wanted.
func (s *search) searchLeaves(ctx context.Context) error {
	for i, entry := range s.head.Tree.Rows {
		if entry.Content != tree.DataManifest || !entry.Tracking.Status.Live() {
			continue
		}
		name := tree.Resolve(s.head.Location, entry.Location)
		spellings := s.spellings(name)
		if len(spellings) == 0 {
			continue
		}
		excluded, err := s.leaves.Excludes(ctx, s.head.Tree.Origin, entry, spellings)
		if err != nil {
			return err
		}
		if !excluded {
			s.work.leavesOpened++
			rows := s.watched(name, s.leaves.Leaf(ctx, s.head.Tree.Origin, entry, tree.Projection{}))
			for located, err := range tree.LiveIn(s.head.Tree.Origin, entry, tree.Projection{}, rows) {
				if err != nil {
					return err
				}
				if err := s.meet(located, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// watched passes rows on and, when it has seen them all, notes which of the transaction's files have one, live or not. No
// other file of the transaction need be looked for in that leaf again, whatever becomes of its deletion vector.
func (s *search) watched(leaf string, rows iter.Seq2[tree.Row, error]) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		present := make(map[string]bool)
		for row, err := range rows {
			if name := tree.Resolve(s.head.Location, row.Entry.Location); s.ours(name) {
				present[name] = true
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		s.work.searched[leaf] = present
	}
}

// spellings returns, sorted, how the locations that are still to be looked for in a leaf may be stored there.
func (s *search) spellings(leaf string) []string {
	if present, searched := s.work.searched[leaf]; searched {
		var names []string
		for name := range present {
			if s.wanted[name] != nil || s.everywhere && s.suspects[name] {
				names = append(names, name)
			}
		}
		return s.spell(names)
	}
	if s.spelled == nil || s.spelledWanted != len(s.wanted) { // targets are found, none comes in
		names := slices.Collect(maps.Keys(s.wanted))
		if s.everywhere {
			names = slices.AppendSeq(names, maps.Keys(s.suspects))
		}
		s.spelled, s.spelledWanted = s.spell(names), len(s.wanted)
	}
	return s.spelled
}

// spell returns, sorted, how locations may be stored.
func (s *search) spell(names []string) []string {
	var stored []string
	for _, name := range names {
		stored = append(stored, name)
		if relative := tree.Relativize(s.head.Location, name); relative != name {
			stored = append(stored, relative)
		}
	}
	slices.Sort(stored)
	return stored
}

// meet handles a live file that the search came across. A target that is met twice is live twice: to change one of its
// entries would not change it.
func (s *search) meet(located tree.Located, row int) error {
	if s.suspects[located.Location] {
		return s.duplicate(located)
	}
	if first, taken := s.taken[located.Location]; taken {
		if first.located.Manifest == located.Manifest && first.located.Position == located.Position {
			return nil // a hint had found it
		}
		return &tree.DuplicateError{First: first.located, Second: located}
	}
	if t := s.wanted[located.Location]; t != nil && t.names(located) {
		s.take(t, place{located, row})
	}
	return nil
}

// names reports whether the target means this file and not another that had the same location.
func (t *target) names(located tree.Located) bool {
	number := t.FileSequenceNumber
	if t.found != nil {
		number = t.found.Entry.Tracking.FileSequenceNumber
	}
	return !number.Valid || number == located.Entry.Tracking.FileSequenceNumber
}

// take binds a target to a place.
func (s *search) take(t *target, p place) {
	s.taken[t.location] = p
	delete(s.wanted, t.location)
}

// isComplete reports whether a file was read with all that its row says, as it is needed to write it again.
func (s *search) isComplete(l tree.Located) bool {
	complete := l.Projection.File && l.Projection.AllStats
	return l.Manifest == "" || complete && !s.head.Tree.HasSnapshotTimestamps // else an understood timestamp is to be written down
}

// fill reads files of one leaf in full, in one pass.
func (s *search) fill(ctx context.Context, row int, files []tree.Located) error {
	missing := make(map[int64]bool)
	for _, l := range files {
		if _, read := s.full[fullKey{row, l.Position}]; !read && !s.isComplete(l) {
			missing[l.Position] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for l, err := range s.live(ctx, row) {
		if err != nil {
			return err
		}
		if missing[l.Position] {
			s.full[fullKey{row, l.Position}] = l
		}
	}
	return nil
}

// fullKey is the place of a file in a leaf, by the root row of its pointer.
type fullKey struct {
	row      int
	position int64
}

// complete returns a file that was found with everything that its row says.
func (s *search) complete(ctx context.Context, l tree.Located, row int) (tree.Located, error) {
	if s.isComplete(l) {
		return l, nil
	}
	if err := s.fill(ctx, row, []tree.Located{l}); err != nil {
		return l, err
	}
	full, live := s.full[fullKey{row, l.Position}]
	if !live {
		return l, refusef(l.Location, "not live at row %d of %s, where the hint says it is", l.Position, l.Manifest)
	}
	return full, nil
}

// live yields the live files of a leaf, read in full, with what they inherit written down.
func (s *search) live(ctx context.Context, row int) iter.Seq2[tree.Located, error] {
	pointer := s.head.Tree.Pin(s.head.Tree.Rows[row])
	return tree.LiveIn(s.head.Tree.Origin, pointer, tree.Full, s.raw(ctx, pointer))
}

// raw yields all rows of a leaf, read in full. They are read once and kept, since leaves never change.
func (s *search) raw(ctx context.Context, pointer tree.Entry) iter.Seq2[tree.Row, error] {
	return func(yield func(tree.Row, error) bool) {
		name := tree.Resolve(s.head.Location, pointer.Location)
		rows, known := s.work.rows[name]
		if !known {
			s.work.leavesOpened++
			for r, err := range s.leaves.Leaf(ctx, s.head.Tree.Origin, pointer, tree.Full) {
				if err != nil {
					yield(tree.Row{}, err)
					return
				}
				rows = append(rows, r)
			}
			s.work.rows[name] = rows
		}
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// unmaskedDead returns the dead rows of a mixed leaf that its deletion vector does not mask yet.
func (s *search) unmaskedDead(ctx context.Context, entry tree.Entry) (mdv.Bitmap, error) {
	info := entry.Manifest.Val
	live := int64(info.AddedFiles) + int64(info.ExistingFiles) + int64(info.ModifiedFiles)
	if live == 0 || info.DeletedFiles+info.ReplacedFiles == 0 || info.FormatVersion == 0 {
		return mdv.Bitmap{}, nil
	}
	masked, err := maskOf(entry)
	if err != nil {
		return mdv.Bitmap{}, err
	}
	name := tree.Resolve(s.head.Location, entry.Location)
	dead, known := s.work.dead[name]
	if !known {
		s.work.leavesOpened++
		var positions []uint32
		for row, err := range s.leaves.Leaf(ctx, s.head.Tree.Origin, entry, tree.Projection{}) {
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
		s.work.dead[name] = dead
	}
	return dead.Minus(masked), nil
}

func maskOf(pointer tree.Entry) (mdv.Bitmap, error) {
	if pointer.Manifest.Val.DV == nil {
		return mdv.Bitmap{}, nil
	}
	return mdv.Parse(pointer.Manifest.Val.DV)
}
