package metadata_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/metadata"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Unknown members at every level, in spellings that a decoder to Go values would lose, come out as they went in.
func TestUnknownMembersSurvive(t *testing.T) {
	const odd = `{"big":12345678901234567890.10,"e":1E+2,"s":"\u00e9<\/>\ud83d\ude00","n":null,"l":[[],{}],"é":true}`
	text := smallest
	for _, place := range []string{
		`"format-version": 4`,                    // table
		`"type": "struct"`,                       // schema
		`"id": 1, "name": "id"`,                  // column
		`"spec-id": 0`,                           // spec
		`"source-id": 1`,                         // partition field
		`"order-id": 0`,                          // sort order
		`"root-manifest": "m/r.parquet"`,         // snapshot
		`"timestamp-ms": 1000, "snapshot-id": 7`, // snapshot log
		`"timestamp-ms": 900`,                    // metadata log
		`"snapshot-id": 7, "type": "branch"`,     // ref
	} {
		if strings.Count(text, place) != 1 {
			t.Fatalf("%s stands %d times", place, strings.Count(text, place))
		}
		text = strings.Replace(text, place, `"x-odd": `+odd+`, `+place, 1)
	}
	m, err := metadata.Parse([]byte(text), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generic(t, []byte(text)), generic(t, out)); diff != "" {
		t.Errorf("written differs from read (-read +written):\n%s", diff)
	}
	if n := bytes.Count(out, []byte(odd)); n != 10 {
		t.Errorf("%d of 10 places kept their spelling in %s", n, out)
	}
}

func TestEscapes(t *testing.T) {
	m, err := metadata.Parse([]byte(edited(t, `"a": "b"`, `"a": "\u00e9\uD83D\ude00\/\b\f\n\r\t\"\\<é\\ud83d\uFFFD\ud7ff\ue000\ud83d\uDE00"`)), metadata.Limits{})
	if want := "é😀/\b\f\n\r\t\"\\<é\\ud83d\ufffd\ud7ff\ue000😀"; err != nil || m.Properties["a"] != want {
		t.Errorf("%q, %v", m.Properties["a"], err)
	}
}

// White space goes only from between tokens.
func TestUnknownMembersAreCompact(t *testing.T) {
	m, err := metadata.Parse([]byte(edited(t, `"next-row-id"`, `"x" : { "a" : [ "\\" , " \" , " ] , "b c" : 1 } , "next-row-id"`)), metadata.Limits{})
	want := metadata.Unknown{{Name: "x", JSON: `{"a":["\\"," \" , "],"b c":1}`}}
	if diff := cmp.Diff(want, m.Unknown); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// White space and the order of known members do not matter; null is the same as absent.
func TestCanonicalForm(t *testing.T) {
	a, err := metadata.Parse([]byte(smallest), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(edited(t, `"schema-id": 0, "first-row-id"`, `"key-id": null, "schema-id": 0, "first-row-id"`))); err != nil {
		t.Fatal(err)
	}
	b, err := metadata.Parse(compact.Bytes(), metadata.Limits{})
	if err != nil || !a.Equal(b) {
		t.Errorf("not equal (%v)", err)
	}
	changed := b
	changed.NextRowID++
	if a.Equal(changed) {
		t.Error("equal although a counter differs")
	}
	appended, err := a.AppendJSON([]byte("head["))
	if err != nil || !bytes.HasPrefix(appended, []byte(`head[{"format-version":4,`)) {
		t.Errorf("AppendJSON: %.40s, %v", appended, err)
	}
}

func TestMissingRefsMeanMain(t *testing.T) {
	m, err := metadata.Parse([]byte(edited(t, `"refs": {"main": {"snapshot-id": 7, "type": "branch"}}`, `"x": 1`)), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if ref, ok := m.Ref(metadata.MainBranch); !ok || ref.SnapshotID != 7 || ref.Type != metadata.Branch {
		t.Errorf("main: %v, %v", ref, ok)
	}
}

// What would come out unreadable is refused when it is written.
func TestUnwritable(t *testing.T) {
	valid, err := metadata.Parse([]byte(smallest), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*metadata.Table){
		"text that is no UTF-8":      func(m *metadata.Table) { m.UUID = "\xff" },
		"known name as unknown":      func(m *metadata.Table) { m.Unknown = metadata.Unknown{{Name: "refs", JSON: "{}"}} },
		"unknown name twice":         func(m *metadata.Table) { m.Unknown = metadata.Unknown{{Name: "x", JSON: "1"}, {Name: "x", JSON: "2"}} },
		"text that is no JSON":       func(m *metadata.Table) { m.Unknown = metadata.Unknown{{Name: "x", JSON: "{"}} },
		"sort order that is no JSON": func(m *metadata.Table) { m.SortOrders = []metadata.SortOrder{{ID: 1}} },
		"ref twice":                  func(m *metadata.Table) { m.Refs = append(m.Refs[:1:1], m.Refs[0]) },
		"older version":              func(m *metadata.Table) { m.FormatVersion = 3 },
		"column without type": func(m *metadata.Table) {
			m.Schemas = []*iceberg.Schema{iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "a"})}
		},
	} {
		m := valid
		change(&m)
		if out, err := m.Marshal(); err == nil {
			t.Errorf("%s: written as %s", name, out)
		}
	}
}

