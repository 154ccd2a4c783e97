package invariants

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
)

var historyInvariants = []Invariant{
	{
		ID: "H-ROW-ID-BORN", Scope: ScopeHistory, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule: "rules 7.2, 8.1, 8.3, 20.9, S24",
		Statement: "In a snapshot whose parent is not there to compare with, the row ids of a file are among those that the snapshot " +
			"took which added it, if that one is retained; a file that was added with an older data sequence number may have ids that all lie below.",
		Symptom: "The file's rows changed their row ids in a snapshot that has expired since.",
		Advice:  "Carry first_row_id unchanged with a file wherever its entry moves; to mend a table, add the file's rows anew.",
		check:   checker{born: checkBorn},
	},
	{
		ID: "H-ROW-ID-BACK", Scope: ScopeHistory, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule: "rules 7.2, 8.2, 20.9, S24",
		Statement: "A file that comes back to a line of snapshots has the row ids with which it left: one of the same location and file " +
			"sequence number always, one of the same data sequence number if it keeps ids of before.",
		Symptom: "Rows of one file have two row ids in one history, so readers that follow rows by id take them for others.",
		Advice:  "Restore a file with the first_row_id that it had, or as new with fresh ids.",
		check:   checker{line: checkBack},
	},
	{
		ID: "H-ROW-ID-REUSED", Scope: ScopeHistory, Depth: AllLeaves, Severity: Error, Firmness: Derived,
		Rule:      "rules 8.1, 8.3, 20.9",
		Statement: "A file does not take row ids that another file had before in the same line of snapshots.",
		Symptom:   "Rows of two files have one row id in one history.",
		Advice:    "Assign ids from the table's next-row-id on; only a file that comes back keeps its own.",
		check:     checker{reused: checkReused},
	},
}

// line is what [History] remembers of the snapshots that lead to the one under check: which files left the line, for
// a file that comes back is compared with what it was. Between two lines that part it goes back to where they part.
type line struct {
	// births are the snapshots with a root manifest by sequence number, those apart that share theirs with another.
	births map[int64]metadata.Snapshot
	steps  []step
	left   map[fileKey]departed
}

// step is a snapshot of the line, and what it changed of the files that left.
type step struct {
	snapshot int64
	added    []fileKey
	replaced []replacedDeparture
}

type replacedDeparture struct {
	key fileKey
	old departed
}

// fileKey stands for a location: a line may lose millions of files.
type fileKey [16]byte

func keyOf(location string) fileKey {
	hash := sha256.Sum256([]byte(location))
	return fileKey(hash[:16])
}

// departed is a file that left the line, as it was last.
type departed struct {
	fileSequence, sequence iceberg.Optional[int64]
	firstRowID, end        int64
	// snapshot is the last one of the line in which the file was live.
	snapshot int64
}

// before orders files that left, so that a finding does not depend on the order of a map.
func (d departed) before(o departed) bool {
	return d.firstRowID < o.firstRowID || d.firstRowID == o.firstRowID && d.snapshot < o.snapshot
}

func newLine(m *metadata.Table) *line {
	l := &line{births: make(map[int64]metadata.Snapshot), left: make(map[fileKey]departed)}
	twice := make(map[int64]bool)
	for s := range rooted(m) {
		if _, known := l.births[s.SequenceNumber]; known || !s.FirstRowID.Valid || !s.AddedRows.Valid {
			twice[s.SequenceNumber] = true // M-SEQUENCE, M-ROW-IDS
		}
		l.births[s.SequenceNumber] = *s
	}
	for number := range twice {
		delete(l.births, number)
	}
	return l
}

// enter goes on from the parent to its child. Without a parent to compare with a line begins.
func (l *line) enter(child, parent *snapshot) {
	for len(l.steps) > 0 && (parent == nil || l.steps[len(l.steps)-1].snapshot != parent.id()) {
		l.back()
	}
	l.steps = append(l.steps, step{snapshot: child.id()})
}

// back forgets the last step.
func (l *line) back() {
	last := l.steps[len(l.steps)-1]
	l.steps = l.steps[:len(l.steps)-1]
	for _, key := range last.added {
		delete(l.left, key)
	}
	for _, r := range last.replaced {
		l.left[r.key] = r.old
	}
}

// leave remembers a file that left in the last step.
func (l *line) leave(d *departure, snapshot int64) {
	key, last := keyOf(d.location), &l.steps[len(l.steps)-1]
	if old, known := l.left[key]; known {
		last.replaced = append(last.replaced, replacedDeparture{key, old})
	} else {
		last.added = append(last.added, key)
	}
	l.left[key] = departed{d.fileSequence, d.sequence, d.firstRowID.Val, d.end(), snapshot}
}

// lineTree is a tree of a history.
type lineTree struct {
	*treeInput
	births map[int64]metadata.Snapshot
}

