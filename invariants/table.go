package invariants

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// Table is what the rules need to know of a table besides its trees. The zero Table knows nothing; rules that need
// a schema or the specs then report nothing (IV8).
type Table struct {
	// Schemas are all schemas of the table.
	Schemas []*iceberg.Schema
	// Specs are all partition specs of the table.
	Specs []iceberg.PartitionSpec

	// types are those of the columns that were asked for, nil where they are not remembered.
	types map[int][]iceberg.Type
}

// remembering returns the table so that it remembers the types of columns. It is for one goroutine then.
func (t Table) remembering() Table {
	t.types = make(map[int][]iceberg.Type)
	return t
}

// spec returns the partition spec of an id.
func (t Table) spec(id int32) (iceberg.PartitionSpec, bool) {
	for _, s := range t.Specs {
		if s.ID() == int(id) {
			return s, true
		}
	}
	return iceberg.PartitionSpec{}, false
}

// columnTypes returns the types that a column has had, in the order of the schemas.
func (t Table) columnTypes(columnID int) []iceberg.Type {
	types, known := t.types[columnID]
	if known {
		return types
	}
	for _, s := range t.Schemas {
		if typ, ok := s.FindTypeByID(columnID); ok {
			types = append(types, typ)
		}
	}
	if t.types != nil {
		t.types[columnID] = types
	}
	return types
}

// partitionTypes returns the types that the values of a partition field may have: one for each schema that has the
// field's source, which may have been promoted or dropped since (rules 2.7.1, B47).
func (t Table) partitionTypes(f iceberg.PartitionField) []iceberg.Type {
	var types []iceberg.Type
	for _, source := range t.columnTypes(f.SourceID()) {
		types = append(types, f.Transform.ResultType(source))
	}
	return types
}

// hasPartitionField reports whether some spec has a partition field of this id.
func (t Table) hasPartitionField(fieldID int) bool {
	return slices.ContainsFunc(t.Specs, func(s iceberg.PartitionSpec) bool {
		return hasField(s, fieldID)
	})
}

func partitionField(s iceberg.PartitionSpec, fieldID int) (iceberg.PartitionField, bool) {
	for _, f := range s.Fields() {
		if f.FieldID == fieldID {
			return f, true
		}
	}
	return iceberg.PartitionField{}, false
}

func hasField(s iceberg.PartitionSpec, fieldID int) bool {
	_, ok := partitionField(s, fieldID)
	return ok
}

// onlyVoid reports whether every field of a spec is void: such a spec partitions nothing, and whether its files
// count as unpartitioned is not stated (rules 0.6-6).
func onlyVoid(s iceberg.PartitionSpec) bool {
	for _, f := range s.Fields() {
		if _, void := f.Transform.(iceberg.VoidTransform); !void {
			return false
		}
	}
	return true
}

// fits reports whether a value can be one of a column of some of the types. No type means unknown and fits all.
func fits(v tree.Value, types []iceberg.Type) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t iceberg.Type) bool { return isOf(v, t) })
}

// isOf reports whether a value is one of a type: kind, and where the type says so scale or length (rules 4.1). A
// value of a type that is not known here passes.
func isOf(v tree.Value, t iceberg.Type) bool {
	switch typ := t.(type) {
	case iceberg.BooleanType:
		return v.Kind() == tree.KindBool
	case iceberg.Int32Type:
		return v.Kind() == tree.KindInt
	case iceberg.Int64Type:
		return v.Kind() == tree.KindLong
	case iceberg.Float32Type:
		return v.Kind() == tree.KindFloat
	case iceberg.Float64Type:
		return v.Kind() == tree.KindDouble
	case iceberg.DateType:
		return v.Kind() == tree.KindDate
	case iceberg.TimeType:
		return v.Kind() == tree.KindTime
	case iceberg.TimestampType, iceberg.TimestampTzType:
		return v.Kind() == tree.KindTimestamp
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return v.Kind() == tree.KindTimestampNano
	case iceberg.DecimalType:
		return v.Kind() == tree.KindDecimal && v.Scale() == typ.Scale()
	case iceberg.StringType:
		return v.Kind() == tree.KindString
	case iceberg.BinaryType:
		return v.Kind() == tree.KindBinary
	case iceberg.FixedType:
		return v.Kind() == tree.KindFixed && len(v.Bytes()) == typ.Len()
	case iceberg.UUIDType:
		return v.Kind() == tree.KindUUID && len(v.Bytes()) == 16
	case iceberg.GeometryType, iceberg.GeographyType:
		return v.Kind() == tree.KindGeo
	}
	return true
}

// hasTightness reports whether statistics of a column say if its bounds are tight: those of primitive columns do,
// those of geometries, geographies and variants do not (rules 3.1). False also if nothing tells.
func hasTightness(f tree.FieldStats, types []iceberg.Type) bool {
	if len(types) == 0 {
		bound := f.Lower
		if bound.IsNull() {
			bound = f.Upper
		}
		return !bound.IsNull() && bound.Kind() != tree.KindGeo
	}
	return !slices.ContainsFunc(types, func(t iceberg.Type) bool {
		switch t.(type) {
		case iceberg.GeometryType, iceberg.GeographyType, iceberg.VariantType:
			return true
		}
		return false
	})
}

// describe names types for messages.
func describe(types []iceberg.Type) string {
	text := ""
	for i, t := range types {
		if i > 0 {
			text += " or "
		}
		text += "a value of type " + t.String()
	}
	return text
}
