package sim

import (
	"errors"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
)

// Errors of commits that another writer was in the way of: the transaction should have failed. Those of a model that
// cannot take a step are in model.go.
var (
	errOther    = errors.New("is not the file that the transaction saw under this name")
	errRaced    = errors.New("lost rows to another writer since the transaction read it")
	errMatch    = errors.New("matches the filter of the transaction and was changed by another writer since")
	errRestored = errors.New("the snapshot to restore is not retained")
	errMoved    = errors.New("the branch does not come from the snapshot that the transaction began on")
	errSchema   = errors.New("the files lack a required column that the schema has now")
)

// forbidden returns why a transaction must not have become a snapshot, whatever it did: what the writers did that were faster
// contradicts what it was made for. before is the table that it was committed to.
func (w *World) forbidden(in intent, parent model, s metadata.Snapshot, before metadata.Table) error {
	var problems []error
	base := w.models[in.base]
	if base.files == nil {
		base = newModel()
	}
	if !w.comesFrom(s.ParentID.Val, in, before) {
		problems = append(problems, errMoved)
	}
	for _, op := range in.program.Ops {
		for _, n := range op.Files {
			if err := raced(op, base, parent, n); err != nil {
				problems = append(problems, fmt.Errorf("file %d %w", n, err))
			}
		}
		if (op.Verb == Where || op.Verb == Depend) && !in.program.Snapshot {
			problems = append(problems, phantoms(op, base, parent))
		}
		if _, retained := before.Snapshot(in.restored); op.Verb == Restore && !retained {
			problems = append(problems, errRestored)
		}
		if verbs[op.Verb].news && lacks(before, in.schemaID) {
			problems = append(problems, errSchema)
		}
	}
	return errors.Join(problems...)
}

// comesFrom reports whether the parent of a commit comes from the snapshot that it began on. Where that one is not retained,
// a writer cannot always know, and goes on if nothing speaks against it (F31).
func (w *World) comesFrom(parent int64, in intent, before metadata.Table) bool {
	if w.lineage.descends(parent, in.base) {
		return true
	}
	if _, retained := before.Snapshot(in.base); retained {
		return false
	}
	oldest := ancestor(before, parent, int64(len(before.Snapshots)))
	return w.lineage.sequences[oldest] > in.baseSequence
}

// raced returns what happened to a file of a step since the base that the step cannot go on with.
func raced(op Op, base, parent model, number int64) error {
	was, known := base.get(number)
	now, live := parent.get(number)
	if !known || !live || op.Verb == Refresh {
		return nil // the model sees it when it makes the step
	}
	changed := was.modified != now.modified || !was.deleted.Equal(now.deleted)
	switch {
	case was.fileSequence != now.fileSequence:
		return errOther
	case changed && (op.Verb == Replace || op.Verb == Compact || op.Verb == Delete && !op.Merge):
		return errRaced
	}
	return nil
}

// phantoms returns an error for each file that a filter matches and that another writer added, or, of what a transaction
// depends on, removed or changed.
func phantoms(op Op, base, parent model) error {
	var problems []error
	for _, n := range parent.between(op.Lower, op.Upper) {
		was, known := base.get(n)
		now, _ := parent.get(n)
		if !known || was.fileSequence != now.fileSequence || op.Verb == Depend && was.modified != now.modified {
			problems = append(problems, fmt.Errorf("file %d %w", n, errMatch))
		}
	}
	if op.Verb == Depend {
		for _, n := range base.between(op.Lower, op.Upper) {
			if !parent.has(n) {
				problems = append(problems, fmt.Errorf("file %d %w", n, errMatch))
			}
		}
	}
	return errors.Join(problems...)
}

// lacks reports whether the schema of a table has a required column that an older one of its schemas has not.
func lacks(m metadata.Table, schemaID int) bool {
	for _, old := range m.Schemas {
		if old.ID != schemaID {
			continue
		}
		for _, column := range m.Schema().Fields() {
			if _, known := old.FindFieldByID(column.ID); column.Required && !known {
				return true
			}
		}
	}
	return false
}

// checkRefs holds the branches of a new state against what the program was to do that made it: only one that creates a branch
// makes one, but for the first commit.
func (w *World) checkRefs(before, after metadata.Table, by *run) {
	for ref := range after.AllRefs() {
		if _, known := before.Ref(ref.Name); known || ref.Name == metadata.MainBranch {
			continue
		}
		if by == nil || by.program.verb() != Branch {
			w.violate(Violation{Check: checkModel, Snapshot: ref.SnapshotID, Message: fmt.Sprintf(
				"there is a branch %q, which nobody created", ref.Name)})
		}
	}
}

// checkExpired holds the snapshots that an expiry left against those that were to stay: the last ones of each branch, up to one
// that has expired before. What another branch retained behind such a gap is not of the line any more.
func (w *World) checkExpired(before, after metadata.Table, by *run) {
	if by == nil || by.program.verb() != Expire {
		return
	}
	stays := make(map[int64]bool)
	for ref := range before.AllRefs() {
		id := ref.SnapshotID
		for range by.program.Ops[0].Number {
			if _, retained := before.Snapshot(id); !retained {
				break
			}
			stays[id] = true
			id = w.lineage.parents[id]
		}
	}
	for _, s := range before.Snapshots {
		if _, kept := after.Snapshot(s.ID); kept != stays[s.ID] {
			w.violate(Violation{Check: checkModel, Snapshot: s.ID, Message: fmt.Sprintf(
				"an expiry that was to keep %d snapshots of each branch: stays %t, should stay %t", by.program.Ops[0].Number, kept, stays[s.ID])})
		}
	}
}

// checkFailure reports a program that nobody disturbed and that ended as none should: not by a conflict, a refusal or a limit.
func (w *World) checkFailure(r *run) {
	if r.program.verb() == Expire && r.result.MetadataLocation != "" && errors.Is(r.err, store.ErrNotFound) {
		r.disturbed = true // the snapshots went, and its metadata file before it read it: what they reached is left to a clean-up
	}
	expected := errors.Is(r.err, commit.ErrConflict) || errors.Is(r.err, commit.ErrRefused) || errors.Is(r.err, commit.ErrExhausted)
	if !r.disturbed && !expected && !w.readTooLate(r) {
		w.violate(Violation{Check: checkTold, Message: fmt.Sprintf("%s: nothing was in the way, and it failed: %v", r.program, r.err)})
	}
}

// readTooLate reports whether a program may have found nothing to read before it came to commit: the branch is not there any
// more, or the snapshot that it began on has expired while it scanned it.
func (w *World) readTooLate(r *run) bool {
	if len(r.snapshots) > 0 || !errors.Is(r.err, store.ErrNotFound) {
		return false
	}
	_, retained := w.metadata.Snapshot(r.intent.base)
	return r.intent.base == 0 && r.program.Branch != "" || r.intent.base != 0 && !retained
}
