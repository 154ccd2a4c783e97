package sim

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// author is an operation of a writer; the zero author made the table to begin with.
type author struct{ writer, operation int }

// state is a state of the table that some interleaving leads to. All interleavings that lead to it share it: that it keeps
// the rules is checked once, from its metadata file, its objects and its parent, which never change.
type state struct {
	number, depth int
	parent        *state
	author        author
	location      string
	shelf         *shelf
	// world is a world in this state, for the checks.
	world *World
	// made is what was swapped in, and told says that its writer was told so at once and asks no more.
	made *candidate
	told bool
	next map[author][]*state
}

// millis is the time by the clocks of writers that saw this state last.
func (s *state) millis() int64 { return s.world.nowMillis + int64(1+s.depth)*stepMillis }

// has reports whether an operation is part of the state.
func (s *state) has(a author) bool {
	for ; s != nil; s = s.parent {
		if s.author == a {
			return true
		}
	}
	return false
}

// startState is the state that a world is in.
func startState(ctx context.Context, w *World) (*state, error) {
	first := &shelf{items: make(map[string]item)}
	for _, name := range w.objects.Names() {
		data, err := w.objects.Get(ctx, name, 0)
		if err != nil {
			return nil, err
		}
		i := item{data: data, manifest: string(data) == stamp}
		first.items[name] = i
	}
	for _, t := range w.trees {
		i, there := first.items[t.Root]
		if !there {
			continue // of a snapshot that expired
		}
		i.rows, i.schemaID = t.Rows, t.SchemaID
		first.items[t.Root] = i
		if err := first.leaves(ctx, w, t); err != nil {
			return nil, err
		}
	}
	location, err := w.catalog.Load(ctx, tableID)
	return &state{location: location, shelf: first, world: w, next: make(map[author][]*state)}, err
}

// leaves takes the rows of the leaves of a tree.
func (s *shelf) leaves(ctx context.Context, w *World, t tree.Tree) error {
	for _, e := range t.Rows {
		name := tree.Resolve(tableLocation, e.Location)
		i := s.items[name]
		if !e.Content.IsManifest() || i.rows != nil {
			continue
		}
		for r, err := range w.codec.Leaves(&w.objects).Leaf(ctx, t.Origin, e, tree.Full) {
			if err != nil {
				return err
			}
			i.rows = append(i.rows, r.Entry)
		}
		i.schemaID = t.SchemaID
		s.items[name] = i
	}
	return nil
}

// publish returns the state that a candidate makes of its base. told says that its writer is told so. Two candidates of one
// operation that differ only in the names of new objects, as the attempts of one transaction do, lead to one state: nothing
// that reads a name does more than to compare it with others. A writer that is not told will look for its own names, so for
// it nothing less than the same names will do.
func (x *explorer) publish(ctx context.Context, base *state, by author, c *candidate, told bool) (*state, error) {
	for _, s := range base.next[by] {
		if like, same := s.made.like(c); same || like && told && s.told {
			s.told = s.told || told
			return s, nil
		}
	}
	s := &state{
		number: int(x.report.States) + 1, depth: base.depth + 1, parent: base, author: by, location: c.location, made: c, told: told,
		shelf: &shelf{parent: base.shelf, items: c.items}, next: make(map[author][]*state),
	}
	x.report.States++
	if base.has(by) {
		x.violate(Violation{Check: checkTold, Message: fmt.Sprintf("operation %d of writer %d became the table's twice", by.operation+1, by.writer)})
	}
	base.next[by] = append(base.next[by], s)
	m, err := c.items[c.location].metadata()
	if err != nil {
		x.violate(Violation{Check: checkUnread, Message: err.Error()})
		return s, nil
	}
	s.world = base.world.fork(s.shelf, c.intents)
	if err := s.world.hold(ctx, s.shelf); err != nil {
		return nil, err
	}
	if err := s.world.publish(ctx, c.location, m); err != nil && len(s.world.violations) == 0 {
		return nil, fmt.Errorf("state %d: %w", s.number, err)
	}
	for _, v := range s.world.violations {
		x.violate(v)
	}
	return s, nil
}

// fork returns a world in the same state that a candidate can be published in.
func (w *World) fork(objects *shelf, intents map[int64]intent) *World {
	return &World{
		config: w.config, nowMillis: w.nowMillis, codec: shelfCodec{find: objects.find, direct: true},
		metadata: w.metadata, name: w.name, models: maps.Clone(w.models), trees: maps.Clone(w.trees), intents: intents,
		leaves: maps.Clone(w.leaves), vectors: maps.Clone(w.vectors),
		owners: make(map[string]*run), droppers: make(map[string][]*run),
		committed: maps.Clone(w.committed), denied: make(map[int64]bool), saidRoot: make(map[int64]bool), stats: newCounts(),
		lineage: w.lineage.clone(), feeds: newHash(),
	}
}

// hold puts the deletion vectors of a shelf into the world.
func (w *World) hold(ctx context.Context, s *shelf) error {
	for ; s != nil; s = s.parent {
		for name, i := range s.items {
			if !strings.HasSuffix(path.Base(name), ".puffin") {
				continue
			}
			if err := w.objects.Put(ctx, name, i.data); err != nil {
				return store.NameError("hold", name, err)
			}
		}
	}
	return nil
}
