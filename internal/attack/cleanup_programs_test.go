package attack_test

import (
	"context"
	"fmt"
	"maps"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// programs are what may be done, by name.
var programs = map[string]func(a *arena, r *rapid.T, head *commit.Head, live []string) *program{
	"append": func(a *arena, r *rapid.T, head *commit.Head, _ []string) *program {
		files, names := a.newFiles(rapid.IntRange(1, 3).Draw(r, "files"))
		return a.transaction(r, "append", a.options(r, head), intentWith(names...), func(x *commit.Txn) { x.Append(files...) })
	},
	"remove": func(a *arena, r *rapid.T, head *commit.Head, live []string) *program {
		names := drawVictims(r, live)
		return a.transaction(r, "remove", a.options(r, head), intentWithout(names...), func(x *commit.Txn) { x.Remove(targetsOf(names)...) })
	},
	"rows": func(a *arena, r *rapid.T, head *commit.Head, live []string) *program {
		names, row := drawVictims(r, live), rapid.Uint64Range(0, 60).Draw(r, "row")
		return a.transaction(r, "rows", a.options(r, head), func(parent contents) (contents, error) {
			to := maps.Clone(parent)
			for _, name := range names {
				old, err := dv.ParseText(to[name])
				if err != nil {
					return nil, err
				}
				to[name] = old.Union(vector(a.t, row)).String()
			}
			return to, nil
		}, func(x *commit.Txn) {
			for _, target := range targetsOf(names) {
				x.ExtendDV(target, vector(a.t, row), commit.DVOptions{MergeRaced: true})
			}
		})
	},
	"rewrite": func(a *arena, r *rapid.T, head *commit.Head, live []string) *program {
		names := drawVictims(r, live)
		files, added := a.newFiles(1)
		files[0].Stats = nil
		return a.transaction(r, "rewrite", a.options(r, head), intentBoth(intentWithout(names...), intentWith(added...)), func(x *commit.Txn) {
			x.Rewrite(targetsOf(names), files, x.Base().Tree.Origin.SnapshotID)
		})
	},
	"restore": func(a *arena, r *rapid.T, head *commit.Head, _ []string) *program {
		s := rapid.SampledFrom(head.Metadata.Snapshots).Draw(r, "snapshot")
		return a.transaction(r, "restore", a.options(r, head), func(contents) (contents, error) { return a.states[s.ID], nil },
			func(x *commit.Txn) { x.Restore(s.ID) })
	},
	"fold": func(a *arena, r *rapid.T, head *commit.Head, _ []string) *program {
		o := commit.TxnOptions{Branch: head.Branch, Mode: policy.Maintenance, Policy: folding(rapid.IntRange(0, 3).Draw(r, "leaf"))}
		return a.transaction(r, "fold", o, intentWithout(), func(*commit.Txn) {})
	},
	"ref": func(a *arena, r *rapid.T, head *commit.Head, _ []string) *program {
		change := a.drawRef(r, head)
		return a.start("ref", drawSkew(r), drawFaults(r), nil, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
			return table.Update(ctx, change)
		})
	},
	"statistics": func(a *arena, r *rapid.T, head *commit.Head, _ []string) *program {
		s := rapid.SampledFrom(head.Metadata.Snapshots).Draw(r, "snapshot")
		a.serial++
		name := fmt.Sprintf("metadata/%d.stats", a.serial)
		a.put(tree.Resolve(testtable.Location, name))
		return a.start("statistics", drawSkew(r), drawFaults(r), nil, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
			return table.Update(ctx, listing(s.ID, name))
		})
	},
	"expire": func(a *arena, r *rapid.T, _ *commit.Head, _ []string) *program {
		o := maintain.ExpireOptions{
			Policy: rapid.SampledFrom([]metadata.ExpiryPolicy{newest(1), newest(2), newest(4), refsToo}).Draw(r, "keep"), Resume: rapid.Bool().Draw(r, "resume"),
			KeepFiles: rapid.IntRange(0, 5).Draw(r, "files") == 5, MaxDeletes: rapid.IntRange(0, 4).Draw(r, "limit"),
		}
		return a.start("expire", drawSkew(r), drawFaults(r), nil, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
			report, err := maintain.Expire(ctx, table, o)
			if report.Commit.MetadataLocation != "" && err != nil {
				err = fmt.Errorf("%w: %w", errAfterwards, err)
			}
			return report.Commit, err
		})
	},
	"orphans": func(a *arena, r *rapid.T, _ *commit.Head, _ []string) *program {
		o := maintain.OrphanOptions{Delete: true, AgeMillis: some(int64(3_600_000)), MaxDeletes: rapid.IntRange(0, 4).Draw(r, "limit")}
		return a.start("orphans", drawSkew(r), drawFaults(r), nil, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
			_, err := maintain.Orphans(ctx, table, o)
			return commit.Result{NoOp: true}, err
		})
	},
}

