package match

import (
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// knowledge is what an entry says about the values of one column: which kinds of them its rows may hold, and what
// holds for those that are neither null nor NaN.
type knowledge struct {
	null, nan, value bool
	// lower and upper enclose the values; null if unknown.
	lower, upper tree.Value
	// prefix is one that all values have, of a string or binary column.
	prefix string
	// buckets are hashes that all values have.
	buckets []bucket
}

// bucket says that a bucket transform gives number for all values.
type bucket struct {
	transform iceberg.BucketTransform
	number    tree.Value
}

// nothing is what is known about a column without any source.
func nothing(typ iceberg.Type, required bool) knowledge {
	return knowledge{null: !required, nan: isFloat(typ), value: true}
}

func isFloat(typ iceberg.Type) bool {
	return typ.Equals(iceberg.PrimitiveTypes.Float32) || typ.Equals(iceberg.PrimitiveTypes.Float64)
}

// and returns what two sources say together.
func (k knowledge) and(o knowledge) knowledge {
	k.null, k.nan, k.value = k.null && o.null, k.nan && o.nan, k.value && o.value
	if k.lower.IsNull() || !o.lower.IsNull() && tree.Compare(o.lower, k.lower) > 0 {
		k.lower = o.lower
	}
	if k.upper.IsNull() || !o.upper.IsNull() && tree.Compare(o.upper, k.upper) < 0 {
		k.upper = o.upper
	}
	if len(o.prefix) > len(k.prefix) {
		k.prefix = o.prefix
	}
	k.buckets = append(k.buckets[:len(k.buckets):len(k.buckets)], o.buckets...)
	return k
}

// fromStats returns what statistics say about a column of a type. Counts that are absent or impossible say
// nothing, and so do NaN bounds (B36), bounds of another type and bounds in the wrong order.
func fromStats(s tree.FieldStats, typ iceberg.Type) knowledge {
	k := knowledge{null: true, nan: true, value: true}
	values, nulls, nans := count(s.ValueCount), count(s.NullCount), count(s.NaNCount)
	if !isFloat(typ) {
		nans = 0
	}
	k.null = nulls != 0
	k.nan = nans != 0
	if values > 0 {
		k.nan = k.nan && (nulls < 0 || nulls < values)
		k.value = (nulls < 0 || nulls < values) && (nans < 0 || nans < values) &&
			(nulls < 0 || nans < 0 || nulls+nans < values)
	}
	k.lower, k.upper = promote(s.Lower, typ), promote(s.Upper, typ)
	if !k.lower.IsNull() && !k.upper.IsNull() && tree.Compare(k.lower, k.upper) > 0 {
		k.lower, k.upper = tree.Value{}, tree.Value{}
	}
	return k
}

// count returns a count, or -1 if it is not known.
func count(n iceberg.Optional[int64]) int64 {
	if !n.Valid || n.Val < 0 {
		return -1
	}
	return n.Val
}

// promote returns a bound or a partition value as one of the column's type, which may have been widened since it
// was written; null if it is none.
func promote(v tree.Value, typ iceberg.Type) tree.Value {
	switch {
	case v.Kind() == tree.KindInt && typ.Equals(iceberg.PrimitiveTypes.Int64):
		return tree.Long(v.Number())
	case v.Kind() == tree.KindFloat && typ.Equals(iceberg.PrimitiveTypes.Float64):
		v = tree.Double(v.Float64())
	}
	decimal, isDecimal := typ.(iceberg.DecimalType)
	if v.Kind() != kindOf(typ) || v.IsNaN() || isDecimal && v.Scale() != decimal.Scale() {
		return tree.Value{}
	}
	return v
}

// kindOf returns the kind of the values of a type; [tree.KindNull] for types without an order of their own.
func kindOf(typ iceberg.Type) tree.Kind {
	switch typ.(type) {
	case iceberg.BooleanType:
		return tree.KindBool
	case iceberg.Int32Type:
		return tree.KindInt
	case iceberg.Int64Type:
		return tree.KindLong
	case iceberg.Float32Type:
		return tree.KindFloat
	case iceberg.Float64Type:
		return tree.KindDouble
	case iceberg.DateType:
		return tree.KindDate
	case iceberg.TimeType:
		return tree.KindTime
	case iceberg.TimestampType, iceberg.TimestampTzType:
		return tree.KindTimestamp
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return tree.KindTimestampNano
	case iceberg.DecimalType:
		return tree.KindDecimal
	case iceberg.StringType:
		return tree.KindString
	case iceberg.BinaryType:
		return tree.KindBinary
	case iceberg.FixedType:
		return tree.KindFixed
	case iceberg.UUIDType:
		return tree.KindUUID
	}
	return tree.KindNull
}

// above reports whether a is greater than b under every reading: -0.0 and 0.0 are not above each other.
func above(a, b tree.Value) bool { return tree.Compare(a, b) > 0 && !bothZero(a, b) }

func bothZero(a, b tree.Value) bool {
	return (a.Kind() == tree.KindFloat || a.Kind() == tree.KindDouble) && a.Kind() == b.Kind() && a.Float64() == 0 &&
		b.Float64() == 0
}

// mayEqual reports whether a value may be equal to the literal.
func (k knowledge) mayEqual(literal tree.Value) bool {
	switch {
	case !k.lower.IsNull() && above(k.lower, literal), !k.upper.IsNull() && above(literal, k.upper):
		return false
	case !strings.HasPrefix(literal.Bytes(), k.prefix):
		return false
	}
	for _, b := range k.buckets {
		if number, ok := applyBucket(b.transform, literal); ok && number != b.number {
			return false
		}
	}
	return true
}

// only returns the one value that all values are, if that is known.
func (k knowledge) only() (tree.Value, bool) {
	return k.lower, !k.lower.IsNull() && k.lower == k.upper
}

// mayBegin reports whether a value may begin with the prefix.
func (k knowledge) mayBegin(prefix string) bool {
	switch {
	case !k.upper.IsNull() && k.upper.Bytes() < prefix:
		return false
	case !k.lower.IsNull() && k.lower.Bytes() > prefix && !strings.HasPrefix(k.lower.Bytes(), prefix):
		return false
	}
	return strings.HasPrefix(prefix, k.prefix) || strings.HasPrefix(k.prefix, prefix)
}

// mustBegin reports whether all values begin with the prefix.
func (k knowledge) mustBegin(prefix string) bool {
	if strings.HasPrefix(k.prefix, prefix) {
		return true
	}
	return !k.lower.IsNull() && !k.upper.IsNull() && strings.HasPrefix(k.lower.Bytes(), prefix) &&
		strings.HasPrefix(k.upper.Bytes(), prefix)
}
