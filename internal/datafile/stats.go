package datafile

import (
	"errors"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// errStop ends a scan whose answer is known.
var errStop = errors.New("stop")

// columnStats is what is known about a scalar column of the file, bounds at full length and of the table's type.
type columnStats struct {
	values int64
	// nulls is the number of nulls, or -1 where a row group does not say.
	nulls        int64
	lower, upper bound
}

// bound is the lower or upper bound of some values: null if unknown.
type bound struct {
	value tree.Value
	// exact says that one of the values is equal to it.
	exact bool
}

func (s columnStats) allNull() bool { return s.nulls == s.values }

// exact reports whether both bounds are known to be values of the column.
func (s columnStats) exact() bool { return s.lower.exact && s.upper.exact }

// columnStats adds up the row groups. Bounds of floats are left out: a footer does not say whether there are NaNs.
func (f *file) columnStats(c column) columnStats {
	var s columnStats
	var lowers, uppers []bound
	for i := range f.footer.RowGroups {
		chunk := f.chunk(i, c.node.column)
		s.values += chunk.MetaData.NumValues
		switch {
		case !chunk.stats.HasNullCount:
			s.nulls = -1
		case s.nulls >= 0:
			s.nulls += chunk.stats.NullCount
		}
		if chunk.stats.HasNullCount && chunk.stats.NullCount == chunk.MetaData.NumValues {
			continue // nothing to bound
		}
		lower, upper := f.chunkBounds(c, chunk)
		lowers, uppers = append(lowers, lower), append(uppers, upper)
	}
	if !isFloat(c.field.Type) {
		s.setBounds(outermost(lowers, -1), outermost(uppers, 1))
	}
	return s
}

// setBounds takes both bounds over, unless they contradict each other.
func (s *columnStats) setBounds(lower, upper bound) {
	known := !lower.value.IsNull() && !upper.value.IsNull()
	if known && tree.Compare(lower.value, upper.value) > 0 {
		return
	}
	s.lower, s.upper = lower, upper
}

// outermost returns the least (sign -1) or the greatest bound; unknown if one of them is. It is exact if any of
// the bounds equal to it is.
func outermost(bounds []bound, sign int) bound {
	var out bound
	for i, b := range bounds {
		if b.value.IsNull() {
			return bound{}
		}
		switch order := tree.Compare(b.value, out.value) * sign; {
		case i == 0 || order > 0:
			out = b
		case order == 0:
			out.exact = out.exact || b.exact
		}
	}
	return out
}

// chunkBounds returns the bounds that the footer gives for one row group. The fields min_value and max_value count
// only where the footer says that they follow the type's order, the deprecated ones where signed order is the
// type's order.
func (f *file) chunkBounds(c column, chunk columnChunk) (lower, upper bound) {
	s := chunk.stats
	typed := f.footer.ColumnOrders != nil && f.footer.ColumnOrders[c.node.column].TypeOrder != nil
	switch {
	case typed && (s.MinValue != nil || s.MaxValue != nil):
		return c.bound(s.MinValue, s.MinExact), c.bound(s.MaxValue, s.MaxExact)
	case c.node.leaf.signedOrder():
		return c.bound(s.Min, false), c.bound(s.Max, false)
	}
	return bound{}, bound{}
}

// signedOrder reports whether the leaf's values are ordered as signed integers, or are booleans.
func (t *leafType) signedOrder() bool {
	return !t.unsigned && (t.physical == format.Int32 || t.physical == format.Int64 || t.physical == format.Boolean)
}

// bound decodes a bound of the column; unknown if there is none or it is no value of the column's type.
func (c column) bound(plain []byte, exact bool) bound {
	leaf := c.node.leaf
	if plain == nil || isGeo(c.field.Type) {
		return bound{}
	}
	r, ok := plainValue(leaf.physical, leaf.width, plain)
	if !ok {
		return bound{}
	}
	v, err := leaf.value(r)
	if err != nil {
		return bound{}
	}
	return bound{value: promote(v, c.field.Type), exact: exact}
}

// floatBounds reads a column of floats and returns its bounds, which are unknown if there is a NaN.
func (f *file) floatBounds(c column) (lower, upper bound, err error) {
	leaf, maxDef := c.node.leaf, f.leaves[c.node.column].maxDef
	err = f.scan(c.node.column, func(def int, r raw, _ int64) error {
		if def < maxDef {
			return nil
		}
		v, err := leaf.value(r)
		if err != nil {
			return err
		}
		v = promote(v, c.field.Type)
		if v.IsNaN() {
			return errStop
		}
		if lower.value.IsNull() || tree.Compare(v, lower.value) < 0 {
			lower = bound{value: v, exact: true}
		}
		if upper.value.IsNull() || tree.Compare(v, upper.value) > 0 {
			upper = bound{value: v, exact: true}
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return bound{}, bound{}, nil
	}
	return lower, upper, err
}

func isFloat(t iceberg.Type) bool {
	return t.Equals(iceberg.PrimitiveTypes.Float32) || t.Equals(iceberg.PrimitiveTypes.Float64)
}

func isGeo(t iceberg.Type) bool {
	switch t.(type) {
	case iceberg.GeometryType, iceberg.GeographyType:
		return true
	}
	return false
}

// fieldStats returns the statistics as a manifest keeps them (rules 3.1). NaN counts stay unknown, and so does the
// mean size.
func (s columnStats) fieldStats(c column) tree.FieldStats {
	stats := tree.FieldStats{FieldID: c.field.ID, ValueCount: known(s.values)}
	if s.nulls >= 0 {
		stats.NullCount = known(s.nulls)
	}
	if !isGeo(c.field.Type) {
		stats.Lower, stats.Upper = s.lower.value, s.upper.value
		stats.Tight = iceberg.Optional[bool]{Val: s.exact(), Valid: true}
	}
	return stats
}
