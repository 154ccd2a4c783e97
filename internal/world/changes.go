package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/tree"
)

// add adds data files to a transaction.
func (w *World) add(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	files, err := w.files(c, c.names)
	if err != nil {
		return "", err
	}
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	x.txn.Append(files...)
	return "", x.adds(ctx, files)
}

// adds tells the model of files to add.
func (x *writer) adds(ctx context.Context, files []tree.File) error {
	for _, f := range files {
		c := change{location: f.Location, added: &f}
		if f.DeletionVector.Valid {
			var err error
			v := f.DeletionVector.Val
			if c.deleted, err = x.world.deletedRows(ctx, v, v.Location, f.RecordCount); err != nil {
				return err
			}
		}
		x.note(c)
	}
	return nil
}

// remove removes data files in a transaction.
func (w *World) remove(ctx context.Context, c command) (string, error) {
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	targets, err := w.targets(ctx, c, c.names)
	if err != nil {
		return "", err
	}
	x.txn.Remove(targets...)
	x.removes(targets)
	return "", nil
}

// removes tells the model of files to remove; to name one twice is to name it once.
func (x *writer) removes(targets []commit.Target) {
	for _, t := range targets {
		known := slices.ContainsFunc(x.intent.changes, func(c change) bool { return c.location == t.Location && c.removed })
		if !known {
			x.note(change{location: t.Location, removed: true})
		}
	}
}

// rewrites tells the model of files to remove whose rows new files hold, as of a snapshot.
func (x *writer) rewrites(targets []commit.Target, asOf int64) {
	x.removes(targets)
	x.intent.changes = slices.Clone(x.intent.changes)
	for i := range x.intent.changes {
		c := &x.intent.changes[i]
		if c.removed && slices.ContainsFunc(targets, func(t commit.Target) bool { return t.Location == c.location }) {
			c.rewritten, c.asOf = true, asOf
		}
	}
}

// replace removes files and adds those that hold what stays of their rows.
func (w *World) replace(ctx context.Context, c command) (string, error) {
	x, targets, files, err := w.rewriting(ctx, c, "with")
	if err != nil {
		return "", err
	}
	x.txn.Replace(targets, files...)
	x.rewrites(targets, 0)
	return "", x.adds(ctx, files)
}

// compact rewrites files into others that hold the same rows, as a snapshot shows them.
func (w *World) compact(ctx context.Context, c command) (string, error) {
	x, targets, files, err := w.rewriting(ctx, c, "into")
	if err != nil {
		return "", err
	}
	asOf, err := c.number("asof", x.txn.Base().Tree.Origin.SnapshotID)
	if err != nil {
		return "", err
	}
	x.txn.Rewrite(targets, files, asOf)
	x.rewrites(targets, asOf)
	if s, ok := x.txn.Base().Metadata.Snapshot(asOf); ok {
		for i := range files {
			files[i].DataSequenceNumber.Val, files[i].DataSequenceNumber.Valid = s.SequenceNumber, true
		}
	}
	return "", x.adds(ctx, files)
}

// rewriting reads the files before a word and those behind it.
func (w *World) rewriting(ctx context.Context, c command, word string) (x *writer, old []commit.Target, files []tree.File, err error) {
	x = w.by(c)
	i := slices.Index(c.names, word)
	if i < 0 {
		return nil, nil, nil, fmt.Errorf("want files, %s, and the files that replace them", word)
	}
	if files, err = w.files(c, c.names[i+1:]); err != nil {
		return nil, nil, nil, err
	}
	if err = x.begun(ctx); err != nil {
		return nil, nil, nil, err
	}
	old, err = w.targets(ctx, c, c.names[:i])
	return x, old, files, err
}

// setDV gives files a deletion vector.
func (w *World) setDV(ctx context.Context, c command) (string, error) {
	return "", w.deleteRows(ctx, c, (*commit.Txn).SetDV)
}

// extendDV deletes rows of files on top of those that are deleted.
func (w *World) extendDV(ctx context.Context, c command) (string, error) {
	return "", w.deleteRows(ctx, c, (*commit.Txn).ExtendDV)
}

func (w *World) deleteRows(ctx context.Context, c command, do func(*commit.Txn, commit.Target, dv.Vector, commit.DVOptions)) error {
	text, _ := c.option("rows")
	rows, err := dv.ParseText(text)
	if err != nil {
		return err
	}
	var o commit.DVOptions
	if o.MergeRaced, err = c.yes("merge"); err != nil {
		return err
	}
	if o.KeepEmptied, err = c.yes("keep"); err != nil {
		return err
	}
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return err
	}
	targets, err := w.targets(ctx, c, c.names)
	for _, t := range targets {
		do(x.txn, t, rows, o)
		x.deletes(change{location: t.Location, rows: rows, keep: o.KeepEmptied, merge: o.MergeRaced})
	}
	return err
}

