package invariants

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/firn-io/firn/tree"
)

// changes is what became of the files that left their place between a parent and its child. Files that stay in a
// leaf which the child carries are the same on both sides and not listed.
//
// Where more files did so than the check may hold they are looked at in shares, by the hashes of their locations: the
// rules about them compare rows of one location.
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

// share is one of several shares of all files.
type share struct{ index, of uint64 }

func (s share) has(f *file) bool { return s.of == 1 || f.hashed()%s.of == s.index }

func (s share) first() bool { return s.index == 0 }
func (s share) last() bool  { return s.index == s.of-1 }

// collector fills in changes; it opens leaves as far as the depth allows.
type collector struct {
	*changes
	storage    *storage
	transition *transition
	depth      Depth
	// files counts those of all shares.
	files int
	// open returns nil for a leaf that is passed over because it cannot be read.
	open func(*snapshot, *pointer) (*openLeaf, error)
}

// collect collects the changes of a share. If they turn out to be too many for one it makes it the first of several.
func (t *transition) collect(ctx context.Context, l *Leaves, s *share, depth Depth) error {
	t.changes = nil // those of the share before: they are in memory no longer
	c, err := collectChanges(ctx, l, t, *s, depth)
	if err == nil && s.of == 1 && l.storage.exceeded(c.files) {
		s.of = uint64((c.files + l.storage.limit - 1) / l.storage.limit)
		c, err = collectChanges(ctx, l, t, *s, depth)
	}
	if err != nil {
		return err
	}
	t.changes = c.changes
	t.counts.add(t)
	return nil
}

func collectChanges(ctx context.Context, l *Leaves, t *transition, s share, depth Depth) (*collector, error) {
	c := &collector{
		changes:    &changes{share: s, beforeKnown: true, droppedKnown: true, afterKnown: true, stayingKnown: true},
		storage:    l.storage,
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
	return c, nil
}

// takes reports whether a file that left its place or came in is to be held, and counts it: no longer if it is clear
// that there must be more shares.
func (c *collector) takes(f *file) bool {
	c.files++
	return c.share.has(f) && !(c.share.of == 1 && c.storage.exceeded(c.files))
}

func (c *collector) looseBefore() error {
	p := c.transition.parent
	for i := range p.files {
		if f := p.files[i]; f.live() && c.takes(&f) {
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
			if c.takes(f) {
				d := &departure{file: f.kept(), object: p.location}
				c.before.add(d.location, d)
			}
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
		if !p.now.live() || p.changed() { // else every file stays
			c.maskedFiles(p, old)
		}
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
		if !c.takes(f) {
			continue
		}
		d := &departure{file: f.kept(), object: p.now.location}
		if deleted.contains(position) {
			d.deletedBits = 1
		}
		if replaced.contains(position) {
			d.replaced = 1
		}
		c.before.add(d.location, d)
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
		if c.takes(f) {
			a := &arrival{f.kept(), object}
			c.after.add(a.location, a)
		}
	case f.status == tree.Deleted || f.status == tree.Replaced:
		if !c.transition.child.byOther(f.snapshotID) && c.takes(f) {
			c.tombstones = append(c.tombstones, &arrival{f.kept(), object})
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
