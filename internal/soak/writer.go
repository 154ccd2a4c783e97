package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// fileRows is how many rows each data file has.
const fileRows = 100

// create makes the table.
func (r *run) create(ctx context.Context) error {
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.New(), Location: r.Location, TimestampMillis: 1,
		Schema: iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64}),
		Properties: map[string]string{
			choose.PropertyPolicy: "cap", choose.PropertyRows: "20",
			"commit.retry.num-retries": "15", "commit.retry.min-wait-ms": "2", "commit.retry.max-wait-ms": "300",
			metadata.PropertyPreviousVersionsMax: "200", metadata.PropertyDeleteAfterCommit: "true",
		},
	})
	if err != nil {
		return err
	}
	_, err = commit.Create(ctx, tableID, r.Catalog, r.meter, m, commit.Options{})
	return err
}

// writer is one of the programs that work on the table.
type writer struct {
	*run
	name   string
	random *rand.Rand
	table  *commit.Table
	files  int // made so far
}

// action is one kind of change. It adds the change to a transaction and notes it.
type action struct {
	name   string
	weight int
	do     func(w *writer, ctx context.Context) error
}

// actions are what writers do, by how often.
var actions = []action{
	{"append", 45, (*writer).append},
	{"remove", 12, (*writer).remove},
	{"delete rows", 22, (*writer).deleteRows},
	{"compact", 6, (*writer).compact},
	{"schema", 2, (*writer).evolve},
	{"maintain", 10, (*writer).maintain},
	{"expire", 3, (*writer).expire},
}

func (w *writer) step(ctx context.Context) error {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	n := w.random.IntN(total)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			if err := a.do(w, ctx); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			return nil
		}
	}
	return nil
}

// change collects a transaction: from the state it begins on, what it is to do and what the ledger is to say.
type change func(x *commit.Txn) ([]entry, error)

// commit commits a change, again as it is while it is exhausted, and notes what became of it.
func (w *writer) commit(ctx context.Context, kind string, o commit.TxnOptions, collect change) error {
	for {
		x, err := w.table.Begin(ctx, o)
		if err != nil {
			return err
		}
		entries, err := collect(x)
		if errors.Is(err, store.ErrNotFound) {
			continue // the state expired while it was read
		}
		if err != nil || entries == nil && o.Mode != policy.Maintenance {
			return err
		}
		result, err := x.Commit(ctx)
		switch w.log.note(kind, result, entries, err); {
		case errors.Is(err, commit.ErrExhausted):
			continue
		case errors.Is(err, commit.ErrConflict):
			return nil
		case errors.Is(err, commit.ErrUnknown):
			return w.settle(ctx, kind, entries, err)
		case err != nil:
			return err
		}
		if !result.NoOp {
			w.left.Add(-1)
		}
		return nil
	}
}

// settle asks for the outcome of a commit that is not known.
func (w *writer) settle(ctx context.Context, kind string, entries []entry, err error) error {
	var unknown *commit.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	for range 100 {
		outcome, askErr := w.table.Outcome(ctx, unknown.Token)
		if askErr != nil || outcome == commit.Unknown {
			continue
		}
		if outcome == commit.Committed {
			return fmt.Errorf("a commit that was unknown is there after all, which the ledger cannot place: %w", err)
		}
		return nil
	}
	return err
}

// newFile writes the object of a new data file.
func (w *writer) newFile(ctx context.Context) (tree.File, error) {
	w.files++
	name := fmt.Sprintf("%s/data/%s-%05d.parquet", w.Location, w.name, w.files)
	if err := w.meter.Put(ctx, name, []byte("rows of "+name)); err != nil {
		return tree.File{}, err
	}
	return tree.File{
		Location: name, Format: "parquet", RecordCount: fileRows, FileSizeBytes: int64(len("rows of " + name)),
	}, nil
}

func (w *writer) newFiles(ctx context.Context, n int) ([]tree.File, []entry, error) {
	var files []tree.File
	var entries []entry
	for range n {
		f, err := w.newFile(ctx)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
		entries = append(entries, entry{location: f.Location, added: true})
	}
	return files, entries, nil
}

func (w *writer) append(ctx context.Context) error {
	files, entries, err := w.newFiles(ctx, 1+w.random.IntN(3))
	if err != nil {
		return err
	}
	return w.commit(ctx, "append", commit.TxnOptions{CheckDuplicates: w.random.IntN(2) == 0}, func(x *commit.Txn) ([]entry, error) {
		x.Append(files...)
		return entries, nil
	})
}

// pick returns up to n live files, as hints or by name alone.
func (w *writer) pick(ctx context.Context, x *commit.Txn, n int) ([]tree.Located, []commit.Target, error) {
	var live []tree.Located
	for l, err := range w.table.Files(ctx, x.Base(), tree.Full) {
		if err != nil {
			return nil, nil, err
		}
		live = append(live, l)
	}
	if len(live) < 2*n {
		return nil, nil, nil
	}
	w.random.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	var targets []commit.Target
	for _, l := range live[:n] {
		if w.random.IntN(2) == 0 {
			targets = append(targets, commit.At(l))
		} else {
			targets = append(targets, commit.Target{Location: l.Location})
		}
	}
	return live[:n], targets, nil
}

