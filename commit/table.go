package commit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// Table is an open table. It keeps the state that it last saw, so that a writer that commits often reads the
// parent's root once. Open one for each goroutine: a Table is not safe for concurrent use.
type Table struct {
	id      store.TableID
	catalog store.Catalog
	objects store.Objects
	options Options
	// last are the states that were seen last, by branch.
	last map[string]*Head
}

// Head is the state of a table, or of one of its branches, at one metadata file. It is immutable.
type Head struct {
	// Branch is the branch that the tree is of.
	Branch string
	// MetadataLocation is the location of the metadata file.
	MetadataLocation string
	Metadata         metadata.Table
	// Location is the table's location (rules 12.7).
	Location string
	// Tree is the root of the branch's snapshot; without a snapshot, an empty tree with its origin set.
	Tree tree.Tree
}

// Snapshot returns the branch's snapshot; false before the first commit to the branch main.
func (h *Head) Snapshot() (metadata.Snapshot, bool) {
	return h.Metadata.Snapshot(h.Tree.Origin.SnapshotID)
}

// Open opens a table of a catalog; nothing is read yet. It fails with [store.ErrNotFound], later, if there is
// no such table.
func Open(id store.TableID, catalog store.Catalog, objects store.Objects, o Options) *Table {
	return &Table{id: id, catalog: catalog, objects: objects, options: o.withDefaults(), last: make(map[string]*Head)}
}

// Create makes a new table of this metadata and returns it open. [store.ErrConflict] says that the catalog
// has a table of this name, [ErrUnknown] that the entry may have been made or may still be.
func Create(ctx context.Context, id store.TableID, catalog store.Catalog, objects store.Objects, m metadata.Table, o Options) (*Table, error) {
	if err := checkSettings(metadata.Table{}, m); err != nil {
		return nil, err
	}
	t := Open(id, catalog, objects, o)
	location, err := treeio.TableLocation(m, o.Location)
	if err != nil {
		return nil, err
	}
	name := tree.Resolve(location, "metadata/"+metadata.FileName(0, t.options.Env.NewUUID()))
	if _, err := treeio.PutMetadata(ctx, t.options.Codec, objects, name, m, t.options.Metadata); err != nil {
		if errors.Is(err, treeio.ErrMetadata) {
			return nil, err
		}
		if !errors.Is(err, store.ErrExists) {
			err = errors.Join(err, objects.Delete(context.WithoutCancel(ctx), name)) // nothing names it
		}
		return nil, fmt.Errorf("create table %s: %w", id, notWritten(err))
	}
	if err := t.claim(ctx, name, m.UUID); err != nil {
		return nil, fmt.Errorf("create table %s: %w", id, err)
	}
	return t, nil
}

// claim makes the catalog entry of a new table. An error is no proof that the entry was not made: what counts is
// whose table the entry names afterwards. The file is removed again only if the entry is another table's and the swap
// will not land any more.
func (t *Table) claim(ctx context.Context, name, uuid string) error {
	swapErr := t.swap(ctx, "", name)
	for n := 1; errors.Is(swapErr, store.ErrThrottled) && n < attemptsOf(nil); n++ { // the same swap once more (F30)
		if t.options.Env.Sleep(ctx, 100<<n) != nil {
			break
		}
		swapErr = t.swap(ctx, "", name)
	}
	if swapErr == nil {
		return nil
	}
	ctx, cancel := t.options.Env.Detach(ctx, t.options.OutcomeMillis)
	defer cancel()
	current, m, err := t.current(ctx, "")
	never := errors.Is(swapErr, store.ErrRefused) || errors.Is(swapErr, store.ErrThrottled)
	switch {
	case err == nil && m.UUID == uuid:
		if made, err := t.settled(ctx, current, m, name); made || err != nil {
			return err
		}
		if errors.Is(swapErr, store.ErrConflict) || never { // another call made the table, with the same metadata
			return swapErr
		}
	case never && (err == nil || errors.Is(err, errDropped)), errors.Is(swapErr, store.ErrConflict) && err == nil:
		return errors.Join(swapErr, t.objects.Delete(ctx, name))
	}
	return &UnknownError{
		Token:   Token{Table: t.id, TableUUID: uuid, Metadata: []string{name}},
		Objects: []string{name}, Err: errors.Join(swapErr, err),
	}
}