// deletes tells the model of rows to delete; those of several calls for one file add up.
func (x *writer) deletes(c change) {
	for i, earlier := range x.intent.changes {
		if earlier.location == c.location && !earlier.rows.IsEmpty() {
			x.intent.changes = slices.Clone(x.intent.changes)
			x.intent.changes[i].rows, x.intent.changes[i].merge = earlier.rows.Union(c.rows), earlier.merge && c.merge
			return
		}
	}
	x.note(c)
}

// refresh replaces the statistics of files.
func (w *World) refresh(ctx context.Context, c command) (string, error) {
	text, _ := c.option("stats")
	doc, err := treetext.Parse("loose ADDED file stats=" + text)
	if err != nil {
		return "", err
	}
	stats := doc.Tree.Rows[0].Stats
	seen, err := c.number("at", 0)
	if err != nil {
		return "", err
	}
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	targets, err := w.targets(ctx, c, c.names)
	for _, t := range targets {
		x.txn.Refresh(t, stats)
		x.note(change{location: t.Location, stats: fmt.Sprint(stats.Settled()), seen: seen})
	}
	return "", err
}

// deleteWhere removes the files that a filter matches.
func (w *World) deleteWhere(ctx context.Context, c command) (string, error) {
	return w.filter(ctx, c, func(x *writer, filter *match.Filter) error {
		base := x.txn.Base().Tree
		for l, err := range tree.Live(ctx, base, tree.Full, w.codec.Leaves(w.objects)) {
			if err != nil {
				return err
			}
			if filter.MustMatch(l.Entry) {
				x.removes([]commit.Target{commit.At(l)})
			}
		}
		return nil
	})
}

// depend says that the transaction was made from what a filter selects.
func (w *World) depend(ctx context.Context, c command) (string, error) {
	return w.filter(ctx, c, nil)
}

// filter gives a filter to a transaction; removes, if set, tells the model what it removes.
func (w *World) filter(ctx context.Context, c command, removes func(*writer, *match.Filter) error) (string, error) {
	if len(c.names) != 1 {
		return "", errors.New("want a filter in quotes")
	}
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	m := x.txn.Base().Metadata
	expr, err := match.Parse(c.names[0], m.Schema())
	if err != nil {
		return "", err
	}
	bound, boundErr := match.New(expr, m.Schema(), m.Specs)
	if boundErr == nil {
		x.intent.filters = append(slices.Clone(x.intent.filters), dependence{bound, removes != nil})
	}
	if removes == nil {
		x.txn.DependOn(expr)
		return "", nil
	}
	x.txn.DeleteWhere(expr)
	if boundErr != nil {
		return "", boundErr
	}
	return "", removes(x, bound)
}

// restore makes the live files of an older snapshot the live ones.
func (w *World) restore(ctx context.Context, c command) (string, error) {
	if len(c.names) != 1 {
		return "", errors.New("want one snapshot")
	}
	id, err := strconv.ParseInt(c.names[0], 10, 64)
	if err != nil {
		return "", err
	}
	x := w.by(c)
	if err := x.begun(ctx); err != nil {
		return "", err
	}
	x.txn.Restore(id)
	x.note(change{restored: id})
	return "", nil
}

// fold has the policy rewrite leaves one by one.
func (w *World) fold(ctx context.Context, c command) (string, error) {
	return w.rewriteLeaves(ctx, c, func(leaves []string) (wishes []rewriteWish) {
		for _, name := range leaves {
			wishes = append(wishes, rewriteWish{leaves: []string{name}})
		}
		return wishes
	})
}

// merge has the policy rewrite leaves into one, with the loose files or without.
func (w *World) merge(ctx context.Context, c command) (string, error) {
	text, given := c.option("with")
	if given && text != "loose" {
		return "", errors.New("want with=loose or no such option")
	}
	return w.rewriteLeaves(ctx, c, func(leaves []string) []rewriteWish { return []rewriteWish{{leaves, given}} })
}

func (w *World) rewriteLeaves(ctx context.Context, c command, wishes func(leaves []string) []rewriteWish) (string, error) {
	x := w.by(c)
	if x.txn == nil {
		o := commit.TxnOptions{CheckDuplicates: true, Mode: policy.Maintenance, Policy: new(scripted)}
		if err := x.begin(ctx, o); err != nil {
			return "", err
		}
	}
	if x.script == nil {
		return "", errors.New("want a transaction that was begun with policy=scripted")
	}
	var leaves []string
	for _, name := range c.names {
		leaves = append(leaves, w.names.full(name))
	}
	x.script.wishes = append(x.script.wishes, wishes(leaves)...)
	return "", nil
}
