package attack_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand"
	"slices"
	"strings"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// rowWriter is a writer of a rowWorld. Its commits stop before each call of the store.
type rowWriter struct {
	world  *rowWorld
	name   string
	calls  fault.Injector
	table  *commit.Table
	intent *rowIntent
	// next lets the commit go on to its next call, nil between commits; park is its other end.
	next func() (fault.Call, bool)
	park func(fault.Call) bool
	// token asks for the outcome of a commit that is not known.
	token *commit.Token
	// read is a state that the writer read some time ago, and files are the live files of it.
	read  *commit.Head
	files []tree.Located
}

// writer makes a writer with ids and names of its own.
func (w *rowWorld) writer(seed int64) *rowWriter {
	x := &rowWriter{world: w, name: fmt.Sprint("w", seed)}
	x.calls.Transit = &w.transit
	x.calls.Before = func(_ context.Context, call fault.Call) error {
		if x.park != nil && !x.park(call) {
			return fault.ErrCrashed
		}
		return nil
	}
	env := testtable.Env(seed)
	draw := env.NewSnapshotID
	env.NewSnapshotID = func() int64 {
		id := draw()
		w.intents[id] = x.intent
		return id
	}
	x.table = commit.Open(testtable.ID, x.calls.Catalog(witness{w.store.Catalog, w}),
		x.calls.Objects(remover{w.store.Objects, w}), commit.Options{Env: env})
	return x
}

// look reads a branch as it is.
func (x *rowWriter) look(ctx context.Context, branch string) error {
	table := x.world.store.Open(0, nil)
	head, err := table.HeadOf(ctx, branch)
	if err != nil {
		return err
	}
	var files []tree.Located
	for l, err := range table.Files(ctx, head, tree.Full) {
		if err != nil {
			return err
		}
		files = append(files, l)
	}
	x.read, x.files = head, files
	x.world.log("%s reads %s at %d", x.name, branch, head.Tree.Origin.SnapshotID)
	return nil
}

// begin begins a transaction on the branch that was read, which has changed since or not.
func (x *rowWriter) begin(ctx context.Context) (*commit.Txn, error) {
	r := x.world.r
	txn, err := x.table.Begin(ctx, commit.TxnOptions{
		Branch: x.read.Branch, CheckDuplicates: true, Policy: randomPolicy{r}, MaxAttempts: 2 + r.Intn(6),
		Mode: []policy.Mode{policy.Foreground, policy.Maintenance}[r.Intn(2)],
	})
	if err != nil {
		return nil, err
	}
	x.intent = new(rowIntent)
	x.world.log("%s begins on %s at %d, read %d", x.name, x.read.Branch, txn.Base().Tree.Origin.SnapshotID, x.read.Tree.Origin.SnapshotID)
	if r.Intn(10) == 0 {
		all := txn.Base().Metadata.Snapshots
		x.intent.restored = all[r.Intn(len(all))].ID
		txn.Restore(x.intent.restored)
		x.world.log("  restore %d", x.intent.restored)
		return txn, nil
	}
	victims := slices.Clone(x.files)
	r.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
	for _, victim := range victims[:min(len(victims), r.Intn(4))] {
		if err := x.change(ctx, txn, victim); err != nil {
			return nil, err
		}
	}
	if r.Intn(3) == 0 {
		x.append(txn, x.world.newRows(1+r.Intn(3)))
	}
	return txn, nil
}

// append adds a file.
func (x *rowWriter) append(txn *commit.Txn, rows []int) {
	x.intent.come = append(x.intent.come, rows...)
	txn.Append(x.world.newFile(rows))
	x.world.log("  append %v", rows)
}

// change makes one change of a file that was read part of a transaction.
func (x *rowWriter) change(ctx context.Context, txn *commit.Txn, victim tree.Located) error {
	w, in, target := x.world, x.intent, commit.At(victim)
	left, err := w.left(ctx, victim)
	if err != nil || len(left) == 0 {
		return err
	}
	row := left[w.r.Intn(len(left))]
	stay := slices.DeleteFunc(slices.Clone(left), func(other int) bool { return other == row })
	vector, err := dv.Of(uint64(slices.Index(w.content[victim.Location], row)))
	if err != nil {
		return err
	}
	o := commit.DVOptions{MergeRaced: w.r.Intn(2) == 0, KeepEmptied: w.r.Intn(2) == 0}
	kind := w.r.Intn(8)
	if kind >= 1 && kind <= 5 {
		in.gone, in.meant = append(in.gone, row), append(in.meant, row)
	}
	w.log("  change %d of %s, row %d of %v, %+v", kind, victim.Location, row, left, o)
	switch kind {
	case 0: // the file goes, whatever it holds by then
		in.gone = append(in.gone, w.content[victim.Location]...)
		txn.Remove(target)
	case 1, 2: // a row is deleted
		txn.ExtendDV(target, vector, o)
	case 3, 4: // a row is updated: deleted, and added in its new state
		txn.ExtendDV(target, vector, o)
		x.append(txn, w.newRows(0, row))
	case 5: // the same, and the file is written anew
		txn.Replace([]commit.Target{target})
		if len(stay) > 0 {
			txn.Append(w.newFile(stay))
		}
	case 6: // a compaction
		txn.Rewrite([]commit.Target{target}, []tree.File{w.newFile(left)}, x.read.Tree.Origin.SnapshotID)
	case 7:
		refreshed := slices.Clone(testtable.File(1).Stats)
		refreshed[0].ValueCount.Val = victim.Entry.RecordCount
		txn.Refresh(target, refreshed)
	}
	return nil
}

