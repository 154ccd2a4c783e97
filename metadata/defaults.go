package metadata

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/apache/iceberg-go"
)

// defaultsVersion is the first format version in which columns have defaults.
const defaultsVersion = 3

// defaultValue returns a default in the form in which it is read from a file, if a column of the type may have
// it (MD13).
func (d *schemaDraft) defaultValue(typ iceberg.Type, value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	if d.table.FormatVersion < defaultsVersion {
		return nil, fmt.Errorf("format version %d has no defaults", d.table.FormatVersion)
	}
	column := iceberg.NestedField{ID: 1, Name: "c", Type: typ, InitialDefault: value}
	if _, nested := typ.(iceberg.NestedType); nested {
		column.Type = iceberg.StringType{} // ids that do not count are no reason to refuse
	}
	text, err := json.Marshal(column)
	if err != nil {
		return nil, fmt.Errorf("its default cannot be written: %w", err)
	}
	reader := newDecoder(text, Limits{}.withDefaults())
	reader.fieldIDs = fieldIDs{given: map[int]struct{}{}}
	settled := reader.field().InitialDefault
	if reader.err != nil {
		return nil, fmt.Errorf("its default cannot be read: %w", reader.err)
	}
	if !fits(typ, settled) {
		return nil, fmt.Errorf("%s is no default of type %s", shorten(fmt.Sprintf("%#v", settled)), typ)
	}
	return settled, nil
}

// settleDefaults gives new columns, and those that they hold, their defaults in the form in which they are read.
func (d *schemaDraft) settleDefaults(prefix string, added *[]iceberg.NestedField) error {
	var first error
	settle := func(p place, value *any) {
		settled, err := d.defaultValue(*p.typ, *value)
		if err != nil && first == nil {
			first = fmt.Errorf("%q: %w", p.name, err)
		}
		*value = settled
	}
	walk(prefix, added, false, func(p place) {
		if p.field != nil {
			settle(p, &p.field.InitialDefault)
			settle(p, &p.field.WriteDefault)
		}
	})
	return first
}

var decimalText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// fits reports whether a value that was read from JSON is one of the type. Lists and maps, and the types that
// must default to null, have none.
func fits(typ iceberg.Type, value any) bool {
	text, isText := value.(string)
	switch t := typ.(type) {
	case iceberg.BooleanType:
		_, ok := value.(bool)
		return ok
	case iceberg.Int32Type:
		n, ok := value.(int64)
		return ok && n == int64(int32(n))
	case iceberg.Int64Type:
		_, ok := value.(int64)
		return ok
	case iceberg.Float32Type:
		f, ok := value.(float64)
		_, whole := value.(int64)
		return whole || ok && math.Abs(f) <= math.MaxFloat32
	case iceberg.Float64Type:
		_, ok := value.(float64)
		_, whole := value.(int64)
		return whole || ok
	case iceberg.StringType:
		return isText
	case iceberg.BinaryType:
		_, err := hex.DecodeString(text)
		return isText && err == nil
	case iceberg.FixedType:
		bytes, err := hex.DecodeString(text)
		return isText && err == nil && len(bytes) == t.Len()
	case iceberg.DecimalType:
		_, fraction, _ := strings.Cut(text, ".")
		return isText && decimalText.MatchString(text) && len(fraction) == t.Scale() && converts(text, typ)
	case iceberg.DateType, iceberg.TimeType, iceberg.UUIDType, iceberg.TimestampType, iceberg.TimestampTzType,
		iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return isText && converts(text, typ)
	case *iceberg.StructType:
		members, ok := value.(map[string]any)
		return ok && len(members) == 0
	}
	return false
}

func converts(text string, typ iceberg.Type) bool {
	_, err := iceberg.StringLiteral(text).To(typ)
	return err == nil
}
