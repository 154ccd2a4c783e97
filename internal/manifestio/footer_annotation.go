package manifestio

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/internal/parquetguard"
)

// fileAnnotation is a Parquet logical type as a footer has it. The zero fileAnnotation is none.
type fileAnnotation struct {
	name             string
	precision, scale int    // of a decimal
	unit             string // of a time or timestamp: millis, micros, nanos
	utc              bool   // of a time or timestamp: adjusted to UTC
	bits             int    // of an int
	signed           bool   // of an int
	crs, edges       string // of a geometry or geography
}

// The names of the logical types by their field id in the LogicalType union.
var logicalNames = map[int]string{
	1: "string", 2: "map", 3: "list", 4: "enum", 5: "decimal", 6: "date", 7: "time", 8: "timestamp",
	10: "int", 11: "null", 12: "json", 13: "bson", 14: "uuid", 15: "float16", 16: "variant",
	17: "geometry", 18: "geography",
}

// The units of times and the edge algorithms of geographies, by their number in the format.
var (
	timeUnits      = [...]string{1: "millis", "micros", "nanos"}
	edgeAlgorithms = [...]string{"spherical", "vincenty", "thomas", "andoyer", "karney"}
)

// The converted types by their number, as the logical types that they stand for where a file has no other. A
// converted time or timestamp is adjusted to UTC. The third is the inside of a map and says nothing.
var convertedTypes = [...]fileAnnotation{
	{name: "string"}, {name: "map"}, {}, {name: "list"}, {name: "enum"}, {name: "decimal"}, {name: "date"},
	{name: "time", unit: "millis", utc: true}, {name: "time", unit: "micros", utc: true},
	{name: "timestamp", unit: "millis", utc: true}, {name: "timestamp", unit: "micros", utc: true},
	{name: "int", bits: 8}, {name: "int", bits: 16}, {name: "int", bits: 32}, {name: "int", bits: 64},
	{name: "int", bits: 8, signed: true}, {name: "int", bits: 16, signed: true},
	{name: "int", bits: 32, signed: true}, {name: "int", bits: 64, signed: true},
	{name: "json"}, {name: "bson"}, {name: "interval"},
}

// String returns the annotation in the notation of [tree.ForeignType], empty for none.
func (a fileAnnotation) String() string {
	switch a.name {
	case "time", "timestamp":
		zone := "local"
		if a.utc {
			zone = "utc"
		}
		return fmt.Sprintf("%s(%s,%s)", a.name, a.unit, zone)
	case "int":
		sign := "u"
		if a.signed {
			sign = ""
		}
		return fmt.Sprintf("%sint(%d)", sign, a.bits)
	case "geometry":
		return geometryAnnotation + a.crs
	case "geography":
		return geographyAnnotation + a.edges + ":" + a.crs
	}
	return a.name
}

// parseLogicalType decodes a LogicalType union. A member of a later Parquet version gets a name of its own,
// under which a foreign column can be read and not be written again.
func parseLogicalType(t *parquetguard.Reader, typ byte) (a fileAnnotation) {
	t.Nested(typ, func(id int, typ byte) {
		a.name = logicalNames[id]
		if a.name == "" {
			a.name = fmt.Sprintf("logical type %d", id)
		}
		t.Nested(typ, func(id int, typ byte) { a.parseField(t, id, typ) })
	})
	return a
}

// parseField decodes a field of a member of the LogicalType union.
func (a *fileAnnotation) parseField(t *parquetguard.Reader, id int, typ byte) {
	timed := a.name == "time" || a.name == "timestamp"
	switch {
	case a.name == "decimal" && id == 1:
		a.scale = int(t.Number(typ))
	case a.name == "decimal" && id == 2:
		a.precision = int(t.Number(typ))
	case timed && id == 1:
		a.utc = t.Flag(typ)
	case timed && id == 2:
		t.Nested(typ, func(id int, typ byte) {
			if id >= 1 && id < len(timeUnits) {
				a.unit = timeUnits[id]
			}
			t.Skip(typ)
		})
	case a.name == "int" && id == 1:
		a.bits = int(t.Number(typ))
	case a.name == "int" && id == 2:
		a.signed = t.Flag(typ)
	case strings.HasPrefix(a.name, "geo") && id == 1:
		a.crs = t.Text(typ)
	case a.name == "geography" && id == 2:
		if n := t.Number(typ); n >= 0 && n < int64(len(edgeAlgorithms)) {
			a.edges = edgeAlgorithms[n]
		}
	default:
		t.Skip(typ)
	}
}

// convertedType returns what a converted type stands for. precision and scale are those of the schema
// element, which belong to a decimal.
func convertedType(number int64, precision, scale int) fileAnnotation {
	if number < 0 || number >= int64(len(convertedTypes)) {
		return fileAnnotation{name: fmt.Sprintf("converted type %d", number)}
	}
	a := convertedTypes[number]
	if a.name == "decimal" {
		a.precision, a.scale = precision, scale
	}
	return a
}
