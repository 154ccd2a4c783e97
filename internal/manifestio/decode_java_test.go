package manifestio_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// javaManifests returns the paths of all manifests that Java wrote.
func javaManifests(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/java-v4/*/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return paths
}

// TestJavaManifests compares every value of every manifest with what pyarrow reads.
func TestJavaManifests(t *testing.T) {
	for _, path := range javaManifests(t) {
		t.Run(strings.TrimPrefix(path, "testdata/java-v4/"), func(t *testing.T) {
			golden, err := os.ReadFile(strings.TrimSuffix(path, ".parquet") + ".tsv")
			if err != nil {
				t.Fatal(err)
			}
			r := openFile(t, path)
			var got strings.Builder
			for row, err := range r.Rows(tree.Full) {
				if err != nil {
					t.Fatal(err)
				}
				dumpEntry(&got, row)
			}
			want := strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n")
			want = slices.DeleteFunc(want, func(line string) bool { return strings.HasSuffix(line, "\t146") })
			if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(got.String(), "\n"), "\n")); diff != "" {
				t.Errorf("pyarrow -, firn +:\n%s", diff)
			}
			if v, ok := r.FormatVersion(); v != 4 || !ok {
				t.Errorf("format version %d, %t", v, ok)
			}
			if v, ok := r.SchemaID(); v != 0 || !ok {
				t.Errorf("schema id %d, %t", v, ok)
			}
		})
	}
}

// openFile opens a manifest with default limits.
func openFile(t testing.TB, path string) *manifestio.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := manifestio.Open(f, info.Size(), path, manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// line is a struct of an entry in the notation of testdata/java-v4/dump.py.
type line struct {
	path    string
	members []string
	ids     []int
}

// add appends a member.
func (l *line) add(id int, value string) {
	l.members = append(l.members, fmt.Sprintf("%d=%s", id, value))
	l.ids = append(l.ids, id)
}

// long, integer and bytes append a member unless it is null.
func (l *line) long(id int, v iceberg.Optional[int64]) {
	if v.Valid {
		l.add(id, strconv.FormatInt(v.Val, 10))
	}
}

func (l *line) integer(id int, v iceberg.Optional[int32]) {
	if v.Valid {
		l.add(id, strconv.FormatInt(int64(v.Val), 10))
	}
}

func (l *line) bytes(id int, v []byte) {
	if v != nil {
		l.add(id, hex.EncodeToString(v))
	}
}

func (l *line) value(id int, v tree.Value) {
	switch v.Kind() {
	case tree.KindNull:
	case tree.KindBool:
		l.add(id, strconv.FormatBool(v.Number() != 0))
	case tree.KindFloat:
		l.add(id, hex.EncodeToString(binary.BigEndian.AppendUint32(nil, uint32(v.Number()))))
	case tree.KindDouble:
		l.add(id, hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(v.Number()))))
	case tree.KindString:
		l.add(id, quoted(v.Bytes()))
	case tree.KindBinary, tree.KindFixed, tree.KindUUID:
		l.add(id, hex.EncodeToString([]byte(v.Bytes())))
	case tree.KindDecimal:
		n, _ := v.Unscaled()
		l.add(id, n.String())
	default:
		l.add(id, strconv.FormatInt(v.Number(), 10))
	}
}

// quoted is a string as JSON without the quotes.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// print writes the line with its members by ascending id.
func (l *line) print(b *strings.Builder, row int64) {
	order := make([]int, len(l.ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return l.ids[x] - l.ids[y] })
	fmt.Fprintf(b, "%d\t%s", row, l.path)
	for _, i := range order {
		b.WriteString("\t" + l.members[i])
	}
	b.WriteByte('\n')
}

// dumpEntry prints an entry by field id, with the ids written out once more rather than taken from the code
// under test.
func dumpEntry(b *strings.Builder, row tree.Row) {
	e := row.Entry
	top := line{}
	top.add(100, quoted(e.Location))
	top.add(101, quoted(e.FileFormat))
	top.add(103, fmt.Sprint(e.RecordCount))
	top.add(104, fmt.Sprint(e.FileSizeBytes))
	top.bytes(131, e.KeyMetadata)
	if e.SplitOffsets != nil {
		top.add(132, strings.ReplaceAll(fmt.Sprint(e.SplitOffsets), " ", ","))
	}
	top.add(134, fmt.Sprint(int(e.Content)-int(tree.Data)))
	top.integer(140, e.SortOrderID)
	top.integer(141, e.SpecID)
	top.print(b, row.Position)
	if e.Partition != nil {
		l := line{path: "102"}
		for _, v := range e.Partition {
			l.value(v.FieldID, v.Value)
		}
		l.print(b, row.Position)
	}
	for _, s := range e.Stats {
		dumpStats(b, row.Position, s)
	}
	dumpStructs(b, row)
	for _, f := range e.Foreign {
		fmt.Fprintf(b, "%d\tforeign %d of %d\n", row.Position, f.Type.ID, f.Parent)
	}
}

// dumpStats prints the statistics of one column.
func dumpStats(b *strings.Builder, row int64, s tree.FieldStats) {
	base := 10000 + 200*s.FieldID
	l := line{path: fmt.Sprintf("146.%d", base)}
	if s.Lower.Kind() != tree.KindGeo {
		l.value(base+1, s.Lower)
	}
	if s.Upper.Kind() != tree.KindGeo {
		l.value(base+2, s.Upper)
	}
	if s.Tight.Valid {
		l.add(base+3, strconv.FormatBool(s.Tight.Val))
	}
	l.long(base+4, s.ValueCount)
	l.long(base+5, s.NullCount)
	l.long(base+6, s.NaNCount)
	l.integer(base+7, s.AvgSizeBytes)
	l.print(b, row)
	for i, v := range []tree.Value{s.Lower, s.Upper} {
		if v.Kind() == tree.KindGeo {
			corner := line{path: fmt.Sprintf("146.%d.%d", base, base+1+i)}
			var axes [4]float64
			axes[0], axes[1], axes[2], axes[3] = v.GeoCorner()
			for j, a := range axes {
				if !math.IsNaN(a) {
					corner.value(base+10+4*i+j, tree.Double(a))
				}
			}
			corner.print(b, row)
		}
	}
}

// dumpStructs prints tracking, deletion_vector and manifest_info.
func dumpStructs(b *strings.Builder, row tree.Row) {
	t := row.Entry.Tracking
	l := line{path: "147"}
	l.add(0, fmt.Sprint(int(t.Status)-int(tree.Existing)))
	l.long(1, t.SnapshotID)
	l.long(3, t.SequenceNumber)
	l.long(4, t.FileSequenceNumber)
	l.long(5, t.ModifiedSnapshotID)
	l.bytes(6, t.DeletedPositions)
	l.bytes(7, t.ReplacedPositions)
	l.long(8, t.SnapshotTimestampMicros)
	l.long(142, t.FirstRowID)
	l.print(b, row.Position)
	if dv := row.Entry.DeletionVector; dv.Valid {
		l := line{path: "148"}
		l.add(155, quoted(dv.Val.Location))
		l.add(144, fmt.Sprint(dv.Val.OffsetBytes))
		l.add(145, fmt.Sprint(dv.Val.SizeBytes))
		l.add(156, fmt.Sprint(dv.Val.Cardinality))
		l.bytes(149, dv.Val.KeyMetadata)
		l.print(b, row.Position)
	}
	if m := row.Entry.Manifest; m.Valid {
		l := line{path: "150"}
		for _, c := range []struct {
			id int
			n  int64
		}{
			{504, int64(m.Val.AddedFiles)}, {505, int64(m.Val.ExistingFiles)}, {506, int64(m.Val.DeletedFiles)},
			{523, int64(m.Val.ReplacedFiles)}, {525, int64(m.Val.ModifiedFiles)}, {512, m.Val.AddedRows},
			{513, m.Val.ExistingRows}, {514, m.Val.DeletedRows}, {524, m.Val.ReplacedRows},
			{526, m.Val.ModifiedRows}, {516, m.Val.MinSequenceNumber}, {521, int64(m.Val.FormatVersion)},
		} {
			l.add(c.id, fmt.Sprint(c.n))
		}
		l.bytes(522, m.Val.DV)
		l.print(b, row.Position)
	}
}