// Any table that can be written is read back equal, and written again with the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := drawTable(r)
		first, err := m.Marshal()
		if err != nil {
			r.Fatal(err)
		}
		back, err := metadata.Parse(first, metadata.Limits{})
		if err != nil {
			r.Fatalf("%v in %s", err, first)
		}
		second, err := back.Marshal()
		if err != nil || !bytes.Equal(first, second) {
			r.Fatalf("%v\nfirst  %s\nsecond %s", err, first, second)
		}
		if diff := cmp.Diff(m.Snapshots, back.Snapshots); diff != "" {
			r.Fatalf("snapshots (-drawn +read):\n%s", diff)
		}
		if diff := cmp.Diff(m.Refs, back.Refs); diff != "" {
			r.Fatalf("refs (-drawn +read):\n%s", diff)
		}
		for i, s := range m.Schemas {
			if !s.Equals(back.Schemas[i]) || s.ID != back.Schemas[i].ID {
				r.Fatalf("schema %s\nread   %s", s, back.Schemas[i])
			}
		}
		for i, s := range m.Specs {
			if !s.Equals(back.Specs[i]) {
				r.Fatalf("spec %s\nread %s", s, back.Specs[i])
			}
		}
	})
}

func drawTable(r *rapid.T) metadata.Table {
	number := rapid.Int64()
	id := rapid.IntRange(0, 1<<31-1)
	m := metadata.Table{
		FormatVersion:      metadata.FormatVersion,
		UUID:               rapid.String().Draw(r, "uuid"),
		Location:           drawOptional(r, rapid.String(), "location"),
		LastSequenceNumber: number.Draw(r, "last sequence number"),
		LastUpdatedMillis:  number.Draw(r, "last updated"),
		LastColumnID:       id.Draw(r, "last column"),
		LastPartitionID:    id.Draw(r, "last partition"),
		NextRowID:          number.Draw(r, "next row id"),
		SortOrders:         []metadata.SortOrder{metadata.Unsorted},
		Properties:         rapid.MapOf(rapid.String(), rapid.String()).Draw(r, "properties"),
		Snapshots:          rapid.SliceOfN(rapid.Custom(drawSnapshot), 1, 4).Draw(r, "snapshots"),
		Unknown:            drawUnknown(r),
	}
	for i := range rapid.IntRange(1, 3).Draw(r, "schemas") {
		m.Schemas = append(m.Schemas, drawSchema(r, i))
		m.Specs = append(m.Specs, iceberg.NewPartitionSpecID(i, iceberg.PartitionField{
			SourceIDs: []int{1}, FieldID: 1000 + i, Name: rapid.String().Draw(r, "partition"),
			Transform: rapid.SampledFrom([]iceberg.Transform{iceberg.DayTransform{}, iceberg.BucketTransform{NumBuckets: 3}}).Draw(r, "transform"),
		}))
	}
	m.CurrentSchemaID = len(m.Schemas) - 1
	if rapid.Bool().Draw(r, "has current") {
		m.CurrentSnapshotID = optional(m.Snapshots[0].ID)
		m.Refs = []metadata.Ref{{
			Name: "main", SnapshotID: m.Snapshots[0].ID, Type: metadata.Branch,
			MinSnapshotsToKeep: drawOptional(r, id, "keep"), MaxAgeMillis: drawOptional(r, number, "age"), Unknown: drawUnknown(r),
		}}
		m.SnapshotLog = []metadata.SnapshotLogEntry{{SnapshotID: number.Draw(r, "log id"), Unknown: drawUnknown(r)}}
		m.MetadataLog = []metadata.MetadataLogEntry{{File: rapid.String().Draw(r, "file"), Unknown: drawUnknown(r)}}
	}
	return m
}

