package manifestio

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/tree"
)

// nullable adds an optional column whose value in row i is values[i], null where there is none.
func nullableColumn[T any](s *sheet, name string, id int32, physical parquet.Type, logical schema.LogicalType, values []*T) *sheet {
	c := &sheet{name: name, id: id, rep: parquet.Repetitions.Optional, physical: physical, logical: logical, length: -1}
	var present []T
	c.data = &sheetData{reps: make([]int16, len(values)), defs: make([]int16, len(values))}
	for i, v := range values {
		if v != nil {
			present = append(present, *v)
			c.data.defs[i] = 1
		}
	}
	c.data.values = present
	s.children = append(s.children, c)
	return c
}

// addList adds an optional list of longs.
func addList(s *sheet, name string, id int32, lists [][]int64) {
	element := &sheet{name: "element", id: id + 1, rep: parquet.Repetitions.Required, physical: parquet.Types.Int64, length: -1}
	element.data = &sheetData{}
	var values []int64
	for _, l := range lists {
		switch {
		case l == nil:
			element.data.defs, element.data.reps = append(element.data.defs, 0), append(element.data.reps, 0)
		case len(l) == 0:
			element.data.defs, element.data.reps = append(element.data.defs, 1), append(element.data.reps, 0)
		}
		for i, v := range l {
			values = append(values, v)
			element.data.defs = append(element.data.defs, 2)
			element.data.reps = append(element.data.reps, int16(min(i, 1)))
		}
	}
	element.data.values = values
	middle := &sheet{name: "list", id: -1, rep: parquet.Repetitions.Repeated, children: []*sheet{element}}
	s.children = append(s.children, &sheet{name: name, id: id, rep: parquet.Repetitions.Optional,
		logical: schema.NewListLogicalType(), children: []*sheet{middle}})
}

// foreignFile is a file with fields of ids 900 to 905 at the top and in two structs (S45), column files
// (rules 15) and equality ids.
func foreignFile(t *testing.T, rows int) *sheet {
	data, _ := sampleFile(t, rows)
	s := takeApart(t, data)
	texts, longs, lists, none := make([]*parquet.ByteArray, rows), make([]*int64, rows), make([][]int64, rows), make([][]int64, rows)
	for i := range rows {
		if i%2 == 0 {
			text := parquet.ByteArray(strings.Repeat("x", i%5))
			texts[i] = &text
		}
		if i%3 != 0 {
			n := int64(-i)
			longs[i] = &n
			lists[i] = [][]int64{{}, {1}, {int64(i), 2, 3}}[i%3]
		}
	}
	nullableColumn(s, "text", 900, parquet.Types.ByteArray, schema.StringLogicalType{}, texts)
	nullableColumn(s.at(t, "147"), "stamp", 901, parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), longs)
	inner := &sheet{name: "inner", id: 903, rep: parquet.Repetitions.Required}
	addColumn(inner, "flag", 904, parquet.Types.Boolean, nil, slices.Repeat([]bool{true, false}, rows/2))
	s.children = append(s.children, inner)
	addList(s, "column_files", 158, lists)
	addList(s, "equality_ids", 135, none)
	manifest := s.at(t, "150.526")
	info := s.at(t, "150")
	info.children = append(info.children, &sheet{name: "copy", id: 905, rep: manifest.rep, physical: manifest.physical, length: -1, data: manifest.data})
	return s
}

// TestForeignFields reads fields that this version does not know and finds them again after writing (S45).
func TestForeignFields(t *testing.T) {
	const rows = 40
	read := mustDecode(t, foreignFile(t, rows).putTogether(t, 17))
	for i, e := range read {
		want := []int{}
		if i%3 != 0 {
			want = append(want, 158)
		}
		if i%2 == 0 {
			want = append(want, 900)
		}
		want = append(want, 903)
		if i%3 != 0 {
			want = append(want, 901)
		}
		if e.Manifest.Valid {
			want = append(want, 905)
		}
		var got []int
		for _, f := range e.Foreign {
			got = append(got, f.Type.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("row %d: want -, read +:\n%s", i, diff)
		}
	}
	wantCells := []tree.ForeignCell{{Def: 2, Value: "\x05\x00\x00\x00\x00\x00\x00\x00"}, {Rep: 1, Def: 2, Value: "\x02\x00\x00\x00\x00\x00\x00\x00"},
		{Rep: 1, Def: 2, Value: "\x03\x00\x00\x00\x00\x00\x00\x00"}}
	if diff := cmp.Diff(wantCells, read[5].Foreign[0].Cells); diff != "" {
		t.Errorf("list of row 5: want -, read +:\n%s", diff)
	}
	s := sampleSchema()
	var out bytes.Buffer
	if _, err := Encode(&out, s, read, EncodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, mustDecode(t, out.Bytes()), sameValues); diff != "" {
		t.Errorf("first read -, written and read again +:\n%s", diff)
	}
}

// TestEqualityIDs reads the column that the format dropped: a null is nothing, a list is there for a checker
// to see (Q1).
func TestEqualityIDs(t *testing.T) {
	data, _ := sampleFile(t, 3)
	s := takeApart(t, data)
	addList(s, "equality_ids", 135, [][]int64{nil, {1, 2}, nil})
	read := mustDecode(t, s.putTogether(t, 10))
	for i, e := range read {
		if got := len(e.Foreign) > 0; got != (i == 1) {
			t.Errorf("row %d: foreign %v", i, e.Foreign)
		}
	}
}
