package maintain_test

import (
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/maintain"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/simple"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// partitioned is a file of spec 0 with a day, or of spec 1 with none.
func partitioned(n int, spec int32, day tree.Tuple) tree.File {
	f := testtable.File(n)
	f.SpecID, f.Partition = iceberg.Optional[int32]{Val: spec, Valid: true}, day
	return f
}

// TestB47 expires the snapshots of a table that has dropped the column of an old partition spec; and of one that has lost
// the schema with that column too.
func TestB47(t *testing.T) {
	day := tree.Tuple{{FieldID: 1000, Value: tree.Date(19723)}}
	w := &world{T: t, Store: testtable.Store{Objects: &mem.Objects{}, Catalog: &mem.Catalog{}}}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "ts", Type: iceberg.PrimitiveTypes.Timestamp},
		iceberg.NestedField{ID: 6, Name: "day", Type: iceberg.PrimitiveTypes.Date})
	spec, err := metadata.ParsePartition("day", schema)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.MustParse("11111111-2222-3333-4444-555555555555"), Location: testtable.Location, Schema: schema, Spec: spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.table, err = commit.Create(t.Context(), testtable.ID, w.Catalog, w.Objects, m, commit.Options{Env: testtable.Env(1)})
	if err != nil {
		t.Fatal(err)
	}
	byTime, err := metadata.ParsePartitionField("day(ts)")
	if err != nil {
		t.Fatal(err)
	}
	w.update(func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSpec(metadata.DropPartitionField{Name: "day"}, byTime)
	})
	w.put(file(1), file(2), file(3))
	w.commit(commit.TxnOptions{Policy: push}, func(x *commit.Txn) {
		x.Append(partitioned(1, 0, day), partitioned(2, 1, tree.Tuple{}))
	})
	w.update(func(m metadata.Table) (metadata.Table, error) {
		return m.EvolveSchema(metadata.DropColumn{Column: "day"})
	})
	w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(partitioned(3, 1, tree.Tuple{})) })
	w.remove(2)
	w.fold()
	w.deleteRows(5, 1)

	check := func() {
		t.Helper()
		r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
		if len(r.Snapshots) == 0 {
			t.Error("nothing went")
		}
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
		same(t, "left over", w.checkReachable())
		kept := false
		for l, err := range w.table.Files(t.Context(), w.head(), tree.Full) {
			if err != nil {
				t.Fatal(err)
			}
			kept = kept || l.Location == file(1) && slices.Equal(l.Entry.Partition, day)
		}
		if !kept {
			t.Error("file 1 has lost its day")
		}
	}
	check()
	if n := len(w.head().Metadata.Schemas); n != 2 {
		t.Errorf("%d schemas: an expiry removes none", n)
	}
	w.put(file(4))
	w.commit(commit.TxnOptions{Policy: simple.Never{}}, func(x *commit.Txn) { x.Append(partitioned(4, 1, tree.Tuple{})) })
	w.update(func(m metadata.Table) (metadata.Table, error) {
		m.Schemas = m.Schemas[1:]
		m.Snapshots = slices.Clone(m.Snapshots)
		for i := range m.Snapshots {
			m.Snapshots[i].SchemaID.Val = m.CurrentSchemaID
		}
		return m, nil
	})
	w.table = w.Open(8, nil)
	r := w.expire(maintain.ExpireOptions{Policy: keep(1)})
	if len(r.Snapshots) != 1 {
		t.Errorf("%+v", r)
	}
	same(t, "left over", w.checkReachable())
}
