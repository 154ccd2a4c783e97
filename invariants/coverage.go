package invariants

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// coverage is what the statistics of a set of entries say together, column by column, in the most cautious reading:
// what one entry does not know is unknown of all (rules 3.8).
type coverage struct {
	entries int
	columns []column // by ascending id
}

// column is the part of a [coverage] for one column. Its bounds are null while no entry has any values.
type column struct {
	id           int
	entries      int // that have statistics of the column
	lower, upper tree.Value
	// tightLower and tightUpper are the extremes of the bounds that are tight.
	tightLower, tightUpper tree.Value
	// unbounded says of some entry with values that its lower or upper bound is unknown.
	noLower, noUpper          bool
	values, nulls, nans       int64
	noValues, noNulls, noNaNs bool
}

// add adds the statistics of one entry.
func (c *coverage) add(e *tree.Entry) {
	c.entries++
	for _, f := range e.Stats {
		c.column(f.FieldID).add(f)
	}
}

func (c *coverage) column(id int) *column {
	i, found := slices.BinarySearchFunc(c.columns, id, func(x column, id int) int { return x.id - id })
	if !found {
		c.columns = slices.Insert(c.columns, i, column{id: id})
	}
	return &c.columns[i]
}

func (x *column) add(f tree.FieldStats) {
	x.entries++
	addCount(&x.values, &x.noValues, f.ValueCount)
	addCount(&x.nulls, &x.noNulls, f.NullCount)
	addCount(&x.nans, &x.noNaNs, f.NaNCount)
	if f.ValueCount.Valid && sum(f.NullCount.Val, f.NaNCount.Val) >= f.ValueCount.Val {
		return // nothing to bound
	}
	x.noLower = x.noLower || f.Lower.IsNull()
	x.noUpper = x.noUpper || f.Upper.IsNull()
	widen(&x.lower, f.Lower, -1)
	widen(&x.upper, f.Upper, 1)
	if f.Tight.Val {
		widen(&x.tightLower, f.Lower, -1)
		widen(&x.tightUpper, f.Upper, 1)
	}
}

// widen takes a bound that lies beyond the extreme, in the order of sign, for the extreme.
func widen(extreme *tree.Value, bound tree.Value, sign int) {
	if order, ok := compareBounds(bound, *extreme); ok && order*sign > 0 || extreme.IsNull() {
		*extreme = bound
	}
}

func addCount(total *int64, unknown *bool, n iceberg.Optional[int64]) {
	*total = sum(*total, n.Val)
	*unknown = *unknown || !n.Valid
}

// check compares the statistics of a pointer with those of its leaf's entries.
func (c *coverage) check(f tree.FieldStats, report func(member string, expected, found any)) {
	x := column{id: f.FieldID}
	if i := slices.IndexFunc(c.columns, func(x column) bool { return x.id == f.FieldID }); i >= 0 {
		x = c.columns[i]
	}
	partial := x.entries < c.entries // some entry has no statistics of the column
	if f.Lower.Kind() != tree.KindGeo {
		checkCovered(f.Lower, x.lower, partial || x.noLower, 1, "lower_bound", report)
	}
	if f.Upper.Kind() != tree.KindGeo {
		checkCovered(f.Upper, x.upper, partial || x.noUpper, -1, "upper_bound", report)
	}
	checkTotal(f.ValueCount, x.values, partial || x.noValues, "value_count", report)
	checkTotal(f.NullCount, x.nulls, partial || x.noNulls, "null_value_count", report)
	checkTotal(f.NaNCount, x.nans, partial || x.noNaNs, "nan_value_count", report)
}

// checkCovered checks one bound; wrong is the order of bound and extreme that leaves a value out.
func checkCovered(bound, extreme tree.Value, unknown bool, wrong int, member string, report func(string, any, any)) {
	if bound.IsNull() {
		return
	}
	if unknown {
		report(member, "null, for an entry of the leaf has no bound", bound)
		return
	}
	if order, ok := compareBounds(bound, extreme); ok && order == wrong {
		report(member, "a bound that covers "+extreme.String(), bound)
	}
}

func checkTotal(n iceberg.Optional[int64], total int64, unknown bool, member string, report func(string, any, any)) {
	switch {
	case !n.Valid:
	case unknown:
		report(member, "null, for an entry of the leaf has no count", n)
	case n.Val != total:
		report(member, total, n)
	}
}
