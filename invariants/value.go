package invariants

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/firn-io/firn/tree"
)

// Milliseconds and the like of one day, for promoted dates.
const (
	microsPerDay = 86400 * 1_000_000
	nanosPerDay  = microsPerDay * 1000
)

// compareBounds orders two values of one column as Iceberg orders bounds: bytes and uuids unsigned (B36), -0.0 below
// +0.0, decimals by number. A value of a type from before a promotion counts as the promoted one. It reports false
// for values that have no order: of unlike kinds, NaN, and corners of boxes.
func compareBounds(a, b tree.Value) (int, bool) {
	if a.Kind() != b.Kind() {
		if wide := promote(a, b.Kind()); !wide.IsNull() {
			return compareBounds(wide, b)
		}
		if wide := promote(b, a.Kind()); !wide.IsNull() {
			return compareBounds(a, wide)
		}
		return 0, false
	}
	switch a.Kind() {
	case tree.KindNull, tree.KindGeo:
		return 0, false
	case tree.KindFloat, tree.KindDouble:
		return compareFloats(a.Float64(), b.Float64())
	case tree.KindString, tree.KindBinary, tree.KindFixed, tree.KindUUID:
		return strings.Compare(a.Bytes(), b.Bytes()), true
	case tree.KindDecimal:
		x, xScale := a.Unscaled()
		y, yScale := b.Unscaled()
		return scaleUp(x, yScale-xScale).Cmp(scaleUp(y, xScale-yScale)), true
	}
	return cmp.Compare(a.Number(), b.Number()), true
}

func compareFloats(x, y float64) (int, bool) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return 0, false
	}
	if x == 0 && y == 0 {
		return cmp.Compare(signum(x), signum(y)), true
	}
	return cmp.Compare(x, y), true
}

func signum(x float64) int {
	if math.Signbit(x) {
		return -1
	}
	return 1
}

// scaleUp multiplies an unscaled decimal by a power of ten; a power of zero or less leaves it.
func scaleUp(n *big.Int, power int) *big.Int {
	for range power {
		n = new(big.Int).Mul(n, big.NewInt(10))
	}
	return n
}

// promote returns a value as one of a type to which its type may be promoted, or null.
func promote(v tree.Value, to tree.Kind) tree.Value {
	switch {
	case v.Kind() == tree.KindInt && to == tree.KindLong:
		return tree.Long(v.Number())
	case v.Kind() == tree.KindFloat && to == tree.KindDouble:
		return tree.Double(v.Float64())
	case v.Kind() == tree.KindDate && to == tree.KindTimestamp:
		return tree.Timestamp(v.Number() * microsPerDay)
	case v.Kind() == tree.KindDate && to == tree.KindTimestampNano && v.Number() == v.Number()*nanosPerDay/nanosPerDay:
		return tree.TimestampNano(v.Number() * nanosPerDay)
	}
	return tree.Value{}
}

// sameValue reports whether a value may stand for an older one: the same, or the same after a promotion.
func sameValue(now, before tree.Value) bool {
	return now == before || !now.IsNull() && !before.IsNull() && promote(before, now.Kind()) == now
}

// isNaN reports whether a bound is not a number; of a corner, whether its x or y is not.
func isNaN(v tree.Value) bool {
	switch v.Kind() {
	case tree.KindFloat, tree.KindDouble:
		return math.IsNaN(v.Float64())
	case tree.KindGeo:
		x, y, _, _ := v.GeoCorner()
		return math.IsNaN(x) || math.IsNaN(y)
	}
	return false
}