// bornIn checks the rules that hold a tree of a history against the snapshots that added its files, if it is not to be
// compared with its parent.
func (c check) bornIn(in *treeInput) {
	if c.line == nil || len(c.line.steps) != 1 || !in.tree.ParentSnapshotID.Valid {
		return
	}
	c.run(bornRules, in.place(-1), func(f *checker, r reporter) {
		f.born(&lineTree{in, c.line.births}, r)
	})
}

// lineStep is a snapshot of a history with its parent, and what left the line up to it.
type lineStep struct {
	*transition
	left map[fileKey]departed
}

// goesOn remembers what left with a snapshot of a history and checks the rules that hold it against all before it.
func (c check) goesOn(t *transition) {
	if c.line == nil {
		return
	}
	for _, d := range t.changes.before.order {
		if d.firstRowID.Valid && (d.now == nil || t.isNew(d.now)) {
			c.line.leave(d, t.parent.id())
		}
	}
	s := &lineStep{t, c.line.left}
	c.run(lineRules, t.child.place(-1), func(f *checker, r reporter) {
		f.line(s, r)
	})
	for a := range s.comers() {
		if _, back := s.was(a); !back && s.keepsIDs(a) {
			t.keepers = append(t.keepers, a)
		}
	}
}

// wentOn checks the rules for which all that left with a snapshot of a history must be known.
func (c check) wentOn(t *transition) {
	if c.line == nil || len(t.keepers) == 0 {
		return
	}
	c.run(reusedRules, t.child.place(-1), func(f *checker, r reporter) {
		f.reused(&lineStep{t, c.line.left}, r)
	})
}

// comers yields the files that the child has, the parent has not, and that have row ids.
func (s *lineStep) comers() iter.Seq[*arrival] {
	return func(yield func(*arrival) bool) {
		for _, a := range s.changes.after.order {
			if a.firstRowID.Valid && (a.was == nil || s.isNew(a)) && !yield(a) {
				return
			}
		}
	}
}

// keepsIDs reports whether a file is added with row ids of before the snapshot, as only an older one may be (IV14).
func (s *lineStep) keepsIDs(a *arrival) bool {
	return s.isNew(a) && a.firstRowID.Val < s.child.tree.FirstRowID && s.child.mayKeepIDs(&a.file)
}

// was returns what left the line if a file that comes is the same file, or has the same rows and ids of before.
func (s *lineStep) was(a *arrival) (departed, bool) {
	old, known := s.left[keyOf(a.location)]
	return old, known && (same(old.fileSequence, a.fileSequence) || same(old.sequence, a.sequence) && s.keepsIDs(a))
}

func checkBorn(in *lineTree, r reporter) {
	for object, f := range in.live() {
		birth, known := in.births[f.fileSequence.Val]
		if !known || !f.fileSequence.Valid || !f.firstRowID.Valid {
			continue
		}
		first, end := birth.FirstRowID.Val, sum(birth.FirstRowID.Val, birth.AddedRows.Val)
		older := differ(f.sequence, f.fileSequence) && f.end() <= first
		if !older && (f.firstRowID.Val < first || f.end() > end) {
			r.at(object, f.row).report("tracking.first_row_id",
				fmt.Sprintf("%d rows from %d on that end at or below %d, as snapshot %d took them", f.recordCount, first, end, birth.ID),
				f.firstRowID)
		}
	}
}

func checkBack(s *lineStep, r reporter) {
	for a := range s.comers() {
		if old, back := s.was(a); back && a.was == nil && old.firstRowID != a.firstRowID.Val { // else X-ROW-ID-REUSED
			r.at(a.object, a.row).report("tracking.first_row_id",
				fmt.Sprintf("%d, as %s had it in snapshot %d", old.firstRowID, a.location, old.snapshot), a.firstRowID)
		}
	}
}

// checkReused looks for the ids of files that come with old ones, which are few, among those of all that left.
func checkReused(s *lineStep, r reporter) {
	comers := slices.Clone(s.keepers)
	slices.SortStableFunc(comers, func(a, b *arrival) int { return cmp.Compare(a.firstRowID.Val, b.firstRowID.Val) })
	hits := make([]departed, len(comers))
	for _, old := range s.left {
		end, _ := slices.BinarySearchFunc(comers, old.end, func(a *arrival, id int64) int { return cmp.Compare(a.firstRowID.Val, id) })
		for i := end - 1; i >= 0 && comers[i].end() > old.firstRowID; i-- {
			if hits[i].snapshot == 0 || old.before(hits[i]) {
				hits[i] = old
			}
		}
	}
	for i, a := range comers {
		if old := hits[i]; old.snapshot != 0 {
			r.at(a.object, a.row).report("tracking.first_row_id", fmt.Sprintf(
				"other row ids than %d to %d, which another file had in snapshot %d", old.firstRowID, old.end-1, old.snapshot), a.firstRowID)
		}
	}
}
