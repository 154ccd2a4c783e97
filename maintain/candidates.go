package maintain

import (
	"slices"
	"strings"
)

// candidates are the objects that a run may delete. They are all that it keeps in memory of a table's files: what is
// reached is held against them and forgotten.
type candidates struct {
	naming Naming
	// inside are the prefixes below which objects may be deleted; nil for everywhere.
	inside []spelling
	byPath map[string][]*candidate
	// doubtful counts those that the row of a leaf may still show to be reached.
	doubtful int
	// alike counts those that are not reached while something is that differs in scheme or authority alone.
	alike int
}

// candidate is an object that goes unless it is reached.
type candidate struct {
	Object
	spelling spelling
	reached  bool
	// like is a location that is reached and differs in scheme or authority alone, if there is one.
	like string
	// outside says that it lies where the run deletes nothing.
	outside bool
}

// spared reports whether a candidate that is not reached stays all the same.
func (c *candidate) spared() bool { return c.like != "" || c.outside }

func newCandidates(n Naming) *candidates {
	return &candidates{naming: n, byPath: make(map[string][]*candidate)}
}

// add makes an object a candidate. One that is a candidate already keeps its spelling.
func (c *candidates) add(o Object) {
	s := c.naming.spell(o.Location)
	for _, known := range c.byPath[s.path] {
		if known.spelling == s {
			return
		}
	}
	added := &candidate{Object: o, spelling: s, outside: !c.below(s)}
	c.byPath[s.path] = append(c.byPath[s.path], added)
	if added.inLeaves() {
		c.doubtful++
	}
}

// below reports whether an object lies below one of the prefixes.
func (c *candidates) below(s spelling) bool {
	if c.inside == nil {
		return true
	}
	return slices.ContainsFunc(c.inside, func(p spelling) bool {
		return s.scheme == p.scheme && s.authority == p.authority && strings.HasPrefix(s.path, p.path)
	})
}

// inLeaves reports whether rows of leaves may name the object. The name alone of a listed object rules nothing out, and a
// Puffin file of statistics may hold deletion vectors too.
func (c *candidate) inLeaves() bool { return c.Kind != LeafManifest && c.Kind != RootManifest }

// drop makes a candidate one no more.
func (c *candidates) drop(known *candidate) {
	known.reached = true
	if known.like != "" {
		c.alike--
	}
	if known.inLeaves() {
		c.doubtful--
	}
}

// reach takes what is reached from the candidates.
func (c *candidates) reach(location string) {
	s := c.naming.spell(location)
	for _, known := range c.byPath[s.path] {
		switch {
		case known.reached:
		case known.spelling == s:
			c.drop(known)
		default:
			if known.like == "" {
				c.alike++
			}
			known.like = location
		}
	}
}

// unreached returns the candidates that are left, in the order of deletion.
func (c *candidates) unreached() []*candidate {
	var left []*candidate
	for _, same := range c.byPath {
		for _, known := range same {
			if !known.reached {
				left = append(left, known)
			}
		}
	}
	slices.SortFunc(left, func(a, b *candidate) int { return a.compare(b.Object) })
	return left
}

// mismatches returns those that may be reached under another spelling.
func (c *candidates) mismatches() []Mismatch {
	var found []Mismatch
	for _, known := range c.unreached() {
		if known.like != "" {
			found = append(found, Mismatch{Object: known.Location, Reached: known.like})
		}
	}
	return found
}

// doubt returns the error that stops a run because of a mismatch. It is asked before each deletion, so that it must not look
// at all candidates.
func (c *candidates) doubt() error {
	if c.naming.KeepMismatched || c.alike == 0 {
		return nil
	}
	return &MismatchError{Mismatches: c.mismatches()}
}
