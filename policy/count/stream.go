package count

import (
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/bound"
)

// Stream is a table that a policy plans, commit for commit, with maintenance between, and what that has cost so far. The zero Stream
// lacks its table's prices and a policy.
type Stream struct {
	Table  Table
	Policy policy.Policy
	// Pace is how many commits of writers come before the next chance of maintenance, which is taken if a plan has left something to
	// it since; 0 is never.
	Pace int64
	// See is shown each commit, if it is not nil.
	See func(cost Cost, mode policy.Mode)

	// Bytes are those of all commits, without the fixed prices of roots.
	Bytes int64
	// LargestRoot is that of the largest root, its fixed price included, and MostRewritten the most that a commit of a writer wrote of
	// old leaves again, in bytes.
	LargestRoot, MostRewritten int64
	// MostThin is the largest share of the live files that ever stood in leaves whose pointers lack statistics.
	MostThin float64
	// Commits and Maintenance are the commits of writers and those of maintenance.
	Commits, Maintenance int64
	due                  bool
}

// Commit adds files in a commit of a writer, and lets maintenance follow if it is its turn and something is due.
func (s *Stream) Commit(files int64) error { return s.Apply(Change{Added: files}) }

// Apply is [Stream.Commit] for a change of any kind.
func (s *Stream) Apply(c Change) error {
	cost, err := s.Table.Apply(s.Policy, c)
	if err != nil {
		return err
	}
	s.Commits++
	s.MostRewritten = max(s.MostRewritten, cost.RewrittenBytes)
	s.note(cost, policy.Foreground)
	s.due = s.due || len(cost.Deferred) > 0
	if s.Pace == 0 || s.Commits%s.Pace != 0 || !s.due {
		return nil
	}
	s.due = false
	if cost, err = s.Table.Maintain(s.Policy); err != nil || cost.Bytes() == 0 {
		return err
	}
	s.Maintenance++
	s.note(cost, policy.Maintenance)
	return nil
}

func (s *Stream) note(cost Cost, mode policy.Mode) {
	s.Bytes += cost.Bytes()
	s.LargestRoot = max(s.LargestRoot, cost.RootBytes+s.Table.Prices.RootFixedBytes)
	s.MostThin = max(s.MostThin, float64(cost.ThinFiles)/float64(max(1, s.Table.Files)))
	if s.See != nil {
		s.See(cost, mode)
	}
}

// The sizes that [Bound] is for: full leaves, and a root that stores read in one request.
const (
	LeafBytes = 8 << 20
	RootBytes = 1 << 20
)

// Bound returns the model of the bound for a stream of so many commits: leaves of 8 MiB, or as large as it takes for the pointers to
// fit into a root of 1 MiB, whole commits, and the pointers that such a root has room for.
func Bound(files int64, prices policy.Prices, commits int64) bound.Model {
	return bound.Model{
		FilesPerCommit: files, EntryBytes: prices.LeafEntryBytes, LooseBytes: prices.LooseBytes,
		PointerBytes: prices.PointerBytes, LeafFixedBytes: prices.LeafFixedBytes,
		LeafEntries:  max(LeafBytes/prices.LeafEntryBytes, (files*commits*prices.PointerBytes+RootBytes-1)/RootBytes),
		RootPointers: max(1, (RootBytes-prices.RootFixedBytes)/prices.PointerBytes),
	}.WholeLeaves()
}
