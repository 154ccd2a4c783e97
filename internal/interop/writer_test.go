package interop_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// writer makes the commits of one table in a local folder. Its data files exist only as entries.
type writer struct {
	t     *testing.T
	table *commit.Table
	// columns are those of the table, meta its metadata before the first commit.
	columns []iceberg.NestedField
	meta    metadata.Table
	files   int
	// dvs says that files are born with a deletion vector.
	dvs bool
}

// newWriter creates a table below dir. Its root holds at most rows rows, if rows is not 0.
func newWriter(t *testing.T, dirName, name string, rows int, columns []iceberg.NestedField, partitions ...string) *writer {
	t.Helper()
	properties := map[string]string{"firn.policy": "never"}
	if rows > 0 {
		properties = map[string]string{"firn.policy": "cap", "firn.policy.rows": fmt.Sprint(rows)}
	}
	location := "file://" + filepath.Join(dirName, name)
	m, err := metadata.New(metadata.NewTable{
		UUID: uuid.New(), Location: location, Schema: iceberg.NewSchema(0, columns...), Properties: properties, TimestampMillis: 1,
	})
	for _, text := range partitions {
		var spec iceberg.PartitionSpec
		if spec, err = metadata.ParsePartition(text, m.Schema()); err == nil {
			m, err = m.WithSpec(spec)
		}
		must(t, err)
	}
	must(t, err)
	table, err := commit.Create(t.Context(), store.TableID{Namespace: "scenarios", Name: name}, &mem.Catalog{}, dir.New(), m, commit.Options{})
	must(t, err)
	return &writer{t: t, table: table, columns: columns, meta: m}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file returns a new data file with statistics of all columns. With a spec its partition values are samples of the
// types that the spec's transforms give.
func (w *writer) file(name string, spec ...iceberg.PartitionSpec) tree.File {
	n := w.files
	w.files++
	f := tree.File{
		Location: w.meta.Location.Val + "/data/" + name, Format: "parquet",
		RecordCount: int64(10 + n), FileSizeBytes: int64(1000 + n), SplitOffsets: []int64{4, 500},
	}
	for _, c := range w.columns {
		f.Stats = append(f.Stats, statsOf(c, n, f.RecordCount))
	}
	for _, s := range spec {
		f.SpecID, f.Partition = some(int32(s.ID())), tree.Tuple{}
		for i, field := range s.Fields() {
			typ, _ := w.meta.Schema().FindTypeByID(field.SourceID())
			number := n + i
			if _, identity := field.Transform.(iceberg.IdentityTransform); identity {
				number = n // a bound of the column, see statsOf
			}
			if v := sample(field.Transform.ResultType(typ), number); n%5 != 4 {
				f.Partition = append(f.Partition, tree.PartitionValue{FieldID: field.FieldID, Value: v})
			}
		}
	}
	if w.dvs {
		f.DeletionVector = some(tree.DeletionVector{
			Location: w.meta.Location.Val + "/data/" + name + ".puffin", OffsetBytes: 4, SizeBytes: 40, Cardinality: 2})
	}
	return f
}

// numbered returns n new files, called after their number.
func (w *writer) numbered(n int, spec ...iceberg.PartitionSpec) []tree.File {
	var files []tree.File
	for range n {
		files = append(files, w.file(fmt.Sprintf("f%03d.parquet", w.files), spec...))
	}
	return files
}

func (w *writer) append(files ...tree.File) {
	w.commit(func(x *commit.Txn) { x.Append(files...) })
}

func (w *writer) remove(numbers ...int) {
	w.commit(func(x *commit.Txn) { x.Remove(targets(numbers)...) })
}

func (w *writer) replace(numbers []int, by ...tree.File) {
	w.commit(func(x *commit.Txn) { x.Replace(targets(numbers), by...) })
}

func (w *writer) commit(change func(*commit.Txn)) {
	w.t.Helper()
	x, err := w.table.Begin(w.t.Context(), commit.TxnOptions{CheckDuplicates: true})
	must(w.t, err)
	change(x)
	_, err = x.Commit(w.t.Context())
	must(w.t, err)
}

// targets names files by their numbers.
func targets(numbers []int) []commit.Target {
	var list []commit.Target
	for _, n := range numbers {
		list = append(list, commit.Target{Location: fmt.Sprintf("data/f%03d.parquet", n)})
	}
	return list
}

// shape returns the rows of a root in a few words: each pointer as leaf(rows), leaf(rows-masked) or, if it holds only
// tombstones, leaf(rows dead), with dead in front where it is DELETED; then how many data rows are live and dead.
func shape(root tree.Tree) string {
	var parts []string
	live, dead := 0, 0
	for _, e := range root.Rows {
		switch {
		case e.Manifest.Valid && !e.Tracking.Status.Live():
			parts = append(parts, fmt.Sprintf("dead leaf(%d)", e.RecordCount))
		case e.Manifest.Valid:
			parts = append(parts, leafShape(e))
		case e.Tracking.Status.Live():
			live++
		default:
			dead++
		}
	}
	if live > 0 {
		parts = append(parts, fmt.Sprintf("%d loose", live))
	}
	if dead > 0 {
		parts = append(parts, fmt.Sprintf("%d dead", dead))
	}
	return strings.Join(parts, " ")
}

func leafShape(pointer tree.Entry) string {
	info := pointer.Manifest.Val
	switch {
	case int64(info.DeletedFiles)+int64(info.ReplacedFiles) == pointer.RecordCount:
		return fmt.Sprintf("leaf(%d dead)", pointer.RecordCount)
	case info.DV == nil:
		return fmt.Sprintf("leaf(%d)", pointer.RecordCount)
	}
	masked, err := mdv.HeaderCardinality(info.DV)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("leaf(%d-%d)", pointer.RecordCount, masked)
}
