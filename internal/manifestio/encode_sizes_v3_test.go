package manifestio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"sort"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/policy/mergeappend"
	"github.com/firn-io/firn/tree"
)

// v3Snapshot is the snapshot that writes the manifests.
const v3Snapshot = 8271093846510000001

// v3Table is the table of FixedTable with the column that its partitions come from, which has no statistics.
func v3Table(columns int) (*iceberg.Schema, iceberg.PartitionSpec) {
	schema, _ := manifestio.FixedTable(columns)
	fields := append(schema.Fields(), iceberg.NestedField{ID: 999, Name: "event_time", Type: iceberg.PrimitiveTypes.TimestampTz})
	return iceberg.NewSchema(3, fields...), iceberg.NewPartitionSpec(iceberg.PartitionField{
		SourceIDs: []int{999}, FieldID: 1000, Name: "event_day", Transform: iceberg.DayTransform{},
	})
}

// v3Entries turns data files into entries of an Avro manifest, added ones or such as a merge carries.
func v3Entries(t *testing.T, spec iceberg.PartitionSpec, files []tree.Entry, existing bool) []iceberg.ManifestEntry {
	t.Helper()
	var entries []iceberg.ManifestEntry
	for _, f := range files {
		snapshot := f.Tracking.SnapshotID.Val
		b, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, "s3://warehouse/sales/events/"+f.Location, iceberg.ParquetFile,
			map[int]any{1000: iceberg.Date(f.Partition[0].Value.Number())}, map[int]string{1000: "date"}, nil, f.RecordCount, f.FileSizeBytes)
		if err != nil {
			t.Fatal(err)
		}
		sizes, values, nulls, nans := map[int]int64{}, map[int]int64{}, map[int]int64{}, map[int]int64{}
		lower, upper := map[int][]byte{}, map[int][]byte{}
		for i, s := range f.Stats {
			sizes[s.FieldID] = f.RecordCount * int64(3+i%5)
			values[s.FieldID], nulls[s.FieldID] = s.ValueCount.Val, s.NullCount.Val
			if s.NaNCount.Valid {
				nans[s.FieldID] = s.NaNCount.Val
			}
			lower[s.FieldID], upper[s.FieldID] = bound(t, s.Lower), bound(t, s.Upper)
		}
		b.ColumnSizes(sizes).ValueCounts(values).NullValueCounts(nulls).NaNValueCounts(nans).LowerBoundValues(lower).UpperBoundValues(upper)
		b.SplitOffsets(f.SplitOffsets).SortOrderID(int(f.SortOrderID.Val))
		if existing {
			b.FirstRowID(f.Tracking.FirstRowID.Val)
			sequence := f.Tracking.SequenceNumber.Val
			entries = append(entries, iceberg.NewManifestEntry(iceberg.EntryStatusEXISTING, &snapshot, &sequence, &sequence, b.Build()))
		} else {
			added := int64(v3Snapshot)
			entries = append(entries, iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &added, nil, nil, b.Build()))
		}
	}
	return entries
}

// inOrder puts the columns of a data file in order, as most writers have them: this library's builder takes them from maps, in any
// order, which compresses less.
func inOrder(file iceberg.DataFile) {
	fields := reflect.ValueOf(file).Elem()
	for _, name := range []string{"ColSizes", "ValCounts", "NullCounts", "NaNCounts", "LowerBounds", "UpperBounds"} {
		list := fields.FieldByName(name).Elem()
		sort.Slice(list.Interface(), func(i, j int) bool {
			return list.Index(i).FieldByName("Key").Int() < list.Index(j).FieldByName("Key").Int()
		})
	}
}

