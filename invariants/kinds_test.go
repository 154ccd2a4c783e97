package invariants_test

import (
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// A bound fits the column's type and no other (rules 3.1, 4.1, B46).
func TestKinds(t *testing.T) {
	kinds := []struct {
		types []iceberg.Type
		value tree.Value
	}{
		{[]iceberg.Type{iceberg.BooleanType{}}, tree.Bool(true)},
		{[]iceberg.Type{iceberg.Int32Type{}}, tree.Int(1)},
		{[]iceberg.Type{iceberg.Int64Type{}}, tree.Long(1)},
		{[]iceberg.Type{iceberg.Float32Type{}}, tree.Float(1)},
		{[]iceberg.Type{iceberg.Float64Type{}}, tree.Double(1)},
		{[]iceberg.Type{iceberg.DateType{}}, tree.Date(1)},
		{[]iceberg.Type{iceberg.TimeType{}}, tree.Time(1)},
		{[]iceberg.Type{iceberg.TimestampType{}, iceberg.TimestampTzType{}}, tree.Timestamp(1)},
		{[]iceberg.Type{iceberg.TimestampNsType{}, iceberg.TimestampTzNsType{}}, tree.TimestampNano(1)},
		{[]iceberg.Type{iceberg.DecimalTypeOf(9, 2)}, tree.DecimalInt64(1, 2)},
		{[]iceberg.Type{iceberg.DecimalTypeOf(9, 3)}, tree.DecimalInt64(1, 3)},
		{[]iceberg.Type{iceberg.StringType{}}, tree.String("x")},
		{[]iceberg.Type{iceberg.BinaryType{}}, tree.Binary([]byte("x"))},
		{[]iceberg.Type{iceberg.FixedTypeOf(1)}, tree.Fixed([]byte("x"))},
		{[]iceberg.Type{iceberg.FixedTypeOf(2)}, tree.Fixed([]byte("xy"))},
		{[]iceberg.Type{iceberg.UUIDType{}}, tree.UUID(uuid.Nil)},
		{[]iceberg.Type{iceberg.GeometryType{}, iceberg.GeographyType{}}, tree.Geo(0, 0, 0, 0)},
	}
	for i, k := range kinds {
		for _, typ := range k.types {
			for j, other := range kinds {
				s := goodFile()
				s.table.Schemas = []*iceberg.Schema{iceberg.NewSchema(0, iceberg.NestedField{ID: 9, Name: "x", Type: typ})}
				s.entry.Stats = tree.Stats{{FieldID: 9, Lower: other.value, Upper: other.value, Tight: some(false)}}
				var want []string
				if i != j {
					want = []string{"E-BOUND-KIND"}
				}
				if found := s.violations(invariants.RootOnly); !slices.Equal(ids(found), want) {
					t.Errorf("%s, %s %s: %v", typ, other.value.Kind(), other.value, ids(found))
				}
			}
		}
	}
}

// A promoted column has bounds of either type; a uuid has sixteen bytes.
func TestPromotedKinds(t *testing.T) {
	column := func(typ iceberg.Type) *iceberg.Schema {
		return iceberg.NewSchema(0, iceberg.NestedField{ID: 9, Name: "x", Type: typ})
	}
	for _, c := range []struct {
		value tree.Value
		want  string
	}{
		{tree.Int(1), ""}, {tree.Long(1), ""},
		{tree.Date(1), "a value of type int or a value of type long"},
		{tree.BytesValue(tree.KindUUID, "short"), "a value of type int or a value of type long"},
	} {
		s := goodFile()
		s.table.Schemas = []*iceberg.Schema{column(iceberg.Int32Type{}), column(iceberg.Int64Type{})}
		s.entry.Stats = tree.Stats{{FieldID: 9, Lower: c.value, Tight: some(false)}}
		found := s.violations(invariants.RootOnly)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || found[0].Expected != c.want) {
			t.Errorf("%s: %s", c.value.Kind(), messages(found))
		}
	}
	s := goodFile()
	s.table.Schemas = []*iceberg.Schema{column(iceberg.UUIDType{})}
	s.entry.Stats = tree.Stats{{FieldID: 9, Lower: tree.BytesValue(tree.KindUUID, "short"), Tight: some(false)}}
	if found := s.violations(invariants.RootOnly); !slices.Equal(ids(found), []string{"E-BOUND-KIND"}) {
		t.Errorf("a short uuid: %s", messages(found))
	}
}
