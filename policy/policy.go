// Package policy decides where the entries of a commit go: which loose data files move from the root into new
// leaf manifests, and when. The format gives the shape of the tree and leaves this choice open; a wrong choice
// lets the root grow with the table.
//
// A policy is a pure, deterministic function of its [Input]: it knows no bytes of files, no storage and no
// time. Its [Plan] is checked by [Plan.Validate] before anybody acts on it.
//
// The policies of this module are in package adaptive, the default, and in package simple; package choose finds them by the properties
// of a table. One of a program's own goes into TxnOptions.Policy of package commit: it begins with [Keep], as the example does.
package policy

import (
	"fmt"
	"slices"
)

// Policy plans commits. Plan must be deterministic and must not keep or change what the input holds.
type Policy interface {
	// Name is what errors call the policy, and for those that a table can choose the name in its property.
	Name() string
	// Plan says where the entries of one commit go. Entries that no step names stay in the root.
	Plan(in Input) (Plan, error)
}

// Mode says who asks for a plan. The zero Mode is invalid.
type Mode uint8

// The modes.
const (
	// Foreground is the commit of a writer that has changes of its own and should not wait.
	Foreground Mode = iota + 1
	// Maintenance is a commit that nobody waits for.
	Maintenance
)

// MaxLeafRows is the most rows that a leaf may have and still be addressed by a manifest deletion vector
// (rules 9.10).
const MaxLeafRows = 2_097_152

// MaxHistory is how many snapshots a policy sees at most.
const MaxHistory = 100

// Limits bound what a plan may do. A zero field means its default.
type Limits struct {
	// LeafRows is the most rows of a new leaf; default and maximum [MaxLeafRows].
	LeafRows int64
}

// MostRows is the most rows of a new leaf, the default if none is set.
func (l Limits) MostRows() int64 {
	if l.LeafRows <= 0 || l.LeafRows > MaxLeafRows {
		return MaxLeafRows
	}
	return l.LeafRows
}

// Prices are the estimated sizes that a policy counts with, in bytes.
type Prices struct {
	// RootFixedBytes and LeafFixedBytes are what a root and a leaf cost without rows.
	RootFixedBytes, LeafFixedBytes int64
	// LooseBytes is one data file in the root, PointerBytes one pointer without its deletion vector.
	LooseBytes, PointerBytes int64
	// ThinPointerBytes is a pointer with statistics for the partitions' source columns alone; 0 is as much as any other.
	ThinPointerBytes int64
	// LeafEntryBytes is one data file in a leaf.
	LeafEntryBytes int64
	// EstimatedEntryBytes is what LeafEntryBytes was before the table taught it, see [Input.Learned]; 0 if it has not.
	EstimatedEntryBytes int64
}

// Item is one row of the root that may move, or in the counting model a group of like rows.
type Item struct {
	// Key identifies the row's state: location, file sequence number, deletion vector and modified snapshot id.
	// Two items with one key are the same row in the same state.
	Key string
	// Count is 1 for a real row.
	Count int64
	// RecordCount is the number of rows of the data file.
	RecordCount int64
	// SequenceNumber is that of the snapshot that added the file; 0 if it is not known.
	SequenceNumber int64
	// First and Last are where its partition stands between those of the pointers: the number of the highest one that is not above it, 0 if
	// there is none, and of the lowest that is not below it, one more than the last if there is none. Both are 0 where it is not known.
	First, Last int64
}

// Pointer is one live manifest pointer of the root, after the masks of this commit.
type Pointer struct {
	// Location is the manifest's resolved location.
	Location string
	// LiveEntries are those that neither status nor deletion vector excludes, Entries all of them.
	LiveEntries, Entries int64
	// DVBytes is the length of the encoded deletion vector, with the delta bitmaps of this commit.
	DVBytes int64
	// Changed are the entries that this commit removes or changes. If it rewrites the leaf, the root must tell of each of them in a
	// row of its own (rules 9.9).
	Changed int64
	// FileSizeBytes is the manifest's length.
	FileSizeBytes int64
	// SequenceNumber is that of the snapshot that added the manifest; 0 if it is not known.
	SequenceNumber int64
	// First and Last are where the lowest and the highest partition of its rows stand in the order of all these bounds, from 1 on, or where
	// partitions are periods of time in the order of all periods from the first one on; 0 where they are not known.
	First, Last int64
	// Legacy marks a v1 to v3 manifest.
	Legacy bool
	// Thin says that its statistics are for no other columns than those that the table is partitioned by, see [Thinning].
	Thin bool
}

// Key identifies the manifest among the members of a [Group].
func (p Pointer) Key() string { return "leaf " + p.Location }

// Movable reports whether a step may rewrite the manifest: a v4 leaf that has live entries.
func (p Pointer) Movable() bool { return !p.Legacy && p.LiveEntries > 0 }

// Group is a leaf that an earlier attempt of this transaction wrote, or the leaves of one step.
type Group struct {
	// Members are the keys of its rows in file order; a leaf that it rewrites stands for its live rows. A group
	// without members cannot be kept.
	Members []string
	// Leaves is how many leaves they are spread over; 0 counts as one.
	Leaves int
	// SizeBytes is the length of the leaf, or of all of them.
	SizeBytes int64
}

// Snapshot is what a policy may know of an earlier snapshot.
type Snapshot struct {
	ID, SequenceNumber, TimestampMillis int64
	Summary                             map[string]string
}