// swap changes the catalog entry. A catalog that panics may have done its work before (B40).
func (t *Table) swap(ctx context.Context, old, new string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("swap %s: the catalog panicked: %v: %w", t.id, p, store.ErrUnknown)
		}
	}()
	return t.catalog.Swap(ctx, t.id, old, new)
}

// settled says whether a table of the new table's identity was made by this call, and possibly changed since, or by
// another call with the same metadata. Where the log no longer shows its beginning, nothing is proved.
func (t *Table) settled(ctx context.Context, current string, m metadata.Table, name string) (made bool, err error) {
	if current == name {
		return true, nil
	}
	location, err := treeio.TableLocation(m, t.options.Location)
	if err != nil {
		return false, err
	}
	walk, err := t.walkLog(ctx, Token{Metadata: []string{name}}, location, m)
	if err != nil || walk.own != "" || walk.whole {
		return walk.own != "", err
	}
	return false, &UnknownError{
		Token:   Token{Table: t.id, TableUUID: m.UUID, Metadata: []string{name}},
		Objects: []string{name}, Err: errors.New("the log of the table no longer shows who made it"),
	}
}

// ID returns the table's name in its catalog.
func (t *Table) ID() store.TableID { return t.id }

// Head reads the current state of the table, that of its branch main.
func (t *Table) Head(ctx context.Context) (*Head, error) { return t.HeadOf(ctx, metadata.MainBranch) }

// errDropped says that the catalog has no entry of the table.
var errDropped = errors.New("the catalog has no such table")

// current returns the location of the current metadata file, and what it holds unless it is the known one. A file that
// is trimmed between the look at the catalog and its reading makes for another look.
func (t *Table) current(ctx context.Context, known string) (name string, m metadata.Table, err error) {
	for range maxLooks {
		before := name
		name, err = t.catalog.Load(ctx, t.id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return "", m, fmt.Errorf("%w: %w", errDropped, err)
		case err != nil:
			return "", m, err
		case name == known && known != "":
			return name, m, nil
		}
		m, err = t.Metadata(ctx, name)
		if !errors.Is(err, store.ErrNotFound) || name == before {
			return name, m, err
		}
	}
	return "", m, fmt.Errorf("commit: table %s changes faster than it can be read", t.id)
}

// HeadOf reads the current state of a branch. The root is not read again while the branch still has the snapshot that
// the Table saw last. A branch that is not there is an error that wraps [store.ErrNotFound]. A snapshot that expires
// between the look at the catalog and the reading of its root makes for another look.
func (t *Table) HeadOf(ctx context.Context, branch string) (*Head, error) {
	known := ""
	if last := t.last[branch]; last != nil {
		known = last.MetadataLocation
	}
	before := ""
	for range maxLooks {
		name, m, err := t.current(ctx, known)
		if err != nil {
			return nil, err
		}
		if known != "" && name == known {
			return t.last[branch], nil
		}
		if _, _, err := snapshotOf(m, branch); err != nil {
			return nil, err // the state says it: another look would be one at another state
		}
		head, err := t.read(ctx, name, m, branch)
		if err == nil {
			t.remember(head)
			return head, nil
		}
		if !errors.Is(err, store.ErrNotFound) || name == before {
			return nil, err
		}
		before = name
	}
	return nil, fmt.Errorf("commit: table %s changes faster than it can be read", t.id)
}

func (t *Table) remember(head *Head) { t.last[head.Branch] = head }

// Metadata reads one metadata file of the table, by its full location.
func (t *Table) Metadata(ctx context.Context, name string) (metadata.Table, error) {
	m, err := treeio.Metadata(ctx, t.options.Codec, t.objects, name, t.options.Metadata)
	if err != nil {
		return metadata.Table{}, fmt.Errorf("table %s: %w", t.id, err)
	}
	return m, nil
}

