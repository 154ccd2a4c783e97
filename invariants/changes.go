package invariants

import (
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/tree"
)

// changes is what became of the files that left their place between a parent and its child. Files that stay in a
// leaf which the child carries are the same on both sides and not listed.
//
// Where more files did so than the check may hold they are looked at in shares, by the hashes of their locations: the
// rules about them compare rows of one location. Then plain files are left out too, see [transition.isPlain].
type changes struct {
	share share
	// before are the live files of the parent that left their place: all loose ones, those of leaves that are gone and
	// those of positions that the child masks anew.
	before fileSet[*departure]
	// beforeKnown says that no leaf was left closed in which more such files stand, droppedKnown that of the leaves that
	// are gone none was.
	beforeKnown, droppedKnown bool
	// after are the live files of the child outside of leaves that it carries.
	after fileSet[*arrival]
	// afterKnown says that no new leaf was left closed.
	afterKnown bool
	// tombstones are the DELETED and REPLACED rows of the child, of its root and of new leaves.
	tombstones []*arrival
	// unopened are the carried pointers whose newly masked rows were not looked at.
	unopened []*carriedPointer
	// staying are the leaves that the child carries, opened; with stayingKnown all of them.
	staying      []*openLeaf
	stayingKnown bool
	// stayingLocations are those of the locations of this change that are live in them, nil until they are needed.
	stayingLocations map[string]bool
	// dead are delta positions of rows that were not live in the parent.
	dead []deadPositions
	// omitted sums up the plain files that were left out, and rows of those that are held whose location is there already.
	omitted counted
}

// departure is a file that left its place, and how often the child says that it was deleted or replaced.
type departure struct {
	file
	object                             string
	deletedBits, deletedRows, replaced int
	// now is the live row of its location in the child, nil for none.
	now *arrival
}

// described names the file and its place for messages.
func (d *departure) described() string {
	return fmt.Sprintf("%s, live in %s row %d of the parent", d.location, d.object, d.row)
}

// arrival is a row of the child: a live file, or a tombstone.
type arrival struct {
	file
	object string
	// was is the live file of its location that left its place in the parent, nil for none.
	was *departure
}

type deadPositions struct {
	pointer   *pointer
	positions positions
}

// fileSet is a set of files by location that remembers their order.
type fileSet[T any] struct {
	order []T
	by    map[string]T
}

// expect makes room for so many files.
func (s *fileSet[T]) expect(n int) { s.by, s.order = make(map[string]T, n), make([]T, 0, n) }

// add adds a file unless its location is there already, and reports whether it did: R-LIVE-ONCE and T-LIVE-ONCE judge that.
func (s *fileSet[T]) add(location string, f T) bool {
	if s.by == nil {
		s.expect(0)
	}
	if _, twice := s.by[location]; twice {
		return false
	}
	s.by[location] = f
	s.order = append(s.order, f)
	return true
}

// stays reports whether a location of a file of this change is live in a leaf that the child carries. The leaves are
// walked when the first one is asked for, which is where a tree is broken.
func (c *changes) stays(location string) bool {
	if c.stayingLocations == nil {
		c.stayingLocations = make(map[string]bool)
		dead := make(map[string]bool)
		for _, a := range c.tombstones {
			dead[a.location] = true
		}
		for _, o := range c.staying {
			for f := range o.live() {
				_, before := c.before.by[f.location]
				_, after := c.after.by[f.location]
				if before || after || dead[f.location] {
					c.stayingLocations[strings.Clone(f.location)] = true
				}
			}
		}
	}
	return c.stayingLocations[location]
}

// isNew reports whether a live row says that its file appears in the child.
func (t *transition) isNew(a *arrival) bool { return t.isAdded(&a.file) }

func (t *transition) isAdded(f *file) bool {
	return f.status == tree.Added && !t.child.byOther(f.snapshotID)
}

// isPlain reports whether a live file of the child is new and takes row ids that are. No rule about changes finds
// anything of such a file unless another row of its location tells of a change, or it left the line before; most files of most commits are plain.
func (t *transition) isPlain(f *file) bool {
	if !t.isAdded(f) || f.firstRowID.Valid && f.firstRowID.Val < t.child.tree.FirstRowID {
		return false
	}
	if len(t.left) == 0 {
		return true
	}
	_, back := t.left[keyOf(f.location)]
	return !back
}

// moved yields the files that are live on both sides and not added anew.
func (t *transition) moved() iter.Seq2[*departure, *arrival] {
	return func(yield func(*departure, *arrival) bool) {
		for _, d := range t.changes.before.order {
			if a := d.now; a != nil && !t.isNew(a) && !yield(d, a) {
				return
			}
		}
	}
}
