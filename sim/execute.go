package sim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/tree"
)

// execute runs a program as the writer.
func (x *writer) execute(ctx context.Context, p Program) (commit.Result, error) {
	if p.transaction() {
		return x.transact(ctx, p)
	}
	op := p.Ops[0]
	switch op.Verb {
	case Expire:
		report, err := maintain.Expire(ctx, x.table, maintain.ExpireOptions{Policy: metadata.ExpiryPolicy{
			KeepLast: int(op.Number), OlderThanMillis: iceberg.Optional[int64]{Val: math.MaxInt64, Valid: true},
		}})
		if len(report.Warnings) > 0 { // another expiry took the manifests: what they reached is left to a clean-up
			x.run.disturbed = true
		}
		return report.Commit, err
	case CleanUp:
		_, err := maintain.Orphans(ctx, x.table, maintain.OrphanOptions{
			Delete: true, AgeMillis: iceberg.Optional[int64]{Val: op.Number, Valid: true}, Force: op.Number == 0,
		})
		return commit.Result{NoOp: true}, err
	case Ask:
		return commit.Result{NoOp: true}, x.ask(ctx)
	default:
		return x.update(ctx, op)
	}
}

// update changes the metadata alone. What the change says last, when it is made to another writer's metadata, is kept.
func (x *writer) update(ctx context.Context, op Op) (commit.Result, error) {
	first := true
	r := x.run
	return x.table.Update(ctx, func(m metadata.Table) (metadata.Table, error) {
		m, err := op.evolve(m, first)
		first, r.impossible = false, err
		return m, err
	})
}

// evolve is a change of the metadata alone. What is done already when it begins is left alone.
func (o Op) evolve(m metadata.Table, first bool) (metadata.Table, error) {
	switch o.Verb {
	case AddColumn:
		return m.EvolveSchema(metadata.AddColumn{
			Name: fmt.Sprintf("c%d", m.LastColumnID+1), Type: columnType(m.LastColumnID + 1),
		})
	case Require:
		return require(m), nil
	case Respec:
		return o.respec(m)
	case RollBack:
		if !m.CurrentSnapshotID.Valid {
			return m, nil
		}
		return m.MoveRef(metadata.MainBranch, ancestor(m, m.CurrentSnapshotID.Val, o.Number))
	case DropColumn:
		fields := m.Schema().Fields()
		if len(fields) == 1 {
			return m, nil
		}
		return m.EvolveSchema(metadata.DropColumn{Column: fields[len(fields)-1].Name})
	case Caps:
		return m.UpdateProperties(map[string]string{
			choose.PropertyPolicy: "cap", choose.PropertyRows: strconv.FormatInt(o.Number, 10),
		})
	case Choose:
		return m.UpdateProperties(chosen(o.Name, m.Properties))
	case Branch:
		if _, taken := m.Ref(o.Name); taken && first || !m.CurrentSnapshotID.Valid {
			return m, nil
		}
		return m.CreateRef(metadata.Ref{Name: o.Name, Type: metadata.Branch, SnapshotID: m.CurrentSnapshotID.Val})
	case MoveBranch:
		if _, there := m.Ref(o.Name); !there && first {
			return m, nil
		}
		return m.MoveRef(o.Name, m.CurrentSnapshotID.Val)
	case DropBranch:
		if _, there := m.Ref(o.Name); !there && first {
			return m, nil
		}
		return m.WithoutRef(o.Name)
	}
	return m, fmt.Errorf("%s changes no metadata", o.Verb)
}

// respec makes another partition spec the default one.
func (o Op) respec(m metadata.Table) (metadata.Table, error) {
	if o.Number < 0 || o.Number >= int64(len(specs)) {
		return m, fmt.Errorf("there is no spec %d", o.Number)
	}
	fields := m.Schema().Fields()
	spec, err := metadata.ParsePartition(strings.ReplaceAll(specs[o.Number], "last", fields[len(fields)-1].Name), m.Schema())
	if err != nil {
		return m, err
	}
	return m.WithSpec(spec)
}

