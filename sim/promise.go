package sim

import (
	"context"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// promiseFiles is the number of live files up to which every commit is held to its promise. Beyond, where all leaves are many,
// it is one in so many commits that the files looked at for each stay as many.
const promiseFiles = 200

// keepsPromise holds a commit, as trees and summary show it, to what its program meant to do, by the model and not by what the
// writer said: the rules of scope commit.
func (w *World) keepsPromise(ctx context.Context, in intent, s metadata.Snapshot, want []change, parent, child tree.Tree) error {
	if live := int64(w.models[s.ID].files.Len()); w.stats.Commits%(1+live/promiseFiles) != 0 {
		return nil
	}
	return w.report(invariants.CheckCommit(ctx, w.sharedLeaves(), in.promise(want), parent, child, s.Summary))
}

// promise is what a transaction is to do with these changes of the model.
func (in intent) promise(want []change) invariants.Promise {
	var p invariants.Promise
	for _, c := range want {
		location := locationOf(c.number)
		was, now := c.before, c.after
		stays := was != nil && now != nil && was.fileSequence == now.fileSequence
		switch {
		case stays && !was.deleted.Equal(now.deleted):
			p.Deletes = append(p.Deletes, invariants.PromisedDeletes{Location: location, DeletedRows: now.deleted.Cardinality()})
		case stays:
			continue // better statistics
		}
		if was != nil && !stays {
			p.Removed = append(p.Removed, location)
		}
		if now != nil && !stays {
			p.Added = append(p.Added, invariants.PromisedFile{
				Location: location, RecordCount: now.records, SizeBytes: now.size, DeletedRows: now.deleted.Cardinality(),
			})
		}
	}
	p.Operation = in.operation()
	return p
}

// operation is the operation that the summary is to name, where the steps leave no choice.
func (in intent) operation() string {
	if len(in.program.Ops) == 0 {
		return ""
	}
	for _, op := range in.program.Ops {
		if op.Verb != in.program.Ops[0].Verb {
			return ""
		}
	}
	switch in.program.Ops[0].Verb {
	case Add:
		return "append"
	case Compact:
		return "replace"
	}
	return ""
}
