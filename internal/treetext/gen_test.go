package treetext_test

import (
	"math"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// The generators draw trees that no writer would make: every field of an entry is set or not on its own.

var (
	genText  = rapid.OneOf(rapid.StringMatching(`[a-z0-9/.:@#+=%-]{0,10}`), rapid.String(), rapid.Just("a b"), rapid.Just("\xff\n"))
	genInt   = rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64())
	genInt32 = rapid.OneOf(rapid.Int32Range(0, 9), rapid.Int32())
	genBytes = rapid.Custom(func(t *rapid.T) []byte {
		return rapid.SampledFrom([][]byte{nil, {}, {0}, {0xab, 0xff}}).Draw(t, "bytes")
	})
	// genBitmap draws null, bytes that are no bitmap, bytes that are not canonical (rules 18.7), and canonical ones.
	genBitmap = rapid.Custom(func(t *rapid.T) []byte {
		loose := []byte{1, 1, 0, 0, 1, 0, 8, 0, 1, 0, 0}
		if broken := rapid.SampledFrom([][]byte{nil, nil, {}, {1, 2}, {0}, loose}).Draw(t, "broken"); broken != nil {
			return broken
		}
		positions := rapid.SliceOfN(rapid.Uint32Range(0, 12), 0, 12).Draw(t, "positions")
		b, err := mdv.Of(positions...)
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.AppendBinary(nil)
		if err != nil || len(positions) == 0 && rapid.Bool().Draw(t, "null") {
			return nil
		}
		return data
	})
)

// genOptional draws a null or a value.
func genOptional[T any](g *rapid.Generator[T]) *rapid.Generator[iceberg.Optional[T]] {
	return rapid.Custom(func(t *rapid.T) iceberg.Optional[T] {
		if rapid.Bool().Draw(t, "null") {
			return iceberg.Optional[T]{}
		}
		return iceberg.Optional[T]{Val: g.Draw(t, "value"), Valid: true}
	})
}

var genValue = rapid.Custom(func(t *rapid.T) tree.Value {
	n := genInt.Draw(t, "n")
	f := rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Float64frombits(0xfff8000000000007)),
		rapid.Just(math.Inf(-1)), rapid.Just(math.Copysign(0, -1))).Draw(t, "f")
	text := genText.Draw(t, "text")
	return rapid.SampledFrom([]tree.Value{
		{}, tree.Bool(n%2 == 0), tree.Int(int32(n)), tree.Long(n), tree.Float(float32(f)),
		tree.Float(math.Float32frombits(0xffc00001)), tree.Double(f), tree.Date(int32(n)), tree.Time(n), tree.Timestamp(n),
		tree.TimestampNano(n), tree.DecimalInt64(n, 3), tree.DecimalBytes([]byte("a long decimal"), 255),
		tree.DecimalBytes([]byte("\xffnegative"), 0), tree.String(text), tree.Binary([]byte(text)), tree.Fixed([]byte(text)),
		tree.UUID(uuid.UUID([]byte("0123456789abcdef"))), tree.BytesValue(tree.KindUUID, text),
		tree.Geo(f, 1, math.NaN(), -f), tree.BytesValue(tree.KindGeo, "short"),
	}).Draw(t, "value")
})

var genTuple = rapid.Custom(func(t *rapid.T) tree.Tuple {
	if rapid.Bool().Draw(t, "null") {
		return nil
	}
	tuple := tree.Tuple{}
	for i := range rapid.IntRange(0, 3).Draw(t, "fields") {
		tuple = append(tuple, tree.PartitionValue{FieldID: 1000 + i, Value: genValue.Draw(t, "value")})
	}
	return tuple
})

var genStats = rapid.Custom(func(t *rapid.T) tree.Stats {
	var s tree.Stats
	for i := range rapid.IntRange(0, 2).Draw(t, "columns") {
		s = append(s, tree.FieldStats{FieldID: i, Lower: genValue.Draw(t, "lower"), Upper: genValue.Draw(t, "upper"),
			Tight: genOptional(rapid.Bool()).Draw(t, "tight"), ValueCount: genOptional(genInt).Draw(t, "values"),
			NullCount: genOptional(genInt).Draw(t, "nulls"), NaNCount: genOptional(genInt).Draw(t, "nans"),
			AvgSizeBytes: genOptional(genInt32).Draw(t, "avg")})
	}
	return s
})

