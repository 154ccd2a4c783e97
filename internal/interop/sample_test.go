package interop_test

import (
	"math"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// The metadata columns that may have statistics (rules 3.1).
const (
	lastUpdatedColumn = 2147483539
	rowIDColumn       = 2147483540
)

// sampleColumns are the columns of the table of the sample manifests: one of each type, two of them geometries, and
// some inside of a struct.
func sampleColumns(t *testing.T) []iceberg.NestedField {
	geometry, err := iceberg.GeometryTypeOf("OGC:CRS84")
	must(t, err)
	geography, err := iceberg.GeographyTypeOf("OGC:CRS84", "spherical")
	must(t, err)
	fields := append(columns(columnTypes),
		iceberg.NestedField{ID: 40, Name: "shape", Type: geometry},
		iceberg.NestedField{ID: 41, Name: "region", Type: geography})
	return append(fields, iceberg.NestedField{ID: 50, Name: "place", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 51, Name: "name with space", Type: iceberg.PrimitiveTypes.String},
		{ID: 52, Name: "height", Type: iceberg.PrimitiveTypes.Float64, Required: true},
	}}})
}

// samplePartition has a partition field of each type.
func samplePartition() []iceberg.NestedField {
	var fields []iceberg.NestedField
	for i, t := range columnTypes {
		fields = append(fields, iceberg.NestedField{ID: 1000 + i, Name: columns(columnTypes)[i].Name + "_part", Type: t})
	}
	return fields
}

// scalarColumns returns the columns that can have statistics, with dotted names.
func scalarColumns(prefix string, fields []iceberg.NestedField) []iceberg.NestedField {
	var found []iceberg.NestedField
	for _, f := range fields {
		f.Name = prefix + f.Name
		if s, nested := f.Type.(*iceberg.StructType); nested {
			found = append(found, scalarColumns(f.Name+".", s.FieldList)...)
		} else {
			found = append(found, f)
		}
	}
	return found
}

// statsColumns are the columns that the sample manifests have statistics of.
func statsColumns(t *testing.T) []iceberg.NestedField {
	return append(scalarColumns("", sampleColumns(t)),
		iceberg.NestedField{ID: lastUpdatedColumn, Name: "_last_updated_sequence_number", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: rowIDColumn, Name: "_row_id", Type: iceberg.PrimitiveTypes.Int64})
}

// sampleSchema is the row type of the sample manifests.
func sampleSchema(t *testing.T) manifestio.Schema {
	t.Helper()
	var ids []int
	for _, c := range statsColumns(t) {
		ids = append(ids, c.ID)
	}
	s, err := manifestio.NewSchema(iceberg.NewSchema(7, sampleColumns(t)...), samplePartition(), ids)
	must(t, err)
	return s
}

// fullStats returns statistics of all columns; with geometries they have corners of boxes.
func fullStats(t *testing.T, i int, records int64) tree.Stats {
	var stats tree.Stats
	for _, c := range statsColumns(t) {
		switch c.Type.(type) {
		case iceberg.GeometryType, iceberg.GeographyType:
			s := tree.FieldStats{FieldID: c.ID, ValueCount: some(records), NullCount: some[int64](1), AvgSizeBytes: some[int32](21)}
			if i%4 == 0 {
				s.Lower, s.Upper = tree.Geo(-180, -90, -11_000.5, 0), tree.Geo(180, 90, float64(i), 0.25)
			}
			if i%4 == 2 {
				s.Lower, s.Upper = tree.Geo(-180, -90, math.NaN(), math.NaN()), tree.Geo(180, 90.5, math.NaN(), math.NaN())
			}
			stats = append(stats, s)
		default:
			stats = append(stats, statsOf(c, i, records))
		}
	}
	return stats
}

// fullTuple has a value in each partition field, but for every fifth.
func fullTuple(i int) tree.Tuple {
	tuple := tree.Tuple{}
	for n, f := range samplePartition() {
		if (n+i)%5 != 0 {
			tuple = append(tuple, tree.PartitionValue{FieldID: f.ID, Value: sample(f.Type, n+i)})
		}
	}
	return tuple
}

// plainFile is a data file of which nothing optional is known.
func plainFile(status tree.Status, location string) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{Status: status}, Content: tree.Data, Location: location, FileFormat: "parquet",
		RecordCount: 1, FileSizeBytes: math.MaxInt64,
	}
}

// fullFile is a data file with all that can be known of one.
func fullFile(t *testing.T, status tree.Status, location string, i int) tree.Entry {
	e := explicit(plainFile(status, location), int64(i))
	e.RecordCount, e.FileSizeBytes = int64(1000+i), int64(1)<<40
	e.SpecID, e.Partition = some(int32(i)), fullTuple(i)
	e.Stats, e.SortOrderID = fullStats(t, i, e.RecordCount), some(int32(1))
	e.SplitOffsets, e.KeyMetadata = []int64{4, 1 << 27, 1 << 33}, []byte{0, 0xff, byte(i)}
	e.DeletionVector = some(tree.DeletionVector{
		Location: location + ".puffin", OffsetBytes: 4, SizeBytes: 1 << 33, Cardinality: 7, KeyMetadata: []byte("key\x00")})
	e.Foreign = sampleForeign(i)
	return e
}

