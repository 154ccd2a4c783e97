package datafile

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// ParsePartition reads partition values that a user gives as a JSON object, by the names or ids of the spec's
// fields, for [Options.Partition]. Nulls are listed. Numbers stand for themselves, dates as days and instants in
// the column's unit; strings may spell dates, times, instants, decimals and uuids, and binaries as 0x and hex.
func ParsePartition(data []byte, table *iceberg.Schema, spec iceberg.PartitionSpec) (tree.Tuple, error) {
	given := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&given); err != nil {
		return nil, fmt.Errorf("datafile: partition values: %w", err)
	}
	if decoder.More() {
		return nil, fmt.Errorf("datafile: partition values: more than one JSON value")
	}
	tuple := tree.Tuple{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		v, err := partitionFromJSON(key, given[key], table, spec)
		if err != nil {
			return nil, fmt.Errorf("datafile: partition value %s: %w", key, err)
		}
		if slices.ContainsFunc(tuple, func(o tree.PartitionValue) bool { return o.FieldID == v.FieldID }) {
			return nil, fmt.Errorf("datafile: partition value %s: given twice", key)
		}
		tuple = append(tuple, v)
	}
	slices.SortFunc(tuple, func(a, b tree.PartitionValue) int { return cmp.Compare(a.FieldID, b.FieldID) })
	return tuple, nil
}

func partitionFromJSON(key string, v any, table *iceberg.Schema, spec iceberg.PartitionSpec) (tree.PartitionValue, error) {
	for _, field := range spec.Fields() {
		if key != field.Name && key != strconv.Itoa(field.FieldID) {
			continue
		}
		source, found := table.FindFieldByID(field.SourceID())
		if !found {
			return tree.PartitionValue{}, fmt.Errorf("column %d is not in the schema", field.SourceID())
		}
		value, err := valueFromJSON(v, field.Transform.ResultType(source.Type))
		return tree.PartitionValue{FieldID: field.FieldID, Value: value}, err
	}
	return tree.PartitionValue{}, fmt.Errorf("spec %d has no such field", spec.ID())
}

// valueFromJSON returns a JSON value as one of the given type.
func valueFromJSON(v any, typ iceberg.Type) (tree.Value, error) {
	switch v := v.(type) {
	case nil:
		return tree.Value{}, nil
	case bool:
		if typ.Equals(iceberg.PrimitiveTypes.Bool) {
			return tree.Bool(v), nil
		}
	case json.Number:
		return numberFromText(v.String(), typ)
	case string:
		return valueFromText(v, typ)
	}
	return tree.Value{}, fmt.Errorf("%v is no %s", v, typ)
}

func numberFromText(text string, typ iceberg.Type) (tree.Value, error) {
	switch typ.(type) {
	case iceberg.DecimalType, iceberg.StringType, iceberg.UUIDType:
		return valueFromText(text, typ)
	case iceberg.Float32Type:
		f, err := strconv.ParseFloat(text, 32)
		return tree.Float(float32(f)), err
	case iceberg.Float64Type:
		f, err := strconv.ParseFloat(text, 64)
		return tree.Double(f), err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return tree.Value{}, fmt.Errorf("%s is no %s", text, typ)
	}
	kind, known := numberKinds[typ.Type()]
	short := kind == tree.KindInt || kind == tree.KindDate
	if !known || kind == tree.KindBool || short && (n < math.MinInt32 || n > math.MaxInt32) {
		return tree.Value{}, fmt.Errorf("%s is no %s", text, typ)
	}
	return tree.NumberValue(kind, n), nil
}

func valueFromText(text string, typ iceberg.Type) (tree.Value, error) {
	switch typ := typ.(type) {
	case iceberg.StringType:
		return tree.String(text), nil
	case iceberg.BinaryType:
		b, err := hexBytes(text)
		return tree.Binary(b), err
	case iceberg.FixedType:
		b, err := hexBytes(text)
		if err == nil && len(b) != typ.Len() {
			err = fmt.Errorf("%d bytes are no %s", len(b), typ)
		}
		return tree.Fixed(b), err
	case iceberg.DecimalType:
		const longest = 80
		if len(text) > longest || strings.Trim(text, "+-.0123456789") != "" {
			return tree.Value{}, fmt.Errorf("%q is no %s", text, typ)
		}
	}
	literal, err := iceberg.NewLiteral(text).To(typ)
	if err != nil {
		return tree.Value{}, fmt.Errorf("%q is no %s", text, typ)
	}
	v, err := tree.FromLiteral(literal)
	if err == nil && !spells(text, v) {
		err = fmt.Errorf("%q is not exactly a %s", text, typ)
	}
	return v, err
}

// spells reports whether the library took a text for what it says: it rounds decimals to the column's scale,
// drops fractions of a microsecond, and wraps nanoseconds around outside the years 1678 to 2261.
func spells(text string, v tree.Value) bool {
	switch v.Kind() {
	case tree.KindDecimal:
		want, ok := new(big.Rat).SetString(text)
		n, scale := v.Unscaled()
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		return ok && want.Cmp(new(big.Rat).SetFrac(n, power)) == 0
	case tree.KindTimestamp:
		_, fraction, _ := strings.Cut(text, ".")
		const microDigits = 6
		return len(strings.TrimRight(fraction, "+-:Z0123456789")) == 0 && strings.IndexAny(fraction+"Z", "+-Z") <= microDigits
	case tree.KindTimestampNano:
		year, err := strconv.Atoi(text[:min(4, len(text))])
		return err == nil && year > 1677 && year < 2262
	}
	return true
}

func hexBytes(text string) ([]byte, error) {
	digits, prefixed := strings.CutPrefix(text, "0x")
	b, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, fmt.Errorf("%q is not 0x and an even number of hex digits", text)
	}
	return b, nil
}