func bound(t *testing.T, v tree.Value) []byte {
	t.Helper()
	literal, ok := v.Literal()
	if !ok {
		t.Fatalf("no literal of %s", v)
	}
	data, err := literal.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// v3Bytes returns the length of an Avro manifest.
func v3Bytes(t *testing.T, columns int, entries []iceberg.ManifestEntry) int64 {
	t.Helper()
	schema, spec := v3Table(columns)
	var b bytes.Buffer
	if _, err := iceberg.WriteManifest("m", &b, 3, spec, schema, v3Snapshot, entries); err != nil {
		t.Fatal(err)
	}
	return int64(b.Len())
}

// TestMergeAppendKnowsSizes holds what merge appends of version 3 are counted with to what iceberg-go writes, within five percent, for
// the same files that [TestPolicyKnowsSizes] has.
func TestMergeAppendKnowsSizes(t *testing.T) {
	within := func(what string, got, want int64) {
		t.Helper()
		if off := math.Abs(float64(got)/float64(want) - 1); off > 0.05 {
			t.Errorf("%s: estimated %d, written %d: %.1f %% off", what, got, want, 100*off)
		}
	}
	for _, columns := range []int{0, 1, 2, 5, 10, 20, 50, 100} {
		table, _ := manifestio.FixedTable(columns)
		_, spec := v3Table(columns)
		sizes := mergeappend.Estimate(columns)
		for _, rows := range []int{1, 2, 3, 5, 10, 15, 20, 50, 70, 100, 200, 300, 1000, 2000, 10_000} {
			if rows*columns > 30_000 {
				continue // as straight a line as with fewer columns
			}
			files := manifestio.FixedEntries(table, rows, 0)
			added, carried := v3Entries(t, spec, files, false), v3Entries(t, spec, files, true)
			for _, e := range append(added[:rows:rows], carried...) {
				inOrder(e.DataFile())
			}
			n := int64(rows)
			within(fmt.Sprintf("%d columns, %d added files", columns, rows), sizes.Manifest(n, 0), v3Bytes(t, columns, added))
			within(fmt.Sprintf("%d columns, %d carried files", columns, rows), sizes.Manifest(0, n), v3Bytes(t, columns, carried))
			half := append(added[:rows/2:rows/2], carried[rows/2:]...)
			within(fmt.Sprintf("%d columns, half of %d files carried", columns, rows), sizes.Manifest(n/2, n-n/2), v3Bytes(t, columns, half))
		}
	}
	for _, rows := range []int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000} {
		for _, large := range []int{0, rows / 10, rows / 2, rows} {
			var b bytes.Buffer
			parent, sequence := int64(v3Snapshot-1), int64(100_000)
			if err := iceberg.WriteManifestList(3, &b, v3Snapshot, &parent, &sequence, 50_000_000_000, v3List(rows, large)); err != nil {
				t.Fatal(err)
			}
			within(fmt.Sprintf("a list of %d manifests, %d of them merged", rows, large), mergeappend.Estimate(20).List(rows, large), int64(b.Len()))
		}
	}
}

// TestMergeAppendHasColumnsInOrder: the order in which iceberg-go's own data files have their columns makes manifests larger, by less
// than an eighth. What is counted is the cheaper order.
func TestMergeAppendHasColumnsInOrder(t *testing.T) {
	for _, columns := range []int{10, 50, 100} {
		table, _ := manifestio.FixedTable(columns)
		_, spec := v3Table(columns)
		entries := v3Entries(t, spec, manifestio.FixedEntries(table, 200, 0), false)
		any := v3Bytes(t, columns, entries)
		for _, e := range entries {
			inOrder(e.DataFile())
		}
		if ordered := v3Bytes(t, columns, entries); any <= ordered || any > ordered+ordered/8 {
			t.Errorf("%d columns: %d bytes in any order, %d in order", columns, any, ordered)
		}
	}
}

// v3List returns the rows of a manifest list, the newest first: manifests of one commit each, and some large ones after them.
func v3List(rows, large int) []iceberg.ManifestFile {
	var files []iceberg.ManifestFile
	s := uint64(7)
	next := func() uint64 { s = s*6364136223846793005 + 1442695040888963407; return s }
	for i := range rows {
		id := fmt.Sprintf("%08x-%04x-4%03x-8%03x-%04x%08x", next()>>32, next()>>48, next()>>52, next()>>52, next()>>48, next()>>32)
		sequence := int64(100_000 - i)
		b := iceberg.NewManifestFile(3, "s3://warehouse/sales/events/metadata/"+id+"-m0.avro", int64(10_000+next()>>54), 0, int64(next()>>1))
		if i < rows-large {
			b.AddedFiles(10).AddedRows(500_000+int64(next()>>48)).SequenceNum(sequence, sequence)
		} else {
			b.ExistingFiles(16_000+int32(next()>>56)).ExistingRows(800_000_000+int64(next()>>40)).SequenceNum(sequence, sequence-1600+int64(next()>>57))
		}
		day := int32(20_780 - i/10)
		lower, upper := binary.LittleEndian.AppendUint32(nil, uint32(day)), binary.LittleEndian.AppendUint32(nil, uint32(day+int32(next()>>62)))
		no := false
		b.Partitions([]iceberg.FieldSummary{{ContainsNull: false, ContainsNaN: &no, LowerBound: &lower, UpperBound: &upper}})
		files = append(files, b.Build())
	}
	return files
}
