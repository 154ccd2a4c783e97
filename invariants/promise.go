package invariants

import (
	"context"
	"iter"

	"github.com/firn-io/firn/tree"
)

// Promise is what a transaction promised, as it was told to its author, not as the tree shows it. It is plain data, so that
// a test, a simulator or a driver of another engine can write it down. A file that is removed and added again, as by a
// restore, is in Removed and in Added. The zero Promise promises that no file changes.
type Promise struct {
	// Added are all files that the transaction adds.
	Added []PromisedFile
	// Removed are the locations of all files that it removes, as stored or resolved.
	Removed []string
	// Deletes are all files that stay and whose deleted rows it changes.
	Deletes []PromisedDeletes
	// Operation is the operation that the summary is to name, empty if none was promised.
	Operation string
	// Summary are other fields that the summary is to have.
	Summary map[string]string
}

// PromisedFile is a file that a transaction adds.
type PromisedFile struct {
	// Location is as stored or resolved.
	Location string
	// RecordCount, SizeBytes and DeletedRows are of the file and of the deletion vector with which it is added.
	RecordCount, SizeBytes, DeletedRows int64
}

// PromisedDeletes are the deleted rows of a file that stays.
type PromisedDeletes struct {
	// Location is as stored or resolved.
	Location string
	// DeletedRows counts all deleted rows afterwards, those that were deleted before among them.
	DeletedRows int64
}

// CheckCommit checks the rules of scope commit: it holds what a transaction promised against the difference of the live
// files of the snapshot that it made and of the parent on which it ended, and what the snapshot's summary reports against
// both; a nil summary is not known. The zero Tree is the parent of a first snapshot. Every leaf is opened, and the live files of
// both trees are held in memory; if a leaf is passed over nothing is judged. An error of the leaf reader ends the
// sequence, but see [LeafOptions] (IV16, IV21).
func CheckCommit(ctx context.Context, l *Leaves, p Promise, parent, child tree.Tree, summary map[string]string) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		l.check(yield, func(c check) error { return c.commit(ctx, l, &p, parent, child, summary) })
	}
}

func (c check) commit(ctx context.Context, l *Leaves, p *Promise, parent, child tree.Tree, summary map[string]string) error {
	in := &commitInput{promise: p, summary: summary, location: child.Origin.TableLocation}
	for _, side := range []struct {
		tree tree.Tree
		live *fileSet[*arrival]
	}{{parent, &in.before}, {child, &in.after}} {
		t := &treeInput{snapshot: newSnapshot(side.tree), storage: l.storage}
		open := func(p *pointer) (*readLeaf, error) { return l.open(ctx, t.snapshot, p) }
		if err := t.open(open, AllLeaves, func(*readLeaf, *openLeaf) bool { return true }); err != nil {
			return err
		}
		if t.closed {
			return nil
		}
		for object, f := range t.live() {
			kept := f.kept()
			side.live.add(kept.location, &arrival{file: kept, object: object})
		}
	}
	c.run(commitRules, Place{Snapshot: child.Origin.SnapshotID, Object: child.Root, Row: -1}, func(f *checker, r reporter) {
		f.commit(in, r)
	})
	return nil
}

// commitInput is a commit: the promise, nil if it is not known, and the live files before and after it, those aside that
// stay where they are if there is no promise.
type commitInput struct {
	promise       *Promise
	summary       map[string]string
	location      string // of the table
	before, after fileSet[*arrival]
	// summed are the sums, if they are known and the files are not.
	summed *commitSums
}

// commitSums sum up what a commit brought and took, share by share of its files.
type commitSums struct {
	came, went counted
	// takes says that files or rows went, and unknown that some leaf was not looked at.
	takes, unknown bool
}

// sumUp adds the files of a share of a snapshot of a history.
func (c check) sumUp(t *transition) {
	if c.line == nil || t.child.summary == nil {
		return
	}
	in := new(commitInput)
	for _, d := range t.changes.before.order {
		in.before.add(d.location, &arrival{file: d.file, object: d.object})
	}
	for _, a := range t.changes.after.order {
		in.after.add(a.location, a)
	}
	s := in.sums()
	s.came.add(t.changes.omitted)
	t.sums.came.add(s.came)
	t.sums.went.add(s.went)
	t.sums.takes = t.sums.takes || s.takes
	t.sums.unknown = t.sums.unknown || !(t.changes.beforeKnown && t.changes.stayingKnown && t.changes.afterKnown)
}

// unpromised checks those rules of scope commit that need no promise, if the summary of the child is known.
func (c check) unpromised(t *transition) {
	if c.line == nil || t.child.summary == nil || t.sums.unknown {
		return
	}
	in := &commitInput{summary: t.child.summary, summed: &t.sums}
	c.run(unpromisedRules, t.child.place(-1), func(f *checker, r reporter) {
		f.commit(in, r)
	})
}

// gone yields the files that the commit took away.
func (in *commitInput) gone() iter.Seq[*arrival] { return without(&in.before, &in.after) }

// come yields the files that the commit brought.
func (in *commitInput) come() iter.Seq[*arrival] { return without(&in.after, &in.before) }

// without yields the files of one set that the other does not have as the same file.
func without(set, other *fileSet[*arrival]) iter.Seq[*arrival] {
	return func(yield func(*arrival) bool) {
		for _, f := range set.order {
			o, known := other.by[f.location]
			if !(known && o.fileSequence == f.fileSequence) && !yield(f) {
				return
			}
		}
	}
}

// kept yields the files that are the same before and after, in the order that they have before.
func (in *commitInput) kept() iter.Seq2[*arrival, *arrival] {
	return func(yield func(before, after *arrival) bool) {
		for _, b := range in.before.order {
			a, known := in.after.by[b.location]
			if known && a.fileSequence == b.fileSequence && !yield(b, a) {
				return
			}
		}
	}
}

// deletedRows counts the rows that a file's deletion vector deletes.
func (f *file) deletedRows() int64 {
	if f.dv == nil {
		return 0
	}
	return f.dv.Cardinality
}
