package maintain

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/tamper"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// open reads the current state of a table whose objects may be deleted.
func open(ctx context.Context, table *commit.Table) (*commit.Head, error) {
	head, err := table.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("maintain: %w", err)
	}
	m := head.Metadata
	if m.FormatVersion != metadata.FormatVersion {
		return nil, fmt.Errorf("maintain: table %s has format version %d: %w", table.ID(), m.FormatVersion, ErrLegacy)
	}
	for _, s := range m.Snapshots {
		if !s.RootManifest.Valid {
			return nil, fmt.Errorf("maintain: snapshot %d has no root manifest: %w", s.ID, ErrLegacy)
		}
	}
	if on, err := strconv.ParseBool(m.Properties[metadata.PropertyGCEnabled]); err == nil && !on {
		return nil, fmt.Errorf("maintain: table %s: the property %s is false, other tables may share its files",
			table.ID(), metadata.PropertyGCEnabled)
	}
	return head, nil
}

// sweep deletes those candidates that the table does not reach.
type sweep struct {
	*candidates
	table *commit.Table
	// uuid and location are those of the table when the run began.
	uuid, location string
	leaves         tree.LeafReader
	// kept is what the states reach that were looked at, seen is the newest of these.
	kept *reach
	seen string
}

func newSweep(table *commit.Table, head *commit.Head, n Naming) *sweep {
	return &sweep{
		candidates: newCandidates(n), table: table, uuid: head.Metadata.UUID, location: head.Location, leaves: table.Leaves(), kept: newReach(table),
	}
}

// maxLooks bounds how often a state is looked at because the one before was outdated when it had been looked at.
const maxLooks = 10

// look takes from the candidates what the newest state of the table reaches. A state of which something is missing
// may be outdated: another run deletes what only older states reach.
func (s *sweep) look(ctx context.Context) error {
	failed := ""
	for range maxLooks {
		head, err := open(ctx, s.table)
		if err != nil {
			return err
		}
		if head.MetadataLocation == s.seen {
			return s.doubt()
		}
		switch err = s.markHead(ctx, head); {
		case err == nil:
			s.seen, failed = head.MetadataLocation, ""
		case !errors.Is(err, store.ErrNotFound) || failed == head.MetadataLocation:
			return err
		default:
			failed, s.kept = head.MetadataLocation, newReach(s.table)
		}
	}
	if s.seen == "" || failed != "" {
		return fmt.Errorf("maintain: table %s changes faster than it can be read", s.table.ID())
	}
	return s.doubt()
}

func (s *sweep) markHead(ctx context.Context, head *commit.Head) error {
	if head.Metadata.UUID != s.uuid {
		return fmt.Errorf("maintain: table %s was replaced by another one, %s", s.table.ID(), head.Metadata.UUID)
	}
	if head.Location != s.location {
		return fmt.Errorf("maintain: table %s was moved from %s to %s", s.table.ID(), s.location, head.Location)
	}
	objects, err := listed(head)
	if err != nil {
		return err
	}
	for _, o := range objects {
		s.keep(o)
	}
	if err := s.kept.addAll(ctx, head); err != nil {
		return err
	}
	return s.mark(ctx)
}

// mark takes from the candidates what the snapshots reach that are kept. No leaf is opened once there is no candidate
// left that it might name.
func (s *sweep) mark(ctx context.Context) error {
	for _, o := range s.kept.takeFresh() {
		s.keep(o)
	}
	for _, use := range s.kept.leaves {
		if s.doubtful == 0 {
			break
		}
		if use.read {
			continue
		}
		if err := s.kept.readLeaf(ctx, s.leaves, use, s.keep); err != nil {
			return err
		}
	}
	return nil
}

// keep takes an object that the table reaches from the candidates.
func (s *sweep) keep(o Object) { s.reach(tamper.Stage(seamKept, s, o).Location) }

// maxFailures is how many deletions may fail before a run is given up.
const maxFailures = 100

// run deletes the candidates that are left, at most so many (0 for all), and says in out what became of each. It looks
// at the table before each: somebody may add a file again that was removed before.
func (s *sweep) run(ctx context.Context, most int, out *Sweep) error {
	left := tamper.Stage(seamUnreached, s, s.unreached())
	var err error
	next := 0
	for ; next < len(left) && err == nil; next++ {
		n := len(out.Deleted) + len(out.Failed)
		if most > 0 && n >= most || needed(left[next].Kind, out.Failed) {
			break
		}
		if err = s.look(ctx); err != nil {
			break
		}
		c := left[next]
		if c.reached || c.spared() {
			continue
		}
		if failure := s.delete(ctx, c.Location); failure != nil {
			out.Failed = append(out.Failed, Failure{c.Object, failure})
			err = tooMany(ctx, out.Failed)
			continue
		}
		out.Deleted = append(out.Deleted, c.Object)
	}
	s.rest(left[next:], out)
	s.tellOutside(left, out)
	return err
}

// tellOutside reports candidates that lie where nothing is deleted.
func (s *sweep) tellOutside(left []*candidate, out *Sweep) {
	for _, c := range left {
		if c.outside && !c.reached {
			out.Outside = append(out.Outside, c.Object)
		}
	}
}

// needed reports whether a manifest is still needed to find an object that could not be deleted.
func needed(k Kind, failed []Failure) bool {
	return (k == LeafManifest || k == RootManifest) && len(failed) > 0 && failed[len(failed)-1].Kind < k
}

// rest reports candidates that the run does not come to.
func (s *sweep) rest(left []*candidate, out *Sweep) {
	for _, c := range left {
		if !c.reached && !c.spared() {
			out.Remaining = append(out.Remaining, c.Object)
		}
	}
	out.Mismatched = s.mismatches()
}

// delete deletes an object. A store that panics may have done its work before (B40).
func (s *sweep) delete(ctx context.Context, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("delete %s: the store panicked: %v", name, p)
		}
	}()
	return s.table.Objects().Delete(ctx, name)
}

// tooMany returns the error that ends a run after a deletion failed, if it is to end.
func tooMany(ctx context.Context, failed []Failure) error {
	last := failed[len(failed)-1].Err
	if ctx.Err() != nil || len(failed) >= maxFailures {
		return fmt.Errorf("maintain: deletions failed: %d, the last is: %w", len(failed), last)
	}
	return nil
}