// read completes a state with the root of a branch's snapshot. A table of an older format version has none.
func (t *Table) read(ctx context.Context, name string, m metadata.Table, branch string) (*Head, error) {
	location, err := treeio.TableLocation(m, t.options.Location)
	if err != nil {
		return nil, fmt.Errorf("table %s: metadata file %s: %w", t.id, name, err)
	}
	head := &Head{Branch: branch, MetadataLocation: name, Metadata: m, Location: location}
	head.Tree.Origin = tree.Origin{TableUUID: m.UUID, TableLocation: location}
	snapshot, ok, err := snapshotOf(m, branch)
	if err != nil || !ok {
		return head, err
	}
	if last := t.last[branch]; last != nil && last.Location == location && last.Metadata.UUID == m.UUID &&
		last.Tree.Origin.SnapshotID == snapshot.ID && last.Tree.Root == tree.Resolve(location, snapshot.RootManifest.Val) {
		head.Tree = last.Tree
		return head, nil
	}
	head.Tree, err = treeio.Tree(ctx, t.options.Codec, t.objects, m, location, snapshot)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.id, err)
	}
	return head, nil
}

// snapshotOf returns the snapshot of a branch; main may have none.
func snapshotOf(m metadata.Table, branch string) (metadata.Snapshot, bool, error) {
	if branch == metadata.MainBranch {
		s, ok := m.Current()
		return s, ok, nil
	}
	ref, ok := m.Ref(branch)
	switch {
	case !ok:
		return metadata.Snapshot{}, false, fmt.Errorf("branch %q: %w", branch, store.ErrNotFound)
	case ref.Type != metadata.Branch:
		return metadata.Snapshot{}, false, refusef("", "%q is a %s, not a branch", branch, ref.Type)
	}
	s, ok := m.Snapshot(ref.SnapshotID)
	if !ok {
		return metadata.Snapshot{}, false, fmt.Errorf("branch %q: snapshot %d: %w", branch, ref.SnapshotID, store.ErrNotFound)
	}
	return s, true, nil
}

// Tree reads the root manifest of a snapshot of the table.
func (t *Table) Tree(ctx context.Context, head *Head, s metadata.Snapshot) (tree.Tree, error) {
	return treeio.Tree(ctx, t.options.Codec, t.objects, head.Metadata, head.Location, s)
}

// Leaves returns a reader of leaves, for one goroutine.
func (t *Table) Leaves() tree.LeafReader { return t.options.Codec.Leaves(t.objects) }

// Objects returns the store of the table's objects.
func (t *Table) Objects() store.Objects { return t.objects }

// NowMillis returns the time by the table's clock, in milliseconds since the epoch.
func (t *Table) NowMillis() int64 { return t.options.Env.NowMillis() }

// Files yields the live data files of a state, in the order of the tree. Files that p does not ask for are
// not read; a leaf is opened when the iteration reaches it.
func (t *Table) Files(ctx context.Context, head *Head, p tree.Projection) iter.Seq2[tree.Located, error] {
	return tree.Live(ctx, head.Tree, p, t.Leaves())
}

// Changes yields what the current snapshot of a state changed, from its parent's tree to its own. The parent
// must be retained.
func (t *Table) Changes(ctx context.Context, head *Head, p tree.Projection) iter.Seq2[tree.Change, error] {
	return func(yield func(tree.Change, error) bool) {
		parent := tree.Tree{Origin: tree.Origin{TableUUID: head.Metadata.UUID, TableLocation: head.Location}}
		if id := head.Tree.ParentSnapshotID; id.Valid {
			s, ok := head.Metadata.Snapshot(id.Val)
			if !ok {
				yield(tree.Change{}, fmt.Errorf("table %s: snapshot %d is no longer retained", t.id, id.Val))
				return
			}
			var err error
			if parent, err = t.Tree(ctx, head, s); err != nil {
				yield(tree.Change{}, err)
				return
			}
		}
		tree.Changes(ctx, parent, head.Tree, p, t.Leaves())(yield)
	}
}
