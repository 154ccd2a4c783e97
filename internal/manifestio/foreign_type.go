package manifestio

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/firn-io/firn/tree"
)

// maxForeignDepth bounds the nesting of a foreign type.
const maxForeignDepth = 64

func parquetRepetition(r tree.Repetition) (parquet.Repetition, bool) {
	switch r {
	case tree.Required:
		return parquet.Repetitions.Required, true
	case tree.Optional:
		return parquet.Repetitions.Optional, true
	case tree.Repeated:
		return parquet.Repetitions.Repeated, true
	}
	return parquet.Repetitions.Undefined, false
}

var physicalTypes = func() map[string]parquet.Type {
	m := make(map[string]parquet.Type)
	for _, t := range []parquet.Type{parquet.Types.Boolean, parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Int96,
		parquet.Types.Float, parquet.Types.Double, parquet.Types.ByteArray, parquet.Types.FixedLenByteArray} {
		m[t.String()] = t
	}
	return m
}()

// annotation is a logical type without free parameters, under the name that [tree.ForeignType] keeps.
type annotation struct {
	name string
	typ  schema.LogicalType
}

var annotations = func() []annotation {
	list := []annotation{
		{"string", schema.StringLogicalType{}}, {"map", schema.MapLogicalType{}}, {"list", schema.NewListLogicalType()},
		{"enum", schema.EnumLogicalType{}}, {"date", schema.DateLogicalType{}}, {"json", schema.JSONLogicalType{}},
		{"bson", schema.BSONLogicalType{}}, {"uuid", schema.UUIDLogicalType{}}, {"interval", schema.IntervalLogicalType{}},
		{"float16", schema.Float16LogicalType{}}, {"variant", schema.VariantLogicalType{}}, {"null", schema.NullLogicalType{}},
	}
	for _, unit := range []schema.TimeUnitType{schema.TimeUnitMillis, schema.TimeUnitMicros, schema.TimeUnitNanos} {
		for i, zone := range []string{"local", "utc"} {
			name, utc := fmt.Sprintf("(%s,%s)", [...]string{"millis", "micros", "nanos"}[unit], zone), i == 1
			list = append(list, annotation{"time" + name, schema.NewTimeLogicalType(utc, unit)},
				annotation{"timestamp" + name, schema.NewTimestampLogicalType(utc, unit)})
		}
	}
	for _, width := range []int8{8, 16, 32, 64} {
		list = append(list, annotation{fmt.Sprintf("int(%d)", width), schema.NewIntLogicalType(width, true)},
			annotation{fmt.Sprintf("uint(%d)", width), schema.NewIntLogicalType(width, false)})
	}
	return list
}()

// The names of the annotations that have parameters of their own.
const (
	decimalAnnotation   = "decimal"
	geometryAnnotation  = "geometry:"  // and the coordinate reference system
	geographyAnnotation = "geography:" // and the algorithm, a colon and the coordinate reference system
)

// annotationOf returns the logical type of a foreign type, nil for none.
func annotationOf(t *tree.ForeignType) (schema.LogicalType, error) {
	if t.Logical == "" {
		return nil, nil
	}
	if t.Logical == decimalAnnotation {
		if t.Precision < 1 || t.Scale < 0 || t.Scale > t.Precision {
			return nil, fmt.Errorf("decimal(%d,%d) is none", t.Precision, t.Scale)
		}
		return schema.NewDecimalLogicalType(int32(t.Precision), int32(t.Scale)), nil
	}
	if crs, ok := strings.CutPrefix(t.Logical, geometryAnnotation); ok {
		return schema.GeometryLogicalType{Crs: crs}, nil
	}
	if rest, ok := strings.CutPrefix(t.Logical, geographyAnnotation); ok {
		algorithm, crs, _ := strings.Cut(rest, ":")
		return schema.GeographyLogicalType{Crs: crs, Algorithm: schema.GeographyEdgeInterpolationAlgorithm(algorithm)}, nil
	}
	for _, a := range annotations {
		if a.name == t.Logical {
			return a.typ, nil
		}
	}
	return nil, fmt.Errorf("unknown annotation %q", t.Logical)
}