// require adds a required column without a default, which this engine does not do by itself.
func require(m metadata.Table) metadata.Table {
	m.LastColumnID++
	fields := append(slices.Clone(m.Schema().Fields()), iceberg.NestedField{
		ID: m.LastColumnID, Name: fmt.Sprintf("c%d", m.LastColumnID), Type: iceberg.PrimitiveTypes.Int64, Required: true,
	})
	s := iceberg.NewSchema(len(m.Schemas), fields...)
	m.Schemas, m.CurrentSchemaID = append(slices.Clone(m.Schemas), s), s.ID
	return m
}

// transact runs a transaction.
func (x *writer) transact(ctx context.Context, p Program) (commit.Result, error) {
	o := commit.TxnOptions{Branch: p.Branch, CheckDuplicates: !p.Unchecked, MaxAttempts: x.world.config.Attempts}
	if p.Snapshot {
		o.Isolation = commit.SnapshotIsolation
	}
	if p.Maintenance {
		o.Mode = policy.Maintenance
		if !p.Own {
			o.Policy = Tidy{}
		}
	}
	txn, err := x.table.Begin(ctx, o)
	if err != nil {
		return commit.Result{}, err
	}
	base := txn.Base()
	in := intent{program: p, base: base.Tree.Origin.SnapshotID, began: base.MetadataLocation, baseSequence: base.Tree.SequenceNumber,
		schemaID: base.Metadata.CurrentSchemaID, columns: measured(base.Metadata.Schema(), x.world.config.Profile.Measured),
		spec: specID(base.Metadata.Spec()), limits: x.world.limits}
	x.run.intent = in // the base is needed from here on
	for _, op := range p.Ops {
		if op.Verb == Restore {
			in.restored = ancestor(base.Metadata, in.base, op.Number)
		}
		if err := x.change(ctx, txn, op, in); err != nil {
			return commit.Result{}, err
		}
	}
	x.run.intent = in
	return txn.Commit(ctx)
}

// ancestor returns the id of the snapshot so many before another, or of the oldest that is retained.
func ancestor(m metadata.Table, id, back int64) int64 {
	for s := range m.Ancestors(id) {
		id = s.ID
		if back--; back < 0 {
			break
		}
	}
	return id
}

// change makes one step of a transaction.
func (x *writer) change(ctx context.Context, txn *commit.Txn, op Op, in intent) error {
	targets, err := x.targets(ctx, txn, op)
	if err != nil {
		return err
	}
	files, err := x.files(op, txn.Base().Metadata)
	if err != nil {
		return err
	}
	if err := x.writeData(ctx, files); err != nil {
		return err
	}
	switch op.Verb {
	case Add:
		txn.Append(files...)
	case Remove:
		txn.Remove(targets...)
	case Replace:
		txn.Replace(targets, files...)
	case Compact:
		txn.Rewrite(targets, files, in.base)
	case Delete:
		for _, t := range targets {
			txn.ExtendDV(t, op.Rows, commit.DVOptions{MergeRaced: op.Merge, KeepEmptied: op.Keep})
		}
	case Refresh:
		for i, t := range targets {
			txn.Refresh(t, x.better(txn.Base().Metadata, in.base, op.Files[i]))
		}
	case Where:
		txn.DeleteWhere(between(op.Lower, op.Upper))
	case Depend:
		txn.DependOn(between(op.Lower, op.Upper))
	case Restore:
		txn.Restore(in.restored)
	}
	return nil
}

// between is the filter of the rows whose id is from lower to below upper.
func between(lower, upper int64) iceberg.BooleanExpression {
	id := iceberg.Reference(idColumn)
	return iceberg.NewAnd(iceberg.GreaterThanEqual(id, lower), iceberg.LessThan(id, upper))
}

// targets names the files of a step: by location alone, or as a scan of the base finds them.
func (x *writer) targets(ctx context.Context, txn *commit.Txn, op Op) ([]commit.Target, error) {
	var targets []commit.Target
	for _, n := range op.Files {
		targets = append(targets, commit.Target{Location: locationOf(n)})
	}
	if !op.Hint {
		return targets, nil
	}
	wanted := make(map[string]int)
	for i, t := range targets {
		wanted[t.Location] = i
	}
	some, err := x.holding(ctx, txn.Base().Tree, spellings(targets))
	if err != nil {
		return nil, err
	}
	for l, err := range tree.Live(ctx, some, tree.Full, x.table.Leaves()) {
		if err != nil {
			return nil, err
		}
		if i, ok := wanted[l.Location]; ok {
			targets[i] = commit.At(l)
			if delete(wanted, l.Location); len(wanted) == 0 {
				break
			}
		}
	}
	return targets, nil
}