// explicit sets all that a root must state, and the draft's timestamp.
func explicit(e tree.Entry, i int64) tree.Entry {
	const first = 8_271_093_846_510_000_000
	e.Tracking.SnapshotID, e.Tracking.SequenceNumber = some(first+i), some(i)
	e.Tracking.FileSequenceNumber, e.Tracking.FirstRowID = some(i), some(i<<40)
	e.Tracking.SnapshotTimestampMicros = some(1_795_000_000_000_000 + i)
	if e.Tracking.Status == tree.Modified || e.Tracking.Status == tree.Replaced {
		e.Tracking.ModifiedSnapshotID = some(first + i + 1)
	}
	return e
}

// sampleLeaf has rows of every kind that a leaf of live files may have.
func sampleLeaf(t *testing.T) []tree.Entry {
	added := plainFile(tree.Added, "data/added.parquet")
	added.SpecID, added.Partition = some[int32](1), tree.Tuple{} // the file of the null partition
	added.SplitOffsets, added.KeyMetadata = []int64{}, []byte{}  // empty, not null
	older := plainFile(tree.Added, "s3://elsewhere/older rows\t\"\\\n\u2028.parquet")
	older.Tracking.SequenceNumber = some[int64](3)
	older.Stats = fullStats(t, 1, older.RecordCount)
	born := fullFile(t, tree.Added, "data/ü/漢字.parquet", 2)
	born.Tracking = tree.Tracking{Status: tree.Added, ModifiedSnapshotID: some[int64](9)}
	return []tree.Entry{
		added, older, born,
		fullFile(t, tree.Existing, "data/existing.parquet", 3),
		fullFile(t, tree.Modified, "data/modified.parquet", 4),
		plainFile(tree.Added, "data/plain.parquet"),
	}
}

// sampleRoot has loose files of every status, and pointers to manifests of every kind.
func sampleRoot(t *testing.T) []tree.Entry {
	rows := []tree.Entry{
		samplePointer(t, tree.Added, tree.DataManifest, 1),
		samplePointer(t, tree.Modified, tree.DataManifest, 2),
		samplePointer(t, tree.Deleted, tree.DataManifest, 3),
		samplePointer(t, tree.Existing, tree.DataManifest, 4),
		samplePointer(t, tree.Existing, tree.DeleteManifest, 5),
	}
	for i, status := range []tree.Status{tree.Added, tree.Existing, tree.Modified, tree.Deleted, tree.Replaced} {
		rows = append(rows, fullFile(t, status, "data/"+status.String()+".parquet", 6+i))
	}
	return append(rows, explicit(plainFile(tree.Added, "data/plain.parquet"), 11))
}

// samplePointer is a pointer to a manifest: a masked one if its status says so, a legacy one from the fourth on.
func samplePointer(t *testing.T, status tree.Status, content tree.Content, i int) tree.Entry {
	e := explicit(plainFile(status, "metadata/m.parquet"), int64(i))
	e.Content, e.RecordCount, e.Foreign = content, int64(60+i), sampleForeign(i)
	info := tree.ManifestInfo{
		AddedFiles: 10, ExistingFiles: 20, DeletedFiles: 3, ReplacedFiles: 7, ModifiedFiles: 20,
		AddedRows: 1 << 33, ExistingRows: 2 << 33, DeletedRows: 3, ReplacedRows: 5 << 33, ModifiedRows: 4,
		MinSequenceNumber: int64(i), FormatVersion: 4,
	}
	if i >= 4 {
		e.FileFormat, e.SpecID, info.FormatVersion = "avro", some(int32(i)), 0
	} else {
		e.Stats = fullStats(t, i, e.RecordCount)
	}
	if status == tree.Modified || status == tree.Deleted {
		e.Tracking.ModifiedSnapshotID = e.Tracking.SnapshotID
		e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions = bitmap(t, 5, 57), bitmap(t, uint32(i))
		info.DV = bitmap(t, 0, 5, uint32(i), 57)
	}
	if content == tree.DeleteManifest {
		e.Tracking.FirstRowID = iceberg.Optional[int64]{}
	}
	e.Manifest = some(info)
	return e
}

// TestSampleIsComplete holds the sample root to having a value in every column that a manifest can have.
func TestSampleIsComplete(t *testing.T) {
	all := wantManifest(t)
	var rows []any
	for _, e := range sampleRoot(t) {
		rows = append(rows, e)
	}
	if diff := cmp.Diff(columnsOf("", all, nil), columnsOf("", writtenOf(all, rows, true), nil)); diff != "" {
		t.Errorf("columns without a value (-):\n%s", diff)
	}
}