func (w *writer) remove(ctx context.Context) error {
	return w.commit(ctx, "remove", commit.TxnOptions{}, func(x *commit.Txn) ([]entry, error) {
		_, targets, err := w.pick(ctx, x, 1+w.random.IntN(2))
		x.Remove(targets...)
		return removals(targets), err
	})
}

func removals(targets []commit.Target) []entry {
	var entries []entry
	for _, t := range targets {
		entries = append(entries, entry{location: t.Location, removed: true})
	}
	return entries
}

func (w *writer) deleteRows(ctx context.Context) error {
	return w.commit(ctx, "delete rows", commit.TxnOptions{}, func(x *commit.Txn) ([]entry, error) {
		_, targets, err := w.pick(ctx, x, 1+w.random.IntN(3))
		var entries []entry
		for _, t := range targets {
			rows, err := dv.Of(w.random.Uint64N(fileRows), w.random.Uint64N(fileRows))
			if err != nil {
				return nil, err
			}
			x.ExtendDV(t, rows, commit.DVOptions{MergeRaced: true})
			entries = append(entries, entry{location: t.Location, deleted: rows})
		}
		return entries, err
	})
}

// compact rewrites two files as one without their deleted rows.
func (w *writer) compact(ctx context.Context) error {
	f, err := w.newFile(ctx)
	if err != nil {
		return err
	}
	err = w.commit(ctx, "compact", commit.TxnOptions{}, func(x *commit.Txn) ([]entry, error) {
		_, targets, err := w.pick(ctx, x, 2)
		if len(targets) == 0 {
			return nil, err
		}
		x.Rewrite(targets, []tree.File{f}, x.Base().Tree.Origin.SnapshotID)
		return append(removals(targets), entry{location: f.Location, added: true}), err
	})
	return err
}

// evolve adds or drops a column.
func (w *writer) evolve(ctx context.Context) error {
	name := fmt.Sprintf("c_%s_%d", w.name, w.random.IntN(3))
	r, err := w.table.Update(ctx, func(m metadata.Table) (metadata.Table, error) {
		if _, there := m.Schema().FindFieldByName(name); there {
			return m.EvolveSchema(metadata.DropColumn{Column: name})
		}
		return m.EvolveSchema(metadata.AddColumn{Name: name, Type: iceberg.PrimitiveTypes.String})
	})
	return w.updated("schema", r, err)
}

// updated notes a change of the metadata.
func (w *writer) updated(kind string, r commit.Result, err error) error {
	w.log.note(kind, r, nil, err)
	switch {
	case errors.Is(err, commit.ErrExhausted), errors.Is(err, commit.ErrConflict):
		return nil
	case err != nil:
		return err
	}
	if !r.NoOp {
		w.left.Add(-1)
	}
	return nil
}

func (w *writer) maintain(ctx context.Context) error {
	o := commit.TxnOptions{Mode: policy.Maintenance, Policy: tidy{}}
	return w.commit(ctx, "maintain", o, func(*commit.Txn) ([]entry, error) { return nil, nil })
}

func (w *writer) expire(ctx context.Context) error {
	report, err := maintain.Expire(ctx, w.table, maintain.ExpireOptions{
		Policy: metadata.ExpiryPolicy{KeepLast: w.KeepLast, OlderThanMillis: iceberg.Optional[int64]{Val: 1 << 60, Valid: true}},
	})
	if err == nil && len(report.Failed) > 0 {
		err = report.Failed[0].Err
	}
	return w.updated("expire", report.Commit, err)
}

// tidy is a policy of maintenance: it folds a leaf a third of which is dead, and merges leaves of less than ten files.
type tidy struct{}

// Name implements [policy.Policy].
func (tidy) Name() string { return "tidy" }

// Plan implements [policy.Policy].
func (tidy) Plan(in policy.Input) (policy.Plan, error) {
	plan, _ := policy.Keep(in)
	if len(plan.Steps) > 0 {
		return plan, nil
	}
	var small []policy.Ref
	for i, p := range in.Pointers {
		ref := policy.Ref{Source: policy.FromPointers, Index: i}
		switch {
		case p.LiveEntries == 0 || p.Legacy:
		case p.LiveEntries < 10:
			small = append(small, ref)
		case 3*p.LiveEntries < 2*p.Entries:
			plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Fold, Members: []policy.Ref{ref}, Written: -1, Reason: "a third is dead"})
		}
	}
	if len(small) > 1 {
		plan.Steps = append(plan.Steps, policy.Step{Kind: policy.Merge, Members: small, Written: -1, Reason: "small leaves"})
	}
	return plan, nil
}