// start makes a coroutine of a commit.
func (x *rowWriter) start(ctx context.Context, txn *commit.Txn) {
	x.next, _ = iter.Pull(func(yield func(fault.Call) bool) {
		x.park = yield
		defer func() { x.park = nil }()
		first := len(x.calls.Calls())
		_, err := txn.Commit(ctx)
		x.ended(err, x.calls.Calls()[first:])
	})
}

// step lets the commit go on until it is about to make a call, or to its end.
func (x *rowWriter) step(until fault.Op) {
	for {
		call, more := x.next()
		if !more {
			x.next = nil
		}
		if !more || call.Op == until {
			return
		}
	}
}

// ended holds what a commit says against what the catalog saw.
func (x *rowWriter) ended(err error, calls []fault.Call) {
	w := x.world
	w.log("%s ends: %v", x.name, err)
	var unknown *commit.UnknownError
	if errors.As(err, &unknown) {
		x.token = &unknown.Token
		return
	}
	landed := false
	for _, call := range calls {
		if call.Op == fault.Put && strings.HasSuffix(call.Name, ".metadata.json") {
			landed = landed || w.published[call.Name]
			w.denied[call.Name] = err != nil
		}
	}
	if err != nil && landed {
		w.problem("%s: %v, but it landed", x.name, err)
	}
	for _, part := range []string{"self-check", "build root", "invalid plan"} {
		if err != nil && strings.Contains(err.Error(), part) {
			w.problem("%s: %v", x.name, err)
		}
	}
}

// outcome asks for the outcome of a commit that was not known, and holds it against what the catalog saw.
func (x *rowWriter) outcome(ctx context.Context) {
	w := x.world
	found, err := w.store.Open(0, nil).Outcome(ctx, *x.token)
	w.log("%s: %s, %v", x.name, found, err)
	if err != nil || found == commit.Unknown {
		return
	}
	landed := slices.ContainsFunc(x.token.Metadata, func(name string) bool { return w.published[name] })
	if landed != (found == commit.Committed) {
		w.problem("%s: outcome %s, landed: %t", x.name, found, landed)
	}
	for _, name := range x.token.Metadata {
		w.denied[name] = found == commit.NotCommitted
	}
	x.token = nil
}

// randomPolicy keeps the leaves of earlier attempts and pushes, buries, folds and merges others at random.
type randomPolicy struct{ r *rand.Rand }

func (randomPolicy) Name() string { return "random" }

func (p randomPolicy) Plan(in policy.Input) (policy.Plan, error) {
	plan, rest := policy.Keep(in)
	var live, dead, leaves []policy.Ref
	for i, pointer := range in.Pointers {
		kept := slices.ContainsFunc(plan.Steps, func(s policy.Step) bool { return slices.Contains(s.Members, ref(policy.FromPointers, i)) })
		if !kept && pointer.LiveEntries > 0 && p.r.Intn(3) == 0 {
			leaves = append(leaves, ref(policy.FromPointers, i))
		}
	}
	for _, item := range rest {
		switch {
		case p.r.Intn(3) == 0: // stays in the root
		case item.Source == policy.FromTombstones:
			dead = append(dead, item)
		default:
			live = append(live, item)
		}
	}
	step := func(kind policy.StepKind, members []policy.Ref) {
		if len(members) > 0 {
			plan.Steps = append(plan.Steps, policy.Step{Kind: kind, Members: members, Written: -1})
		}
	}
	step(policy.Bury, dead)
	if len(leaves) > 0 && p.r.Intn(2) == 0 {
		step(policy.Fold, leaves[:1])
		leaves = leaves[1:]
	}
	members := slices.Concat(leaves, live)
	p.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	switch {
	case len(leaves) == 0:
		step(policy.Push, members)
	case len(members) == 1:
		step(policy.Fold, members)
	default:
		step(policy.Merge, members)
	}
	return plan, nil
}
