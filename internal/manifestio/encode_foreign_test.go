package manifestio_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

func leafType(id int, name string, rep tree.Repetition, physical string) *tree.ForeignType {
	return &tree.ForeignType{ID: id, Name: name, Repetition: rep, Physical: physical}
}

func groupType(id int, name string, rep tree.Repetition, children ...*tree.ForeignType) *tree.ForeignType {
	return &tree.ForeignType{ID: id, Name: name, Repetition: rep, Children: children}
}

// The foreign types of the tests: a string, a struct, a list of numbers, and column files (rules 2.5).
var (
	engineType = func() *tree.ForeignType {
		t := leafType(900, "engine", tree.Optional, "BYTE_ARRAY")
		t.Logical = "string"
		return t
	}()
	structType = groupType(901, "extra", tree.Optional, leafType(902, "a", tree.Required, "INT32"), leafType(903, "b", tree.Optional, "DOUBLE"))
	listType   = func() *tree.ForeignType {
		t := groupType(904, "numbers", tree.Optional, groupType(-1, "list", tree.Repeated, leafType(905, "element", tree.Required, "INT64")))
		t.Logical = "list"
		return t
	}()
	requiredType = leafType(906, "stamp", tree.Required, "INT64")
)

const (
	one = "\x01\x00\x00\x00\x00\x00\x00\x00"
	two = "\x02\x00\x00\x00\x00\x00\x00\x00"
)

func foreign(parent int, t *tree.ForeignType, cells ...tree.ForeignCell) tree.ForeignField {
	return tree.ForeignField{Parent: parent, Type: t, Cells: cells}
}

func withForeign(manifest bool, fields ...tree.ForeignField) tree.Entry {
	e := plainEntry()
	if manifest {
		e.Content = tree.DataManifest
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{Valid: true, Val: tree.ManifestInfo{FormatVersion: 4}}
	}
	e.Foreign = fields
	return e
}

