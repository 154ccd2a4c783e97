package invariants

import (
	"context"

	"github.com/firn-io/firn/tree"
)

// share is one of several shares of all files.
type share struct {
	index, of uint64
	// sifted says that plain files are left out.
	sifted bool
}

func (s share) has(f *file) bool { return s.of == 1 || f.hashed()%s.of == s.index }

func (s share) first() bool { return s.index == 0 }
func (s share) last() bool  { return s.index == s.of-1 }

// collector fills in changes; it opens leaves as far as the depth allows.
type collector struct {
	*changes
	storage    *storage
	transition *transition
	depth      Depth
	// files counts those of all shares, and plain the plain ones among them.
	files, plain int
	// hashes are those of the files of the share that are not plain; nil if all are taken. They are gathered in a pass
	// of its own.
	hashes    map[uint64]bool
	gathering bool
	// open returns nil for a leaf that is passed over because it cannot be read.
	open func(*snapshot, *pointer) (*openLeaf, error)
}

// collect collects the changes of a share. If they turn out to be too many for one it makes it the first of several.
func (t *transition) collect(ctx context.Context, l *Leaves, s *share, depth Depth) error {
	t.changes = nil // those of the share before: they are in memory no longer
	c := newCollector(ctx, l, t, *s, depth)
	err := c.collect()
	if err == nil && s.of == 1 && l.storage.exceeded(c.files) {
		s.sifted = c.plain > 0
		s.of = uint64(max(1, (c.files-c.plain+l.storage.limit-1)/l.storage.limit))
		c = newCollector(ctx, l, t, *s, depth)
		err = c.collect()
	}
	if err != nil {
		return err
	}
	t.changes = c.changes
	t.counts.add(t)
	return nil
}

func newCollector(ctx context.Context, l *Leaves, t *transition, s share, depth Depth) *collector {
	return &collector{
		changes:    &changes{share: s},
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
}

// collect collects the changes of the share.
func (c *collector) collect() error {
	if c.share.sifted {
		c.hashes, c.gathering = make(map[uint64]bool), true
		if err := c.walk(); err != nil {
			return err
		}
		c.gathering = false
	}
	if err := c.walk(); err != nil {
		return err
	}
	c.match()
	c.countTombstones()
	return nil
}

// match matches the live files of both sides by location.
func (c *collector) match() {
	for _, a := range c.after.order {
		if d, known := c.before.by[a.location]; known {
			a.was, d.now = d, a
		}
	}
}

// walk takes in the files of the share, or gathers the hashes of those that are not plain.
func (c *collector) walk() error {
	*c.changes = changes{share: c.share, beforeKnown: true, droppedKnown: true, afterKnown: true, stayingKnown: true}
	steps := []func() error{c.looseBefore, c.droppedLeaves, c.carriedLeaves, c.looseAfter, c.freshLeaves}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// takes reports whether a file that left its place or came in is to be held, and counts it: no longer if it is clear
// that not all can be held.
func (c *collector) takes(f *file, plain bool) bool {
	c.files++
	if plain {
		c.plain++
	}
	switch {
	case !c.share.has(f):
		return false
	case c.gathering:
		if !plain {
			c.hashes[f.hashed()] = true
		}
		return false
	case c.share.sifted && plain && !c.hashes[f.hashed()]:
		c.omitted.file(f)
		return false
	case c.share.sifted:
		return true
	}
	return c.share.of > 1 || !c.storage.exceeded(c.files)
}

// room is how many of some files are expected in the share.
func (c *collector) room(files int) int { return files / int(c.share.of) }

func (c *collector) looseBefore() error {
	p := c.transition.parent
	c.before.expect(c.room(len(p.files)))
	for i := range p.files {
		if f := &p.files[i]; f.live() && c.takes(f, false) {
			c.before.add(f.location, &departure{file: *f, object: p.tree.Root})
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
			if c.takes(f, false) {
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
		if !c.takes(f, false) {
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
	c.after.expect(c.room(len(s.files)))
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
		plain := c.transition.isPlain(f)
		if !c.takes(f, plain) {
			return
		}
		a := &arrival{file: f.kept(), object: object}
		d, before := c.before.by[a.location]
		stays := before && d.fileSequence == a.fileSequence
		if !c.after.add(a.location, a) && plain && !stays {
			c.omitted.file(f) // it would be counted twice too if it were left out
		}
	case f.status == tree.Deleted || f.status == tree.Replaced:
		if !c.transition.child.byOther(f.snapshotID) && c.takes(f, false) {
			c.tombstones = append(c.tombstones, &arrival{file: f.kept(), object: object})
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
