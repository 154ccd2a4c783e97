package maintain

import (
	"context"
	"errors"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// ExpireOptions are the settings of [Expire]. The zero ExpireOptions go by the table's properties.
type ExpireOptions struct {
	// Policy says which snapshots, branches and tags go, where branches and tags do not say it themselves.
	Policy metadata.ExpiryPolicy
	// DryRun changes nothing and reports what would go.
	DryRun bool
	// KeepFiles changes the metadata and deletes nothing. No manifest is read then.
	KeepFiles bool
	// MaxDeletes bounds the objects deleted in one run; 0 means no bound.
	MaxDeletes int
	// Resume also takes up what earlier runs left: snapshots that a metadata file of the log still lists, and whose
	// roots are still there. It reads all these metadata files.
	Resume bool
	// Prefixes are where objects may be deleted besides the table's location, each with a slash at its end. Objects
	// elsewhere, data files that somebody registered where they lay, are the table's to read and not to delete: they
	// stay and are reported (MN6).
	Prefixes []string
	// Naming says which spellings of a location mean one object.
	Naming Naming
}

// ExpireReport says what an expiry did, or in a dry run what it would do.
type ExpireReport struct {
	// Refs are the branches and tags that went, in order, and Snapshots the ids of the snapshots.
	Refs      []string
	Snapshots []int64
	// Commit is the change of the metadata. Its MetadataLocation is empty if there was none.
	Commit commit.Result
	Sweep
	// Warnings say which manifests of expired snapshots could not be found, so that what they reach is left to
	// [Orphans].
	Warnings []string
}

// Expire lets snapshots go, with the branches and tags that have grown too old, and deletes what only they reached
// (B28, S44, MN4).
//
// What the snapshots that go reach is read before the metadata changes, and what all others reach is taken from it
// before anything is deleted. If another writer was faster, both are worked out again from the states before and after
// the change that happened. The report is valid with an error too: if its Commit names a metadata file, the
// snapshots are gone and only the deleting stopped. With a [*commit.UnknownError] nothing was deleted.
//
// Data files go first and roots last. A run that stopped or came to MaxDeletes is taken up by one with Resume, or, once
// the objects are old enough, by [Orphans].
func Expire(ctx context.Context, table *commit.Table, o ExpireOptions) (ExpireReport, error) {
	if o.MaxDeletes < 0 {
		return ExpireReport{}, fmt.Errorf("maintain: expire: the limit of deletions is %d", o.MaxDeletes)
	}
	if problems := checkPrefixes(o.Prefixes); len(problems) > 0 {
		return ExpireReport{}, fmt.Errorf("maintain: expire: %w", errors.Join(problems...))
	}
	x := &expiry{table: table, options: o, nowMillis: table.NowMillis()}
	planned, s, err := x.plan(ctx)
	if err == nil {
		err = x.run(ctx, planned, s)
	}
	return x.report, err
}

// expiry is one run of Expire.
type expiry struct {
	table     *commit.Table
	options   ExpireOptions
	nowMillis int64
	report    ExpireReport
}

// change is what an expiry does to the metadata: it is asked again after a lost race.
func (x *expiry) change(m metadata.Table) (metadata.Table, error) {
	e, err := m.Expired(x.options.Policy, x.nowMillis)
	if err != nil {
		return m, err
	}
	return m.Expire(e)
}

// step is a change of the metadata, planned or done.
type step struct {
	before, after *commit.Head
}

// refs and snapshots are what a step lets go.
func (s step) refs() []string {
	var names []string
	for _, c := range metadata.Diff(s.before.Metadata, s.after.Metadata).Refs {
		if c.Kind == metadata.RefDropped {
			names = append(names, c.Name)
		}
	}
	return names
}

func (s step) snapshots() []int64 {
	return metadata.Diff(s.before.Metadata, s.after.Metadata).SnapshotsRemoved
}

// plan works out what goes from the current state of the table. It begins again where that is outdated: another expiry
// may delete what it reads.
func (x *expiry) plan(ctx context.Context) (step, *sweep, error) {
	read := ""
	for {
		head, err := open(ctx, x.table)
		if err != nil {
			return step{}, nil, err
		}
		planned, s, err := x.planFor(ctx, head)
		if !errors.Is(err, store.ErrNotFound) || head.MetadataLocation == read {
			return planned, s, err
		}
		read = head.MetadataLocation
	}
}

func (x *expiry) planFor(ctx context.Context, head *commit.Head) (step, *sweep, error) {
	after, err := x.change(head.Metadata)
	if err != nil {
		return step{}, nil, fmt.Errorf("maintain: %w", err)
	}
	planned := step{head, withMetadata(head, head.MetadataLocation, after)}
	if x.options.KeepFiles {
		return planned, nil, nil
	}
	s, err := x.collect(ctx, planned)
	return planned, s, err
}

func (x *expiry) run(ctx context.Context, planned step, s *sweep) error {
	if x.options.DryRun {
		x.tell(planned)
		if s != nil {
			left := s.unreached()
			s.rest(left, &x.report.Sweep)
			s.tellOutside(left, &x.report.Sweep)
		}
		return nil
	}
	done, err := x.commit(ctx, planned.before)
	if err != nil {
		return err
	}
	x.tell(done)
	if x.options.KeepFiles {
		return nil
	}
	if done.before.MetadataLocation != planned.before.MetadataLocation { // also what is kept may be less
		if s, err = x.collectDone(ctx, done); err != nil {
			return err
		}
	}
	return s.run(ctx, x.options.MaxDeletes, &x.report.Sweep)
}

// collectDone makes candidates of what a step that was done let go. Where another expiry has deleted what the state
// after it still lists, a newer state says what is kept.
func (x *expiry) collectDone(ctx context.Context, done step) (*sweep, error) {
	for {
		s, err := x.collect(ctx, done)
		if !errors.Is(err, store.ErrNotFound) {
			return s, err
		}
		head, headErr := open(ctx, x.table)
		if headErr != nil || head.MetadataLocation == done.after.MetadataLocation {
			return nil, errors.Join(err, headErr)
		}
		done.after = head
	}
}

// tell reports what a step lets go.
func (x *expiry) tell(s step) {
	x.report.Refs, x.report.Snapshots = s.refs(), s.snapshots()
}

// commit changes the metadata and returns the step that happened, as the metadata files tell it.
func (x *expiry) commit(ctx context.Context, head *commit.Head) (step, error) {
	result, err := x.table.Update(ctx, x.change)
	x.report.Commit = result
	switch {
	case err != nil:
		return step{}, err
	case result.NoOp:
		head, err = open(ctx, x.table) // another expiry may have done it all
		return step{head, head}, err
	}
	after, err := x.table.Metadata(ctx, result.MetadataLocation)
	if err == nil && len(after.MetadataLog) == 0 {
		err = errors.New("its log does not name the file before it")
	}
	if err != nil {
		return step{}, fmt.Errorf("maintain: metadata file %s: %w", result.MetadataLocation, err)
	}
	previous := tree.Resolve(head.Location, after.MetadataLog[len(after.MetadataLog)-1].File)
	before, err := x.table.Metadata(ctx, previous)
	if err != nil {
		return step{}, fmt.Errorf("maintain: %w", err)
	}
	return step{withMetadata(head, previous, before), withMetadata(head, result.MetadataLocation, after)}, nil
}

// withMetadata returns a state of the same table without a tree. An update does not go on where the table was moved.
func withMetadata(head *commit.Head, name string, m metadata.Table) *commit.Head {
	return &commit.Head{MetadataLocation: name, Metadata: m, Location: head.Location}
}