// TestEncodeForeign: foreign fields of entry, tracking and manifest_info are written as they were read, null where a
// row has none (S45).
func TestEncodeForeign(t *testing.T) {
	entries := []tree.Entry{
		withForeign(true,
			foreign(tree.InEntry, engineType, tree.ForeignCell{Def: 1, Value: "spark"}),
			foreign(tree.InTracking, structType, tree.ForeignCell{Def: 1, Value: "\x07\x00\x00\x00"}, tree.ForeignCell{Leaf: 1, Def: 1}),
			foreign(tree.InManifestInfo, listType, tree.ForeignCell{Def: 2, Value: one}, tree.ForeignCell{Rep: 1, Def: 2, Value: two})),
		withForeign(false),
		withForeign(true,
			foreign(tree.InTracking, structType, tree.ForeignCell{}, tree.ForeignCell{Leaf: 1}),
			foreign(tree.InManifestInfo, listType, tree.ForeignCell{Def: 1})),
		withForeign(false,
			foreign(tree.InEntry, engineType, tree.ForeignCell{Def: 1}),
			foreign(tree.InManifestInfo, listType, tree.ForeignCell{})),
		withForeign(true),
	}
	f := openParquet(t, encode(t, manifestio.Schema{}, entries...))
	for path, want := range map[string][]level{
		"engine":                             {{Def: 1, Value: "spark"}, {}, {}, {Def: 1, Value: ""}, {}},
		"tracking.extra.a":                   {{Def: 1, Value: int32(7)}, {}, {}, {}, {}},
		"tracking.extra.b":                   {{Def: 1}, {}, {}, {}, {}},
		"manifest_info.numbers.list.element": {{Def: 3, Value: int64(1)}, {Def: 3, Rep: 1, Value: int64(2)}, {}, {Def: 2}, {}, {Def: 1}},
	} {
		if diff := cmp.Diff(want, f.levels(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	var got strings.Builder
	for _, path := range [][]string{{"engine"}, {"tracking", "extra"}, {"manifest_info", "numbers"}} {
		describe(f.node(path...), 0, &got)
	}
	const want = `optional engine 900 BYTE_ARRAY String
optional extra 901
 required a 902 INT32
 optional b 903 DOUBLE
optional numbers 904 List
 repeated list -1
  required element 905 INT64
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeForeignRequired: a field that is required stays so while every row has it; where one has not, it
// becomes optional, and rows that have it as either go together.
func TestEncodeForeignRequired(t *testing.T) {
	has := withForeign(true, foreign(tree.InEntry, requiredType, tree.ForeignCell{Value: one}), foreign(tree.InManifestInfo, leafType(907, "m", tree.Required, "BOOLEAN"), tree.ForeignCell{Value: "\x01"}))
	relaxed := leafType(906, "stamp", tree.Optional, "INT64")
	for _, c := range []struct {
		name    string
		entries []tree.Entry
		path    string
		want    []level
	}{
		{"in all rows", []tree.Entry{has, has}, "stamp", []level{{Value: int64(1)}, {Value: int64(1)}}},
		{"not in one", []tree.Entry{has, plainEntry()}, "stamp", []level{{Def: 1, Value: int64(1)}, {}}},
		{"in all manifests", []tree.Entry{has, plainEntry()}, "manifest_info.m", []level{{Def: 1, Value: true}, {}}},
		{"not in one manifest", []tree.Entry{has, withForeign(true)}, "manifest_info.m", []level{{Def: 2, Value: true}, {Def: 1}}},
		{"once optional", []tree.Entry{has, withForeign(false, foreign(tree.InEntry, relaxed, tree.ForeignCell{Def: 1, Value: two}))}, "stamp",
			[]level{{Def: 1, Value: int64(1)}, {Def: 1, Value: int64(2)}}},
	} {
		if diff := cmp.Diff(c.want, openParquet(t, encode(t, manifestio.Schema{}, c.entries...)).levels(c.path)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestEncodeForeignNull: a foreign field that is null in every row is left out, whole.
func TestEncodeForeignNull(t *testing.T) {
	null := withForeign(false, foreign(tree.InEntry, engineType, tree.ForeignCell{}), foreign(tree.InTracking, structType, tree.ForeignCell{}, tree.ForeignCell{Leaf: 1}))
	if diff := cmp.Diff(requiredColumns, openParquet(t, encode(t, manifestio.Schema{}, null, plainEntry())).paths()); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeForeignNames: a foreign field may have a name that is taken, and two rows different names for it.
func TestEncodeForeignNames(t *testing.T) {
	a, b := leafType(900, "location", tree.Optional, "INT64"), leafType(900, "place", tree.Optional, "INT64")
	f := openParquet(t, encode(t, manifestio.Schema{},
		withForeign(false, foreign(tree.InEntry, a, tree.ForeignCell{Def: 1, Value: one})),
		withForeign(false, foreign(tree.InEntry, b, tree.ForeignCell{Def: 1, Value: two}))))
	if diff := cmp.Diff([]any{int64(1), int64(2)}, f.values("location_900")); diff != "" {
		t.Error(diff)
	}
}

// TestEncodeForeignTypes: every physical type and annotation is written again.
func TestEncodeForeignTypes(t *testing.T) {
	sized := func(physical string, length int) *tree.ForeignType {
		f := leafType(900, "f", tree.Optional, physical)
		f.TypeLength = length
		return f
	}
	annotated := func(f *tree.ForeignType, logical string) *tree.ForeignType {
		f.Logical = logical
		return f
	}
	decimal := annotated(sized("BYTE_ARRAY", 0), "decimal")
	decimal.Precision, decimal.Scale = 12, 3
	long, twelve := strings.Repeat("\x01", 8), strings.Repeat("\x01", 12)
	for _, c := range []struct {
		typ   *tree.ForeignType
		value string
		want  string // type and annotation
	}{
		{sized("BOOLEAN", 0), "\x01", "BOOLEAN"}, {sized("INT32", 0), "\x01\x00\x00\x00", "INT32"}, {sized("INT64", 0), long, "INT64"},
		{sized("INT96", 0), twelve, "INT96"}, {sized("FLOAT", 0), "\x00\x00\x80\x3f", "FLOAT"}, {sized("DOUBLE", 0), long, "DOUBLE"},
		{sized("BYTE_ARRAY", 0), "", "BYTE_ARRAY"}, {sized("FIXED_LEN_BYTE_ARRAY", 3), "abc", "FIXED_LEN_BYTE_ARRAY"},
		{annotated(sized("INT32", 0), "date"), "\x01\x00\x00\x00", "INT32 Date"},
		{annotated(sized("INT32", 0), "uint(8)"), "\x01\x00\x00\x00", "INT32 Int(bitWidth=8, isSigned=false)"},
		{annotated(sized("INT64", 0), "timestamp(nanos,local)"), long, "INT64 Timestamp(isAdjustedToUTC=false, timeUnit=nanoseconds"},
		{annotated(sized("INT64", 0), "time(micros,utc)"), long, "INT64 Time(isAdjustedToUTC=true, timeUnit=microseconds)"},
		{decimal, "\x01", "BYTE_ARRAY Decimal(precision=12, scale=3)"},
		{annotated(sized("BYTE_ARRAY", 0), "json"), "{}", "BYTE_ARRAY JSON"},
		{annotated(sized("BYTE_ARRAY", 0), "geometry:EPSG:3857"), "p", "BYTE_ARRAY Geometry(crs=EPSG:3857)"},
		{annotated(sized("BYTE_ARRAY", 0), "geography:karney:OGC:CRS84"), "p", "BYTE_ARRAY Geography(crs=OGC:CRS84, algorithm=karney)"},
		{annotated(sized("FIXED_LEN_BYTE_ARRAY", 12), "interval"), twelve, "FIXED_LEN_BYTE_ARRAY Interval"},
	} {
		f := openParquet(t, encode(t, manifestio.Schema{}, withForeign(false, foreign(tree.InEntry, c.typ, tree.ForeignCell{Def: 1, Value: c.value}))))
		var got strings.Builder
		describe(f.node("f"), 0, &got)
		if want := "optional f 900 " + c.want + "\n"; got.String() != want {
			t.Errorf("got %swant %s", got.String(), want)
		}
		if levels := f.levels("f"); len(levels) != 1 || levels[0].Def != 1 {
			t.Errorf("%s: %v", c.want, levels)
		}
	}
}

// TestEncodeForeignRefusals: what cannot be written again is refused by row and field.
func TestEncodeForeignRefusals(t *testing.T) {
	cell := tree.ForeignCell{Def: 1, Value: one}
	long := leafType(900, "f", tree.Optional, "INT64")
	deep := leafType(-1, "leaf", tree.Optional, "INT64")
	for range 64 {
		deep = groupType(900, "f", tree.Optional, deep)
	}
	for _, c := range []struct {
		name   string
		fields []tree.ForeignField
		want   string
	}{
		{"no type", []tree.ForeignField{{}}, "row 1: foreign field -1: it has no type"},
		{"no id", []tree.ForeignField{foreign(0, leafType(-1, "f", tree.Optional, "INT64"), cell)}, "row 1: foreign field -1: it has no field id"},
		{"in the partition", []tree.ForeignField{foreign(102, long, cell)}, "row 1: foreign field 900: 102 is no struct"},
		{"twice", []tree.ForeignField{foreign(0, long, cell), foreign(0, long, cell)}, "row 1: foreign field 900: the row has it twice"},
		{"without its parent", []tree.ForeignField{foreign(tree.InManifestInfo, long, cell)}, "row 1: foreign field 900: manifest_info is null"},
		{"of another type", []tree.ForeignField{foreign(0, leafType(800, "g", tree.Optional, "INT32"), tree.ForeignCell{Def: 1, Value: one[:4]})}, "row 1: foreign field 800: other rows have it with another type"},
		{"a known id", []tree.ForeignField{foreign(0, leafType(100, "f", tree.Optional, "INT64"), cell)}, "field id 100 is there twice"},
		{"no cell", []tree.ForeignField{foreign(0, structType, tree.ForeignCell{Def: 1, Value: one[:4]})}, "row 1: field 903 extra.b: leaf 1 has no cell"},
		{"level too high", []tree.ForeignField{foreign(0, long, tree.ForeignCell{Def: 2, Value: one})}, "row 1: field 900 f: leaf 0: levels 0 and 2 are out of place"},
		{"repeated without a list", []tree.ForeignField{foreign(0, long, cell, cell)}, "row 1: field 900 f: leaf 0: levels 0 and 1 are out of place"},
		{"value cut", []tree.ForeignField{foreign(0, long, tree.ForeignCell{Def: 1, Value: "abc"})}, "row 1: field 900 f: leaf 0: 3 bytes are no INT64"},
		{"unknown physical type", []tree.ForeignField{foreign(0, leafType(900, "f", tree.Optional, "INT128"), cell)}, `foreign field 900: f: "INT128" is no physical type`},
		{"empty group", []tree.ForeignField{foreign(0, groupType(900, "f", tree.Optional), cell)}, "foreign field 900: f: a group without fields"},
		{"no repetition", []tree.ForeignField{foreign(0, groupType(900, "f", tree.Optional, leafType(901, "g", 0, "INT64")), cell)}, "foreign field 900: g: repetition 0 is none"},
		{"nested deeply", []tree.ForeignField{foreign(0, deep, cell)}, "foreign field 900: nested deeper than 64"},
		{"unknown annotation", []tree.ForeignField{foreign(0, &tree.ForeignType{ID: 900, Name: "f", Repetition: tree.Optional, Physical: "INT64", Logical: "logical type 30"}, cell)}, `foreign field 900: f: unknown annotation "logical type 30"`},
		{"annotation of another type", []tree.ForeignField{foreign(0, &tree.ForeignType{ID: 900, Name: "f", Repetition: tree.Optional, Physical: "INT64", Logical: "string"}, cell)}, "String cannot be applied to primitive type INT64"},
	} {
		first := withForeign(false, foreign(0, leafType(800, "g", tree.Optional, "INT64"), cell))
		_, err := manifestio.Encode(io.Discard, manifestio.Schema{}, []tree.Entry{first, withForeign(false, c.fields...)}, manifestio.EncodeOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "manifestio: "+c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestEncodeNeverWritesEqualityIDs: the reader carries values of the dropped column equality_ids so that a checker sees
// them; they are never written again (Q1).
func TestEncodeNeverWritesEqualityIDs(t *testing.T) {
	ids := groupType(135, "equality_ids", tree.Optional, groupType(-1, "list", tree.Repeated, leafType(136, "element", tree.Required, "INT32")))
	ids.Logical = "list"
	e := withForeign(false,
		foreign(tree.InEntry, ids, tree.ForeignCell{Def: 2, Value: "\x01\x00\x00\x00"}),
		foreign(tree.InEntry, engineType, tree.ForeignCell{Def: 1, Value: "x"}))
	r := reopen(t, e)
	entries, err := r.ReadAll(tree.Full)
	if err != nil {
		t.Fatal(err)
	}
	if got := entries[0].Foreign; len(got) != 1 || got[0].Type.ID != 900 {
		t.Errorf("foreign fields after writing: %+v", got)
	}
}

// reopen writes one entry and opens what was written.
func reopen(t *testing.T, e tree.Entry) *manifestio.Reader {
	t.Helper()
	var file bytes.Buffer
	done, err := manifestio.Encode(&file, manifestio.Schema{}, []tree.Entry{e}, manifestio.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := manifestio.Open(bytes.NewReader(file.Bytes()), done.SizeBytes, "manifest", manifestio.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