// branch draws one of the branches that are there.
func (a *arena) branch(r *rapid.T) string {
	head, err := a.Open(0, nil).Head(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	names := []string{metadata.MainBranch, metadata.MainBranch}
	for ref := range head.Metadata.AllRefs() {
		if ref.Type == metadata.Branch {
			names = append(names, ref.Name)
		}
	}
	return rapid.SampledFrom(names).Draw(r, "branch")
}

// options draws a policy for a transaction on a branch.
func (a *arena) options(r *rapid.T, head *commit.Head) commit.TxnOptions {
	return commit.TxnOptions{Branch: head.Branch, Policy: rapid.SampledFrom([]policy.Policy{simple.Never{}, loose(true), simple.Cap{Rows: 4}}).Draw(r, "policy")}
}

// newFiles makes objects for new files.
func (a *arena) newFiles(n int) (files []tree.File, names []string) {
	for range n {
		a.files++
		files = append(files, testtable.File(a.files))
		names = append(names, testtable.File(a.files).Location)
	}
	a.put(names...)
	return files, names
}

func drawVictims(r *rapid.T, live []string) []string {
	n := rapid.IntRange(1, min(3, len(live))).Draw(r, "count")
	return rapid.Permutation(live).Draw(r, "victims")[:n]
}

func targetsOf(names []string) (targets []commit.Target) {
	for _, name := range names {
		targets = append(targets, commit.Target{Location: name})
	}
	return targets
}

// drawRef draws a change of branches and tags.
func (a *arena) drawRef(r *rapid.T, head *commit.Head) commit.MetadataChange {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "ref")
	s := rapid.SampledFrom(head.Metadata.Snapshots).Draw(r, "snapshot")
	kind := map[string]string{"a": metadata.Tag, "b": metadata.Branch}[name]
	move := rapid.IntRange(0, 3).Draw(r, "move") == 0
	return func(m metadata.Table) (metadata.Table, error) {
		if move {
			return m.MoveRef(metadata.MainBranch, s.ID)
		}
		if _, exists := m.Ref(name); exists {
			return m.WithoutRef(name)
		}
		return m.CreateRef(metadata.Ref{Name: name, Type: kind, SnapshotID: s.ID})
	}
}

// transaction is a program that commits a change.
func (a *arena) transaction(r *rapid.T, what string, o commit.TxnOptions, intent func(contents) (contents, error), change func(*commit.Txn)) *program {
	o.MaxAttempts = 4
	return a.start(what, drawSkew(r), drawFaults(r), intent, func(ctx context.Context, table *commit.Table) (commit.Result, error) {
		x, err := table.Begin(ctx, o)
		if err != nil {
			return commit.Result{}, err
		}
		change(x)
		return x.Commit(ctx)
	})
}

func drawSkew(r *rapid.T) int64 { return rapid.Int64Range(-60_000, 60_000).Draw(r, "skew") }

// drawFaults draws at most two disturbances.
func drawFaults(r *rapid.T) []fault.Fault {
	var faults []fault.Fault
	for range rapid.IntRange(0, 2).Draw(r, "faults") {
		op := rapid.SampledFrom([]fault.Op{fault.Swap, fault.Swap, fault.Load, fault.Put, fault.Delete, fault.Get, fault.GetRange, fault.List}).Draw(r, "op")
		outcomes := append(fault.Outcomes(op), fault.Panic)
		if op == fault.Swap || op == fault.Put || op == fault.Delete {
			outcomes = append(outcomes, fault.Late, fault.LandPanic)
		}
		f := fault.Fault{Op: op, Nth: rapid.IntRange(1, 4).Draw(r, "nth"), Outcome: rapid.SampledFrom(outcomes).Draw(r, "outcome")}
		if f.Outcome == fault.Late {
			f.Number = rapid.IntRange(0, 6).Draw(r, "after")
		}
		faults = append(faults, f)
	}
	return faults
}

// intentWithout is an intent that removes files.
func intentWithout(names ...string) func(contents) (contents, error) {
	return func(parent contents) (contents, error) {
		to := maps.Clone(parent)
		for _, name := range names {
			if _, ok := to[name]; !ok {
				return to, fmt.Errorf("%s was not live", name)
			}
			delete(to, name)
		}
		return to, nil
	}
}

// intentWith is an intent that adds files.
func intentWith(names ...string) func(contents) (contents, error) {
	return func(parent contents) (contents, error) {
		to := contents{}
		maps.Copy(to, parent)
		for _, name := range names {
			to[name] = ""
		}
		return to, nil
	}
}

func intentBoth(first, second func(contents) (contents, error)) func(contents) (contents, error) {
	return func(parent contents) (contents, error) {
		middle, err := first(parent)
		if err != nil {
			return nil, err
		}
		return second(middle)
	}
}