func drawSnapshot(r *rapid.T) metadata.Snapshot {
	number := rapid.Int64().Filter(func(n int64) bool { return n != -1 })
	return metadata.Snapshot{
		ID:              number.Draw(r, "snapshot id"),
		ParentID:        drawOptional(r, number, "parent"),
		SequenceNumber:  number.Draw(r, "sequence number"),
		TimestampMillis: number.Draw(r, "timestamp"),
		RootManifest:    drawOptional(r, rapid.String(), "root"),
		ManifestList:    drawOptional(r, rapid.String(), "list"),
		Summary:         rapid.MapOf(rapid.String(), rapid.String()).Draw(r, "summary"),
		SchemaID:        drawOptional(r, rapid.IntRange(-1<<31, 1<<31-1), "schema"),
		FirstRowID:      drawOptional(r, number, "first row"),
		AddedRows:       drawOptional(r, number, "added rows"),
		KeyID:           drawOptional(r, rapid.String(), "key"),
		Unknown:         drawUnknown(r),
	}
}

func drawSchema(r *rapid.T, id int) *iceberg.Schema {
	types := []iceberg.Type{
		iceberg.Int64Type{}, iceberg.StringType{}, iceberg.DecimalTypeOf(38, 10), iceberg.FixedTypeOf(7),
		iceberg.UnknownType{}, iceberg.VariantType{}, iceberg.TimestampTzNsType{}, iceberg.GeometryType{},
	}
	next := 0
	field := func(t iceberg.Type) iceberg.NestedField {
		next++
		return iceberg.NestedField{
			ID: next, Name: fmt.Sprintf("%s%d", rapid.String().Draw(r, "name"), next), Type: t,
			Required: rapid.Bool().Draw(r, "required"), Doc: rapid.String().Draw(r, "doc"),
		}
	}
	var fields []iceberg.NestedField
	for range rapid.IntRange(1, 3).Draw(r, "columns") {
		t := rapid.SampledFrom(types).Draw(r, "type")
		switch rapid.IntRange(0, 3).Draw(r, "nesting") {
		case 1:
			t = &iceberg.StructType{FieldList: []iceberg.NestedField{field(t)}}
		case 2:
			next++
			t = &iceberg.ListType{ElementID: next, Element: t, ElementRequired: rapid.Bool().Draw(r, "element required")}
		case 3:
			next += 2
			t = &iceberg.MapType{KeyID: next - 1, KeyType: iceberg.StringType{}, ValueID: next, ValueType: t}
		}
		fields = append(fields, field(t))
	}
	return iceberg.NewSchema(id, fields...)
}

func drawUnknown(r *rapid.T) metadata.Unknown {
	var u metadata.Unknown
	for i := range rapid.IntRange(0, 2).Draw(r, "unknown") {
		value, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.Float64()).Draw(r, "unknown value"))
		if err != nil {
			r.Fatal(err)
		}
		u = append(u, metadata.Member{Name: fmt.Sprintf("x%d%s", i, rapid.String().Draw(r, "unknown name")), JSON: string(value)})
	}
	return u
}

func drawOptional[T any](r *rapid.T, g *rapid.Generator[T], label string) iceberg.Optional[T] {
	if !rapid.Bool().Draw(r, "has "+label) {
		return iceberg.Optional[T]{}
	}
	return optional(g.Draw(r, label))
}