// Input is everything a policy may look at. Its slices belong to the caller.
type Input struct {
	Mode   Mode
	Limits Limits
	Prices Prices
	// Loose are the live data rows of the parent's root that this commit leaves alone or modifies, in order.
	Loose []Item
	// New are the files that this commit adds or takes out of leaves, in order.
	New []Item
	// Tombstones are the rows of removed and replaced files that this commit must show somewhere.
	Tombstones []Item
	// Pointers are the pointers that stay in the root unless a step rewrites their leaves. One without live entries
	// ends in this commit.
	Pointers []Pointer
	// Written are the leaves of earlier attempts. A group whose members are all still there unchanged is kept.
	Written []Group
	// RootBytes is the length of the parent's root, and RootRows how many rows it has; 0 if that is not known.
	RootBytes, RootRows int64
	// SequenceNumber is the one that the commit will have; 0 if it is not known.
	SequenceNumber int64
	// History lists the parent of the commit and what comes before it, oldest first: at most [MaxHistory] snapshots, those that are
	// retained.
	History []Snapshot
}

// StepKind is the kind of a plan's step. The zero StepKind is invalid.
type StepKind uint8

// The kinds of steps.
const (
	// Push writes live data rows, loose or new ones, into a new leaf.
	Push StepKind = iota + 1
	// Bury writes tombstones into a leaf of their own, so that no leaf mixes live and dead rows (Q14).
	Bury
	// Fold rewrites one leaf without its dead and masked rows (rules 9.11): its only member is a pointer.
	Fold
	// Merge rewrites the live rows of leaves, of which it has one pointer at least, and of the root, into one leaf.
	Merge
)

// String returns the kind's name.
func (k StepKind) String() string {
	switch k {
	case Push:
		return "push"
	case Bury:
		return "bury"
	case Fold:
		return "fold"
	case Merge:
		return "merge"
	}
	return fmt.Sprintf("step kind %d", uint8(k))
}

// Source says which list of the input a member stands in. The zero Source is invalid.
type Source uint8

// The lists of an input.
const (
	FromLoose Source = iota + 1
	FromNew
	FromTombstones
	// FromPointers stands for all live rows of a leaf.
	FromPointers
)

// String returns the name of the list.
func (s Source) String() string {
	switch s {
	case FromLoose:
		return "Loose"
	case FromNew:
		return "New"
	case FromTombstones:
		return "Tombstones"
	case FromPointers:
		return "Pointers"
	}
	return fmt.Sprintf("list %d", uint8(s))
}

// Ref names an item or a pointer of the input.
type Ref struct {
	Source Source
	Index  int
}

// CutPart says how far from equal parts a step may cut its rows so that a partition begins with a leaf: one part in so many of a leaf.
const CutPart = 3

// Step is one new leaf: its rows in order, and why. Or it is several leaves: then the rows of all members are put into the order of
// their partitions and cut into nearly equal parts, where a partition begins if one does nearby (see [CutPart]), so that few leaves have
// rows of one partition.
type Step struct {
	Kind    StepKind
	Members []Ref
	// Leaves is how many leaves the step writes; 0 counts as one.
	Leaves int
	// Written is the index in Input.Written of the leaf that holds exactly these members, or -1 for one that is to be written: a step of a
	// policy's own says so.
	Written int
	// Term is what decided, and Reason says it for people.
	Term   Term
	Reason string
	// PaidBytes is what the step writes, the leaf, and SavedBytes by how much every root from this commit on is smaller, of tombstones
	// this root alone, both by the prices that the policy counts with. A policy of one's own need not say.
	PaidBytes, SavedBytes int64
}

// Thinning leaves the statistics of some pointers out of the root, but for those of the columns that the table is partitioned by: plans
// of partitions open no more leaves than before, those that filter by other columns open these. The entries of the leaves keep theirs.
type Thinning struct {
	// Pointers are indexes of Input.Pointers, whose leaves no step rewrites.
	Pointers []int
	// Reason says it for people, and what plans lose.
	Reason string
	// SavedBytes is by how much the root is smaller, and every later one while the leaves stay.
	SavedBytes int64
}

// Plan says where the entries of a commit go.
type Plan struct {
	Steps []Step
	// Thinning is what pointers that stay lose, if anything (F37).
	Thinning Thinning
	// Summary are entries for the snapshot's summary, each key with the prefix "firn.policy.".
	Summary map[string]string
	// Deferred says what is due but left to a maintenance commit, for people.
	Deferred []string
}

// Item returns the item that ref names. A leaf counts as many entries as it has live ones; how many records those
// have is not known.
func (in Input) Item(ref Ref) (Item, error) {
	var list []Item
	switch ref.Source {
	case FromPointers:
		if ref.Index >= 0 && ref.Index < len(in.Pointers) {
			pointer := in.Pointers[ref.Index]
			return Item{Key: pointer.Key(), Count: pointer.LiveEntries}, nil
		}
	case FromLoose:
		list = in.Loose
	case FromNew:
		list = in.New
	case FromTombstones:
		list = in.Tombstones
	}
	if ref.Index < 0 || ref.Index >= len(list) {
		return Item{}, fmt.Errorf("policy: no item %d in %s of the input", ref.Index, ref.Source)
	}
	return list[ref.Index], nil
}

// leavesOf returns how many leaves a step or a group has.
func leavesOf(n int) int64 { return int64(max(1, n)) }

// Leaves counts the leaves that a plan writes, those of earlier attempts included.
func (p Plan) Leaves() int64 {
	var n int64
	for _, step := range p.Steps {
		n += leavesOf(step.Leaves)
	}
	return n
}

// Idle reports whether a plan leaves the root as it is: without a step, and without a pointer that loses statistics. A maintenance commit
// that changes no file need not be made then.
func (p Plan) Idle(in Input) bool {
	loses := func(i int) bool { return i >= 0 && i < len(in.Pointers) && !in.Pointers[i].Thin }
	return len(p.Steps) == 0 && !slices.ContainsFunc(p.Thinning.Pointers, loses)
}