var genForeign = rapid.Custom(func(t *rapid.T) []tree.ForeignField {
	var columns []tree.ForeignField
	for range rapid.IntRange(0, 2).Draw(t, "columns") {
		leaf := &tree.ForeignType{ID: -1, Name: genText.Draw(t, "name"), Repetition: tree.Repeated, Physical: "INT32",
			TypeLength: 3, Logical: genText.Draw(t, "logical"), Converted: "x", Precision: 9, Scale: 2}
		column := tree.ForeignField{Parent: rapid.SampledFrom([]int{tree.InEntry, tree.InTracking}).Draw(t, "parent")}
		column.Type = rapid.SampledFrom([]*tree.ForeignType{nil, leaf,
			{ID: 900, Name: "group", Repetition: tree.Optional, Children: []*tree.ForeignType{leaf, leaf}}}).Draw(t, "type")
		for i := range rapid.IntRange(0, 2).Draw(t, "cells") {
			column.Cells = append(column.Cells, tree.ForeignCell{Leaf: i, Rep: 1, Def: 2, Value: genText.Draw(t, "cell")})
		}
		columns = append(columns, column)
	}
	return columns
})

var genInfo = rapid.Custom(func(t *rapid.T) tree.ManifestInfo {
	return tree.ManifestInfo{
		AddedFiles: genInt32.Draw(t, "added"), DeletedFiles: genInt32.Draw(t, "deleted"), ModifiedFiles: genInt32.Draw(t, "modified"),
		AddedRows: genInt.Draw(t, "rows"), ExistingRows: genInt.Draw(t, "existing"), ReplacedRows: genInt.Draw(t, "replaced"),
		MinSequenceNumber: genInt.Draw(t, "min"), DV: genBitmap.Draw(t, "dv"),
		FormatVersion: rapid.SampledFrom([]int32{0, 3, 4}).Draw(t, "version"),
	}
})

var genVector = rapid.Custom(func(t *rapid.T) tree.DeletionVector {
	return tree.DeletionVector{Location: genText.Draw(t, "location"), OffsetBytes: genInt.Draw(t, "offset"),
		SizeBytes: genInt.Draw(t, "size"), Cardinality: genInt.Draw(t, "cardinality"), KeyMetadata: genBytes.Draw(t, "key")}
})

var genEntry = rapid.Custom(func(t *rapid.T) tree.Entry {
	return tree.Entry{
		Tracking: tree.Tracking{
			Status:     tree.Status(rapid.IntRange(0, 5).Draw(t, "status")),
			SnapshotID: genOptional(genInt).Draw(t, "snapshot"), ModifiedSnapshotID: genOptional(genInt).Draw(t, "modified"),
			SequenceNumber: genOptional(genInt).Draw(t, "seq"), FileSequenceNumber: genOptional(genInt).Draw(t, "file seq"),
			FirstRowID: genOptional(genInt).Draw(t, "row id"), DeletedPositions: genBitmap.Draw(t, "del"),
			ReplacedPositions: genBitmap.Draw(t, "rep"), SnapshotTimestampMicros: genOptional(genInt).Draw(t, "timestamp"),
		},
		Content:  tree.Content(rapid.IntRange(0, 5).Draw(t, "content")),
		Location: rapid.OneOf(genText, rapid.Just("m")).Draw(t, "location"), FileFormat: rapid.SampledFrom([]string{"parquet", "", "a b"}).Draw(t, "format"),
		RecordCount: genInt.Draw(t, "records"), FileSizeBytes: genInt.Draw(t, "size"), SpecID: genOptional(genInt32).Draw(t, "spec"),
		Partition: genTuple.Draw(t, "partition"), Stats: genStats.Draw(t, "stats"), SortOrderID: genOptional(genInt32).Draw(t, "sort"),
		DeletionVector: genOptional(genVector).Draw(t, "vector"), Manifest: genOptional(genInfo).Draw(t, "info"),
		KeyMetadata:  genBytes.Draw(t, "key"),
		SplitOffsets: rapid.SampledFrom([][]int64{nil, {}, {4, 9}}).Draw(t, "splits"), Foreign: genForeign.Draw(t, "foreign"),
	}
})

var genDoc = rapid.Custom(func(t *rapid.T) treetext.Doc {
	d := treetext.Doc{Tree: tree.Tree{
		Origin: tree.Origin{TableUUID: genText.Draw(t, "uuid"), TableLocation: genText.Draw(t, "table"), SnapshotID: genInt.Draw(t, "snapshot")},
		Root:   genText.Draw(t, "root"), SchemaID: int(genInt32.Draw(t, "schema")), ParentSnapshotID: genOptional(genInt).Draw(t, "parent"),
		SequenceNumber: genInt.Draw(t, "seq"), TimestampMillis: genInt.Draw(t, "time"), FirstRowID: genInt.Draw(t, "row id"),
		AddedRows: genInt.Draw(t, "added"), HasSnapshotTimestamps: rapid.Bool().Draw(t, "timestamps"),
		Rows: rapid.SliceOfN(genEntry, 0, 4).Draw(t, "rows"),
	}}
	for _, e := range d.Tree.Rows {
		for i := range rapid.IntRange(0, 2).Draw(t, "leaf rows") {
			if d.Leaves == nil {
				d.Leaves = map[string][]tree.Row{}
			}
			d.Leaves[e.Location] = append(d.Leaves[e.Location], tree.Row{Position: int64(i), Entry: genEntry.Draw(t, "leaf row")})
		}
	}
	return d
})
