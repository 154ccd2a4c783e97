package tree

import (
	"math"

	"github.com/apache/iceberg-go"
)

// Aggregate returns the statistics that a pointer to a leaf with these entries may carry (rules 3.8, Q9): over the
// live ones, counts are summed, bounds are the least and the greatest, and they are tight if all are. Mean sizes
// are not aggregated. Whatever one entry lacks is unknown, for a reader prunes by the result; so are NaN bounds
// (B36), bounds of different types, and counts whose sum exceeds 64 bits. The result is nil if nothing is known (T5, F5).
func Aggregate(entries []Entry) Stats {
	var all Stats
	first := true
	for _, e := range entries {
		if !e.Tracking.Status.Live() {
			continue
		}
		if first {
			all, first = known(e.Stats), false
			continue
		}
		all = merge(all, e.Stats)
	}
	return all
}

// known returns what can be aggregated of one entry's statistics.
func known(s Stats) Stats {
	var all Stats
	for _, f := range s {
		f.AvgSizeBytes = iceberg.Optional[int32]{}
		if f.Lower.IsNaN() {
			f.Lower = Value{}
		}
		if f.Upper.IsNaN() {
			f.Upper = Value{}
		}
		f.Tight = f.tightIf(f.Tight.Val)
		if f.informs() {
			all = append(all, f)
		}
	}
	return all
}

// merge keeps of all what o knows too.
func merge(all, o Stats) Stats {
	var merged Stats
	for _, f := range all {
		if g, found := o.Field(f.FieldID); found {
			if f = f.merge(g); f.informs() {
				merged = append(merged, f)
			}
		}
	}
	return merged
}

// informs reports whether anything is known that a pointer may say.
func (f FieldStats) informs() bool {
	return !f.Lower.IsNull() || !f.Upper.IsNull() || f.ValueCount.Valid || f.NullCount.Valid || f.NaNCount.Valid
}

func (f FieldStats) merge(g FieldStats) FieldStats {
	m := FieldStats{
		FieldID:    f.FieldID,
		Lower:      extreme(f.Lower, g.Lower, -1),
		Upper:      extreme(f.Upper, g.Upper, 1),
		ValueCount: sum(f.ValueCount, g.ValueCount),
		NullCount:  sum(f.NullCount, g.NullCount),
		NaNCount:   sum(f.NaNCount, g.NaNCount),
	}
	if f.isGeo() || g.isGeo() {
		m.Lower, m.Upper = mergeBoxes(f, g)
	}
	m.Tight = m.tightIf(f.Tight.Val && g.Tight.Val)
	return m
}

// tightIf returns the tightness of the bounds: there are two, and the claim holds. Boxes have none (rules 3.1).
func (f FieldStats) tightIf(claim bool) iceberg.Optional[bool] {
	if f.isGeo() {
		return iceberg.Optional[bool]{}
	}
	return iceberg.Optional[bool]{Val: claim && !f.Lower.IsNull() && !f.Upper.IsNull(), Valid: true}
}

// extreme returns the lesser (sign -1) or greater (sign 1) of two bounds, or null if one of them is unknown or they
// cannot be compared.
func extreme(a, b Value, sign int) Value {
	switch {
	case a.kind != b.kind, a.scale != b.scale, a.IsNaN(), b.IsNaN():
		return Value{}
	case Compare(a, b)*sign < 0:
		return b
	}
	return a
}

// sum adds two counts; null if one is null or the sum exceeds 64 bits.
func sum(a, b iceberg.Optional[int64]) iceberg.Optional[int64] {
	if !a.Valid || !b.Valid || a.Val > math.MaxInt64-b.Val {
		return iceberg.Optional[int64]{}
	}
	return iceberg.Optional[int64]{Val: a.Val + b.Val, Valid: true}
}

func (f FieldStats) isGeo() bool { return f.Lower.kind == KindGeo || f.Upper.kind == KindGeo }

// mergeBoxes returns the corners of the smallest box around two boxes. A dimension that one of them lacks, which is
// NaN there, is NaN in the result. Null if a corner is unknown, or if a box crosses the antimeridian, so that
// its west is greater than its east.
func mergeBoxes(f, g FieldStats) (lower, upper Value) {
	for _, corner := range []Value{f.Lower, f.Upper, g.Lower, g.Upper} {
		if corner.kind != KindGeo {
			return Value{}, Value{}
		}
	}
	if f.wraps() || g.wraps() {
		return Value{}, Value{}
	}
	return combine(f.Lower, g.Lower, math.Min), combine(f.Upper, g.Upper, math.Max)
}

func (f FieldStats) wraps() bool {
	west, _, _, _ := f.Lower.GeoCorner()
	east, _, _, _ := f.Upper.GeoCorner()
	return west > east
}

func combine(a, b Value, pick func(x, y float64) float64) Value {
	ax, ay, az, am := a.GeoCorner()
	bx, by, bz, bm := b.GeoCorner()
	return Geo(pick(ax, bx), pick(ay, by), pick(az, bz), pick(am, bm))
}
