package datafile_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/datafile"
	"github.com/firn-io/firn/tree"
)

func schemaOf(t *testing.T, data []byte) (*iceberg.Schema, error) {
	t.Helper()
	return datafile.SchemaOf(bytes.NewReader(data), int64(len(data)), location, datafile.Limits{})
}

// lines prints the fields of a schema, nested ones after their parents.
func lines(s *iceberg.Schema) []string {
	var out []string
	var walk func(prefix string, fields []iceberg.NestedField)
	walk = func(prefix string, fields []iceberg.NestedField) {
		for _, f := range fields {
			nested, isNested := f.Type.(iceberg.NestedType)
			need := map[bool]string{true: "required", false: "optional"}[f.Required]
			out = append(out, fmt.Sprintf("%d %s%s %s %s", f.ID, prefix, f.Name, need, f.Type.Type()))
			if isNested {
				walk(prefix+f.Name+".", nested.Fields())
			}
		}
	}
	walk("", s.Fields())
	return out
}

func TestSchemaOfNested(t *testing.T) {
	data := readFile(t, "testdata/written/arrow-nested.parquet")
	s, err := schemaOf(t, data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 id required long",
		"2 who optional struct", "6 who.name optional string", "7 who.born optional int",
		"3 tags optional list", "8 tags.element optional string",
		"4 m optional map", "9 m.key required string", "10 m.value optional long",
		"5 pairs optional list", "11 pairs.element optional struct", "12 pairs.element.l optional int", "13 pairs.element.r optional int",
	}
	if diff := cmp.Diff(want, lines(s)); diff != "" {
		t.Fatal(diff)
	}
	// Statistics cover columns in structs, not those in lists and maps; nulls of a struct count for its columns.
	f := mustInspect(t, data, s, *iceberg.UnpartitionedSpec, datafile.Options{})
	got := map[int]string{}
	for _, s := range f.Stats {
		got[s.FieldID] = fmt.Sprintf("%s..%s %d/%d", s.Lower, s.Upper, s.NullCount.Val, s.ValueCount.Val)
	}
	if diff := cmp.Diff(map[int]string{1: "1..3 0/3", 6: "a..a 2/3", 7: "3..4 1/3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSchemaOfKeepsIDs(t *testing.T) {
	withIDs := func(id2 int) []byte {
		return writeFile(t, []schema.Node{leaf(t, "a", true, parquet.Types.Int32, nil, 0, 30), leaf(t, "b", false, parquet.Types.Int32, nil, 0, id2)}, nil)
	}
	for id2, want := range map[int][]string{
		4:  {"30 a optional int", "4 b required int"},
		-1: {"1 a optional int", "2 b required int"},
		30: {"1 a optional int", "2 b required int"},
	} {
		s, err := schemaOf(t, withIDs(id2))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines(s)); diff != "" {
			t.Errorf("second id %d: %s", id2, diff)
		}
	}
}

func TestSchemaOfRefuses(t *testing.T) {
	int96 := readFile(t, "testdata/written/arrow-int96.parquet")
	for column, data := range map[string][]byte{
		"at": int96,
		"h":  writeFile(t, []schema.Node{leaf(t, "h", true, parquet.Types.FixedLenByteArray, schema.Float16LogicalType{}, 2, -1)}, nil),
		"a":  writeFile(t, []schema.Node{leaf(t, "a", true, parquet.Types.Int32, nil, 0, -1), leaf(t, "a", true, parquet.Types.Int32, nil, 0, -1)}, nil),
	} {
		_, err := schemaOf(t, data)
		var mismatch *datafile.SchemaMismatchError
		if !errors.As(err, &mismatch) || mismatch.Column != column {
			t.Errorf("%s: got %v", column, err)
		}
	}
	// A column that the table does not have may be of any type.
	mustInspect(t, int96, iceberg.NewSchema(0, field(1, "id", prims.Int64, false)), *iceberg.UnpartitionedSpec, datafile.Options{})
}

// TestListForms checks the ways in which lists were written over the years.
func TestListForms(t *testing.T) {
	rep := parquet.Repetitions
	number := func(name string, r parquet.Repetition) schema.Node {
		return schema.Must(schema.NewPrimitiveNode(name, r, parquet.Types.Int32, -1, -1))
	}
	list := schema.ListLogicalType{}
	forms := map[string]schema.Node{
		"three levels": group(t, "l", rep.Optional, list, -1, group(t, "list", rep.Repeated, nil, -1, number("element", rep.Optional))),
		"other names":  group(t, "l", rep.Optional, list, -1, group(t, "bag", rep.Repeated, nil, -1, number("item", rep.Optional))),
		"two levels":   group(t, "l", rep.Optional, list, -1, number("array", rep.Repeated)),
	}
	for name, form := range forms {
		data := writeFile(t, []schema.Node{form}, nil)
		s, err := schemaOf(t, data)
		if err != nil {
			t.Fatal(err)
		}
		element := map[bool]string{true: "required", false: "optional"}[name == "two levels"]
		if diff := cmp.Diff([]string{"1 l optional list", "2 l.element " + element + " int"}, lines(s)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	pair := group(t, "l", rep.Optional, list, -1, group(t, "array", rep.Repeated, nil, -1, number("x", rep.Required)))
	s, err := schemaOf(t, writeFile(t, []schema.Node{pair}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1 l optional list", "2 l.element required struct", "3 l.element.x required int"}, lines(s)); diff != "" {
		t.Error(diff)
	}
	if _, err := schemaOf(t, writeFile(t, []schema.Node{number("r", rep.Repeated)}, nil)); err == nil || !strings.Contains(err.Error(), "repeated column outside a list") {
		t.Errorf("got %v", err)
	}
}

// TestNestedFit checks types and nulls inside lists and structs.
func TestNestedFit(t *testing.T) {
	rep := parquet.Repetitions
	node := group(t, "l", rep.Optional, schema.ListLogicalType{}, 1, group(t, "list", rep.Repeated, nil, -1,
		schema.Must(schema.NewPrimitiveNode("element", rep.Optional, parquet.Types.Int32, 2, -1))))
	write := func(c cells) []byte { return writeFile(t, []schema.Node{node}, [][]cells{{c}}) }
	full := write(cells{values: []int32{1, 2}, def: []int16{3, 3}, rep: []int16{0, 1}})
	nullElement := write(cells{values: []int32{1}, def: []int16{3, 2}, rep: []int16{0, 1}})
	nullList := write(cells{values: []int32{1}, def: []int16{3, 0}, rep: []int16{0, 0}})
	emptyList := write(cells{values: []int32{1}, def: []int16{3, 1}, rep: []int16{0, 0}})
	list := func(element iceberg.Type, elementRequired, listRequired bool) iceberg.NestedField {
		return field(1, "l", &iceberg.ListType{ElementID: 2, Element: element, ElementRequired: elementRequired}, listRequired)
	}
	cases := []struct {
		name   string
		data   []byte
		field  iceberg.NestedField
		reason string
	}{
		{"promoted element", full, list(prims.Int64, true, true), ""},
		{"wrong element", full, list(prims.String, false, false), "l.element: is int in the file and string in the table"},
		{"wrong element id", full, field(1, "l", &iceberg.ListType{ElementID: 5, Element: prims.Int32}, false), "field id 2 in the file and 5"},
		{"not a list", full, field(1, "l", prims.Int32, false), "l: is list in the file and int in the table"},
		{"null element", nullElement, list(prims.Int32, true, true), "l.element: is required and has nulls"},
		{"null list", nullList, list(prims.Int32, true, true), "l: is required and has nulls"},
		{"null list, required element", nullList, list(prims.Int32, true, false), ""},
		{"empty list", emptyList, list(prims.Int32, true, true), ""},
	}
	for _, c := range cases {
		f, err := inspect(c.data, iceberg.NewSchema(0, c.field), *iceberg.UnpartitionedSpec, datafile.Options{})
		if c.reason == "" && (err != nil || f.Stats != nil) || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v, %v", c.name, err, f.Stats)
		}
	}
}

// TestJava checks files of Apache's Java library against the statistics that it recorded itself.
func TestJava(t *testing.T) {
	table := iceberg.NewSchema(0, field(1, "id", prims.Int64, true), field(2, "region", prims.String, false), field(3, "amount", prims.Float64, false))
	region := iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "region", Transform: iceberg.IdentityTransform{}}
	bucket := iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1001, Name: "id_bucket_4", Transform: iceberg.BucketTransform{NumBuckets: 4}}
	partitions := map[string]string{"a1": "eu", "a2": "eu", "a3": "eu", "b1": "us", "c1": "eu 3", "c2": "eu 2", "c3": "eu 1", "null1": "null"}
	recorded := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(readFile(t, "testdata/java/stats.tsv"))), "\n")[1:] {
		f := strings.Split(line, "\t")
		name := f[0][strings.LastIndex(f[0], "/")+1:]
		recorded[name+" "+f[1]] = strings.Join([]string{f[3], f[4], f[6], f[7]}, " ")
	}
	for name, partition := range partitions {
		fields := []iceberg.PartitionField{region}
		if strings.Contains(partition, " ") {
			fields = append(fields, bucket)
		}
		f := mustInspect(t, readFile(t, "testdata/java/"+name+".parquet"), table, iceberg.NewPartitionSpecID(1, fields...), datafile.Options{})
		got := f.Partition.Value(1000).String()
		if len(fields) == 2 {
			got += " " + f.Partition.Value(1001).String()
		}
		if got != partition {
			t.Errorf("%s: partition %s, want %s", name, got, partition)
		}
		if name == "null1" {
			continue
		}
		for _, s := range f.Stats {
			line := fmt.Sprintf("%d %d %s %s", s.ValueCount.Val, s.NullCount.Val, hexOf(t, s.Lower), hexOf(t, s.Upper))
			if want := recorded[fmt.Sprintf("%s.parquet %d", name, s.FieldID)]; line != want {
				t.Errorf("%s, column %d: %s, want %s", name, s.FieldID, line, want)
			}
		}
	}
}

// hexOf returns a bound in the format's single-value serialization.
func hexOf(t *testing.T, v tree.Value) string {
	t.Helper()
	literal, ok := v.Literal()
	if !ok {
		return "-"
	}
	b, err := literal.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", b)
}