// holding returns a tree without the leaves that cannot hold some files, as a scan with a filter leaves them out.
func (x *writer) holding(ctx context.Context, t tree.Tree, stored []string) (tree.Tree, error) {
	leaves := x.world.codec.Leaves(x.table.Objects())
	t.Rows = slices.Clone(t.Rows)
	for i := range t.Rows {
		e := &t.Rows[i]
		if !e.Content.IsManifest() || !e.Tracking.Status.Live() {
			continue
		}
		excluded, err := leaves.Excludes(ctx, t.Origin, *e, stored)
		if err != nil {
			return t, err
		}
		if excluded {
			e.Tracking.Status = tree.Deleted
		}
	}
	return t, nil
}

// spellings returns, sorted, how the locations of files may be stored.
func spellings(targets []commit.Target) []string {
	var stored []string
	for _, t := range targets {
		stored = append(stored, t.Location, tree.Relativize(tableLocation, t.Location))
	}
	slices.Sort(stored)
	return slices.Compact(stored)
}

// files returns the files that a step adds, as the table has its columns and its partition spec at the time.
func (x *writer) files(op Op, m metadata.Table) ([]tree.File, error) {
	if !verbs[op.Verb].news {
		return nil, nil
	}
	all, some, spec := m.Schema().Fields(), measured(m.Schema(), x.world.config.Profile.Measured), m.Spec()
	sources := make(map[int]iceberg.NestedField)
	for _, c := range all {
		sources[c.ID] = c
	}
	files := make([]tree.File, 0, op.New.Last-op.New.First+1)
	for n := op.New.First; n <= op.New.Last; n++ {
		partition, err := partitionOf(n, spec, sources)
		if err != nil {
			return nil, err
		}
		files = append(files, tree.File{
			Location: locationOf(n), Format: "parquet", RecordCount: op.Records, FileSizeBytes: sizeOf(n),
			SpecID: iceberg.Optional[int32]{Val: int32(spec.ID()), Valid: partition != nil}, Partition: partition,
			Stats: statsOf(all, some, n, op.Records, 0),
		})
	}
	return files, nil
}

// writeData writes the data files, where the world has any.
func (x *writer) writeData(ctx context.Context, files []tree.File) error {
	if !x.world.config.DataFiles {
		return nil
	}
	for _, f := range files {
		if err := x.table.Objects().Put(ctx, f.Location, nil); err != nil {
			return err
		}
	}
	return nil
}

// better returns the statistics that a refresh gives to a file as the base has it.
func (x *writer) better(m metadata.Table, base, number int64) tree.Stats {
	f, _ := x.world.models[base].lookup(number)
	return statsOf(m.Schema().Fields(), f.columns, number, f.records, min(f.stats+1, mostStats))
}

// mostAsked is how often a program asks for an outcome that nothing proves.
const mostAsked = 20

// ask asks for the outcome of the transactions that ended without one. What the table's log does not tell any more it never will.
func (x *writer) ask(ctx context.Context) error {
	var still []question
	for _, q := range x.open {
		outcome, err := x.table.Outcome(ctx, q.token)
		switch {
		case err != nil:
			still = append(still, q)
		case outcome == commit.Unknown:
			if q.asked++; q.asked < mostAsked {
				still = append(still, q)
			}
		case outcome == commit.Committed:
			x.world.confirm(q.run)
		default:
			x.world.refute(q.run)
		}
	}
	x.open = still
	return nil
}

// vector returns the set of some row positions; positions of files that the simulator makes always fit.
func vector(positions ...uint64) dv.Vector {
	v, err := dv.Of(positions...)
	if err != nil {
		panic(err)
	}
	return v
}
