// Package bound says what push-down must cost: how few bytes any policy could write for a table that only grows,
// and what the best plan with knowledge of the future writes. A policy is judged by its ratio to that.
//
// # The model
//
// Each of T commits adds k files. A commit writes a root, which costs d bytes for each loose file and p bytes for each
// pointer, and any number of new leaves of at most L files, which cost F bytes each and d bytes a file. A leaf may
// take loose files, new files, and the files of leaves that it replaces. The root's own fixed price is the same for
// every policy and left out. [Model] holds the five numbers. A loose file may have a price of its own, and the pointers of a
// root a limit.
//
// # The answers
//
// [Model.ClosedForm] gives leaves away (F = 0, no L). It is a sum over the cheapest nodes of a binary tree, exact and
// fast for any horizon; [Model.Floor], a little lower, is what no plan goes below.
//
// [Program] knows the prices and caps of leaves. Its plans keep the files of a commit together, and each component (the
// leaves that one write makes) holds the files of consecutive commits. It works to a million commits, and to any number where
// k divides L.
//
// [Model.Limited] knows the limit of pointers, but no cap of leaves.
//
// [Model.Expected] says what not to know the number of commits costs any policy, in [Ends] that may be any.
//
// [Search] tries every plan, for a few dozen files: leaves of any files, parts of commits, loose files from anywhere.
//
// # Are plans of consecutive, whole commits optimal?
//
// Consecutive, yes; whole, only if leaves can be full of whole commits. Tests compare program and search over thousands of
// models:
//
//   - If k divides L, if L divides k, or if no leaf can be full, the two agree.
//   - Otherwise a better plan may split a commit so that leaves are full. A small example is k = 2, L = 3, d = p = 1 and F = 0
//     at the fourth commit: the program has 17 bytes, the search 16. In the models of the tests the program is up to a
//     sixth dearer. It is then no bound, but the price of the best plan that keeps commits whole.
//   - A search over plans of consecutive files, whole commits or not, agrees with the search over every plan.
//
// [Model.WholeLeaves] rounds the cap up to whole commits. The program of that model is a bound for every plan, and the
// optimum lies between the two programs. With L = 30,393 they differ by less than one byte in a thousand at k = 10, and by
// less than 2 in a hundred at k = 1,000.
//
// This is evidence by search, not a proof.
package bound

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// Prices and cap of a table with 20 statistics columns and leaves of 8 MiB, as measured (docs/policy.md).
const (
	DefaultEntryBytes     = 276
	DefaultPointerBytes   = 340
	DefaultLeafFixedBytes = 19_000
	DefaultLeafEntries    = 30_393
)

// Uncapped is a [Model.LeafEntries] that no leaf reaches.
const Uncapped = math.MaxInt64 / 4

// Model is a stream of commits and the prices of what they write. LeafFixedBytes, LooseBytes and RootPointers may be zero.
type Model struct {
	// FilesPerCommit is k.
	FilesPerCommit int64
	// EntryBytes is d, the price of a data file in a leaf.
	EntryBytes int64
	// LooseBytes is the price of a data file in the root; 0 is EntryBytes.
	LooseBytes int64
	// PointerBytes is p, the price of a pointer in the root.
	PointerBytes int64
	// LeafFixedBytes is F, the price of a leaf without its files.
	LeafFixedBytes int64
	// LeafEntries is L, the most files of a leaf.
	LeafEntries int64
	// RootPointers is the most pointers of a root; 0 is no limit. [Model.Limited] and [Search] keep it, the others do not know it.
	RootPointers int64
}

// Default returns the model of a table with 20 statistics columns.
func Default(filesPerCommit int64) Model {
	return Model{
		FilesPerCommit: filesPerCommit, EntryBytes: DefaultEntryBytes, PointerBytes: DefaultPointerBytes,
		LeafFixedBytes: DefaultLeafFixedBytes, LeafEntries: DefaultLeafEntries,
	}
}

// ErrTooLarge says that a sum of the model may not fit into 64 bits.
var ErrTooLarge = errors.New("too large to count in 64 bits")

// Validate reports all that is wrong with the model.
func (m Model) Validate() error {
	var problems []error
	for _, f := range []struct {
		name         string
		value, least int64
	}{
		{"files per commit", m.FilesPerCommit, 1}, {"entry bytes", m.EntryBytes, 1}, {"pointer bytes", m.PointerBytes, 1},
		{"fixed bytes of a leaf", m.LeafFixedBytes, 0}, {"entries of a leaf", m.LeafEntries, 1}, {"loose bytes", m.LooseBytes, 0}, {"pointers of a root", m.RootPointers, 0},
	} {
		if f.value < f.least {
			problems = append(problems, fmt.Errorf("bound: %s: %d, want a number from %d", f.name, f.value, f.least))
		}
	}
	if m.FilesPerCommit > Uncapped {
		problems = append(problems, fmt.Errorf("bound: files per commit: %d, want at most %d", m.FilesPerCommit, int64(Uncapped)))
	}
	if m.LeafEntries > 2*Uncapped {
		problems = append(problems, fmt.Errorf("bound: entries of a leaf: %d, want at most %d", m.LeafEntries, int64(2*Uncapped)))
	}
	return errors.Join(problems...)
}

// WholeLeaves returns the model, which must be valid, with the cap of leaves rounded up to whole commits, unless the files of
// a commit fill leaves. Whatever is possible in m is possible there at the same price.
func (m Model) WholeLeaves() Model {
	over := m.LeafEntries % m.FilesPerCommit
	if over > 0 && m.FilesPerCommit%m.LeafEntries > 0 {
		m.LeafEntries += m.FilesPerCommit - over
	}
	return m
}

// check reports whether the model is valid and the sums over so many commits stay far below 64 bits. The float sums are
// too rough by less than a millionth, and have a factor of four to spare.
func (m Model) check(commits int64, most func(commits float64) float64) error {
	var negative error
	if commits < 0 {
		negative = fmt.Errorf("bound: commits: %d, want a number from 0", commits)
	}
	if err := errors.Join(negative, m.Validate()); err != nil {
		return err
	}
	if most(float64(commits)) > math.MaxInt64/4 {
		return fmt.Errorf("bound: %d commits of %d files: %w", commits, m.FilesPerCommit, ErrTooLarge)
	}
	return nil
}

// batchBytes is the price of the files of one commit in a leaf. It is exact once check has passed.
func (m Model) batchBytes() int64 { return m.FilesPerCommit * m.EntryBytes }

// looseFile is the price of a loose file.
func (m Model) looseFile() int64 { return cmp.Or(m.LooseBytes, m.EntryBytes) }

// looseBytes is the price of n commits whose files all stay loose, or more than any plan costs.
func (m Model) looseBytes(n int64) int64 {
	sum := n * (n + 1) / 2
	if n > 0 && m.looseFile() > math.MaxInt64/2/m.FilesPerCommit/sum {
		return math.MaxInt64 / 2
	}
	return m.FilesPerCommit * m.looseFile() * sum
}
