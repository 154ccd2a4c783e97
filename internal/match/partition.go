package match

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// source is a partition field of one spec that is computed from a column.
type source struct {
	specID, fieldID int
	transform       iceberg.Transform
}

// sourcesOf returns the partition fields that say something about a column.
func sourcesOf(column int, specs []iceberg.PartitionSpec) []source {
	var sources []source
	for _, spec := range specs {
		for _, field := range spec.Fields() {
			if len(field.SourceIDs) == 1 && field.SourceID() == column && informative(field.Transform) {
				sources = append(sources, source{specID: spec.ID(), fieldID: field.FieldID, transform: field.Transform})
			}
		}
	}
	return sources
}

// informative reports whether values of the transform say anything about the column: those of void do not, and
// those of unknown transforms are not understood.
func informative(t iceberg.Transform) bool {
	switch t.(type) {
	case iceberg.IdentityTransform, iceberg.YearTransform, iceberg.MonthTransform, iceberg.DayTransform,
		iceberg.HourTransform, iceberg.BucketTransform, iceberg.TruncateTransform:
		return true
	}
	return false
}

// know returns what a partition value says about the source column. These transforms give null for a null and
// for nothing else.
func (s source) know(v tree.Value, typ iceberg.Type) knowledge {
	if v.IsNull() {
		return knowledge{null: true}
	}
	if v.IsNaN() {
		return knowledge{nan: true}
	}
	k := knowledge{value: true}
	switch t := s.transform.(type) {
	case iceberg.IdentityTransform:
		k.lower = promote(v, typ)
		k.upper = k.lower
		k.openZero()
	case iceberg.BucketTransform:
		k.buckets = []bucket{{transform: t, number: v}}
	case iceberg.TruncateTransform:
		k.truncated(v, t.Width, typ)
	default:
		k.during(s.transform, v, typ)
	}
	return k
}

// openZero widens the interval of a zero to both zeros: a writer that takes them for one may have put them into
// one partition.
func (k *knowledge) openZero() {
	if k.lower.IsNull() || !bothZero(k.lower, k.lower) {
		return
	}
	negative, positive := tree.Double(math.Copysign(0, -1)), tree.Double(0)
	if k.lower.Kind() == tree.KindFloat {
		negative, positive = tree.Float(float32(math.Copysign(0, -1))), tree.Float(0)
	}
	k.lower, k.upper = negative, positive
}

// truncated says what the values are that truncate to v.
func (k *knowledge) truncated(v tree.Value, width int, typ iceberg.Type) {
	v = promote(v, typ)
	switch v.Kind() {
	case tree.KindInt:
		k.lower, k.upper = numbersFrom(v.Number(), int64(width), math.MaxInt32, tree.KindInt)
	case tree.KindLong:
		k.lower, k.upper = numbersFrom(v.Number(), int64(width), math.MaxInt64, tree.KindLong)
	case tree.KindDecimal:
		k.lower = v
		if n, small := v.UnscaledInt64(); small && n <= math.MaxInt64-int64(width) {
			k.upper = tree.DecimalInt64(n+int64(width)-1, v.Scale())
		}
	case tree.KindString:
		k.cutText(v, utf8.RuneCountInString(v.Bytes()), width)
	case tree.KindBinary:
		k.cutText(v, len(v.Bytes()), width)
	}
}

// numbersFrom returns the interval of integers that truncate to n. The transform's own arithmetic overflows near the
// least integer, and for 32 bits with widths above 2^30; a value that is no multiple of the width comes from that,
// and says nothing.
func numbersFrom(n, width, limit int64, kind tree.Kind) (lower, upper tree.Value) {
	const safeWidth = 1 << 30
	if width <= 0 || width > safeWidth || n%width != 0 {
		return tree.Value{}, tree.Value{}
	}
	last := limit
	if n <= limit-(width-1) {
		last = n + width - 1
	}
	return tree.NumberValue(kind, n), tree.NumberValue(kind, last)
}

// cutText says what the texts are whose first width units are v, which has length of them.
func (k *knowledge) cutText(v tree.Value, length, width int) {
	k.lower, k.prefix = v, v.Bytes()
	if length < width {
		k.upper = v
		return
	}
	k.upper = tree.TruncateUpper(tree.BytesValue(v.Kind(), v.Bytes()+"\x00"), length)
}

// during says what the values are that fall into one year, month, day or hour since 1970. Writers have been seen
// to round towards zero, so up to the first period after the epoch the one before may be meant.
func (k *knowledge) during(t iceberg.Transform, v tree.Value, typ iceberg.Type) {
	if v.Kind() != tree.KindInt && v.Kind() != tree.KindDate {
		return
	}
	from, to := v.Number(), v.Number()+1
	if from <= 0 {
		from--
	}
	lower, ok1 := startOf(t, from, typ)
	next, ok2 := startOf(t, to, typ)
	if ok1 {
		k.lower = tree.NumberValue(kindOf(typ), lower)
	}
	if ok2 {
		k.upper = tree.NumberValue(kindOf(typ), next-1)
	}
}

// startOf returns where a period begins, in the unit of the column's type; false if that is beyond its range.
func startOf(t iceberg.Transform, period int64, typ iceberg.Type) (int64, bool) {
	const secondsPerDay, secondsPerHour = 24 * 60 * 60, 60 * 60
	const hourLimit = 1 << 30             // farther out the hours of microseconds wrap around 32 bits
	const periodLimit = math.MaxInt32 + 1 // of a stored value and the period after it
	if period < -periodLimit || period > periodLimit {
		return 0, false
	}
	var seconds int64
	switch t.(type) {
	case iceberg.YearTransform:
		seconds = time.Date(1970+int(period), 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	case iceberg.MonthTransform:
		seconds = time.Date(1970, 1+time.Month(period), 1, 0, 0, 0, 0, time.UTC).Unix()
	case iceberg.DayTransform:
		seconds = period * secondsPerDay
	case iceberg.HourTransform:
		if period < -hourLimit || period > hourLimit {
			return 0, false
		}
		seconds = period * secondsPerHour
	default:
		return 0, false
	}
	perSecond := int64(0)
	switch kindOf(typ) {
	case tree.KindDate:
		days := seconds / secondsPerDay
		return days, days >= math.MinInt32 && days <= math.MaxInt32
	case tree.KindTimestamp:
		perSecond = 1e6
	case tree.KindTimestampNano:
		perSecond = 1e9
	default:
		return 0, false
	}
	if seconds > math.MaxInt64/perSecond || seconds < math.MinInt64/perSecond {
		return 0, false
	}
	return seconds * perSecond, true
}

// applyBucket returns the bucket of a literal; false if it has none.
func applyBucket(t iceberg.BucketTransform, v tree.Value) (tree.Value, bool) {
	literal, ok := v.Literal()
	if !ok {
		return tree.Value{}, false
	}
	result := t.Apply(iceberg.Optional[iceberg.Literal]{Val: literal, Valid: true})
	if !result.Valid || result.Val == nil {
		return tree.Value{}, false
	}
	number, err := tree.FromLiteral(result.Val)
	return number, err == nil
}
