package invariants

import (
	"context"
	"fmt"
	"iter"

	"github.com/firn-io/firn/tree"
)

// changes is what became of the files that left their place between a parent and its child. Files that stay in a
// leaf which the child carries are the same on both sides and not listed.
type changes struct {
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
	// stayingLocations are the locations of their live files, nil until they are needed.
	stayingLocations map[string]bool
	// dead are delta positions of rows that were not live in the parent.
	dead []deadPositions
}

// departure is a file that left its place, and how often the child says that it was deleted or replaced.
type departure struct {
	file
	object                             string
	deletedBits, deletedRows, replaced int
}

// described names the file and its place for messages.
func (d *departure) described() string {
	return fmt.Sprintf("%s, live in %s row %d of the parent", d.location, d.object, d.row)
}

// arrival is a row of the child: a live file, or a tombstone.
type arrival struct {
	file
	object string
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

// add adds a file unless its location is there already: R-LIVE-ONCE and T-LIVE-ONCE judge that.
func (s *fileSet[T]) add(location string, f T) {
	if s.by == nil {
		s.by = make(map[string]T)
	}
	if _, twice := s.by[location]; !twice {
		s.by[location] = f
		s.order = append(s.order, f)
	}
}

// collector fills in changes; it opens leaves as far as the depth allows.
type collector struct {
	*changes
	transition *transition
	depth      Depth
	// open returns nil for a leaf that is passed over because it cannot be read.
	open func(*snapshot, *pointer) (*openLeaf, error)
}

func collectChanges(ctx context.Context, l *Leaves, t *transition, depth Depth) (*changes, error) {
	c := &collector{
		changes:    &changes{beforeKnown: true, droppedKnown: true, afterKnown: true, stayingKnown: true},
		transition: t, depth: depth,
		open: func(s *snapshot, p *pointer) (*openLeaf, error) {
			read, err := l.open(ctx, s, p)
			if err != nil || read.leaf == nil {
				return nil, err
			}
			return &openLeaf{snapshot: s, pointer: p, leaf: read.leaf}, nil
		},
	}
	steps := []func() error{c.looseBefore, c.droppedLeaves, c.carriedLeaves, c.looseAfter, c.freshLeaves}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.countTombstones()
	return c.changes, nil
}

func (c *collector) looseBefore() error {
	p := c.transition.parent
	for i := range p.files {
		if f := p.files[i]; f.live() {
			c.before.add(f.location, &departure{file: f, object: p.tree.Root})
		}
	}
	return nil
}

// droppedLeaves collects the files of leaves to which the child does not point any more. One that had no live file
// left is opened only where every leaf is.
func (c *collector) droppedLeaves() error {
	for _, p := range c.transition.dropped {
		if p.entry.Content != tree.DataManifest || c.depth != AllLeaves && p.exhausted() {
			continue
		}
		o, err := c.openParent(p, RewrittenLeaves)
		if err != nil {
			return err
		}
		if o == nil {
			c.beforeKnown, c.droppedKnown = false, false
			continue
		}
		for f := range o.live() {
			c.before.add(f.location, &departure{file: *f, object: p.location})
		}
	}
	return nil
}

// carriedLeaves collects the files of the positions that the child masks and the parent does not, or all files of a
// leaf whose pointer is DELETED.
func (c *collector) carriedLeaves() error {
	for _, p := range c.transition.carried {
		if p.now.entry.Content != tree.DataManifest {
			continue
		}
		old, err := c.openParent(p.old, AllLeaves)
		if err != nil {
			return err
		}
		if old == nil || !p.now.dv.usable() {
			c.leaveClosed(p)
			continue
		}
		c.maskedFiles(p, old)
		if p.now.live() {
			c.staying = append(c.staying, &openLeaf{snapshot: c.transition.child, pointer: p.now, leaf: old.leaf})
		}
	}
	return nil
}

// leaveClosed notes what is not known without the leaf of a carried pointer.
func (c *collector) leaveClosed(p *carriedPointer) {
	c.stayingKnown = false
	if !p.now.live() || len(p.newlyMasked()) > 0 || !p.usable() {
		c.beforeKnown = false
		c.unopened = append(c.unopened, p)
	}
}

// openParent opens a leaf of the parent, if the depth is at least the one given and the leaf can be read.
func (c *collector) openParent(p *pointer, from Depth) (*openLeaf, error) {
	if c.depth < from || !p.dv.usable() {
		return nil, nil
	}
	return c.open(c.transition.parent, p)
}

func (c *collector) maskedFiles(p *carriedPointer, old *openLeaf) {
	deleted, replaced := p.delta()
	var live positions
	for f := range old.live() {
		position := uint32(f.row)
		live = append(live, position)
		if p.now.live() && !p.now.dv.set.contains(position) {
			continue
		}
		d := &departure{file: *f, object: p.now.location}
		if deleted.contains(position) {
			d.deletedBits = 1
		}
		if replaced.contains(position) {
			d.replaced = 1
		}
		c.before.add(f.location, d)
	}
	for _, delta := range []positions{deleted, replaced} {
		if dead := delta.minus(live).minus(p.old.dv.set); len(dead) > 0 {
			c.dead = append(c.dead, deadPositions{p.now, dead})
		}
	}
}

func (c *collector) looseAfter() error {
	s := c.transition.child
	for i := range s.files {
		c.arrive(&s.files[i], s.tree.Root)
	}
	return nil
}

// freshLeaves collects the rows of leaves that the parent did not have.
func (c *collector) freshLeaves() error {
	for _, p := range c.transition.fresh {
		if p.entry.Content != tree.DataManifest || !p.live() {
			continue
		}
		var o *openLeaf
		var err error
		if opens(p, c.depth) {
			o, err = c.open(c.transition.child, p)
		}
		if err != nil {
			return err
		}
		if o == nil {
			c.afterKnown = false
			continue
		}
		for f := range o.all() {
			if !o.masked(f) {
				c.arrive(f, p.location)
			}
		}
	}
	return nil
}

// arrive takes in a row of the child that stands outside of carried leaves.
func (c *collector) arrive(f *file, object string) {
	switch {
	case f.live():
		c.after.add(f.location, &arrival{*f, object})
	case f.status == tree.Deleted || f.status == tree.Replaced:
		if !c.transition.child.byOther(f.snapshotID) {
			c.tombstones = append(c.tombstones, &arrival{*f, object})
		}
	}
}

// countTombstones adds the tombstones to what is said of the files that left their place.
func (c *collector) countTombstones() {
	for _, dead := range c.tombstones {
		d, ok := c.before.by[dead.location]
		switch {
		case !ok:
		case dead.status == tree.Deleted:
			d.deletedRows++
		default:
			d.replaced++
		}
	}
}

// stays reports whether a location is live in a leaf that the child carries. The locations are gathered when the first
// one is asked for, which is where a tree is broken.
func (c *changes) stays(location string) bool {
	if c.stayingLocations == nil {
		c.stayingLocations = make(map[string]bool)
		for _, o := range c.staying {
			for f := range o.live() {
				c.stayingLocations[f.location] = true
			}
		}
	}
	return c.stayingLocations[location]
}

// isNew reports whether a live row says that its file appears in the child.
func (t *transition) isNew(a *arrival) bool {
	return a.status == tree.Added && !t.child.byOther(a.snapshotID)
}

// moved yields the files that are live on both sides and not added anew.
func (t *transition) moved() iter.Seq2[*departure, *arrival] {
	return func(yield func(*departure, *arrival) bool) {
		for _, d := range t.changes.before.order {
			if a, ok := t.changes.after.by[d.location]; ok && !t.isNew(a) && !yield(d, a) {
				return
			}
		}
	}
}
