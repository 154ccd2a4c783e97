package match_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/tree"
)

// modelColumn is a column of the model with values that are apt to collide, at the edges of its type and of what
// transforms do to it.
type modelColumn struct {
	id         int
	name       string
	typ        iceberg.Type
	pool       []tree.Value
	transforms []iceberg.Transform
}

func pool[T any](make func(T) tree.Value, values ...T) []tree.Value {
	var out []tree.Value
	for _, v := range values {
		out = append(out, make(v))
	}
	return out
}

var (
	prims        = iceberg.PrimitiveTypes
	negativeZero = math.Copysign(0, -1)
	bucket       = iceberg.BucketTransform{NumBuckets: 2}
	identity     = iceberg.IdentityTransform{}
	times        = []iceberg.Transform{identity, iceberg.YearTransform{}, iceberg.MonthTransform{}, iceberg.DayTransform{}, bucket}
	instants     = []int64{math.MinInt64, -86400e6 - 1, -86400e6, -3600e6, -1001, -1, 0, 1, 999, 1000, 3599999999, 3600e6, 86400e6 - 1, 86400e6, 31535999999999, 31536e9, math.MaxInt64}
)

func uuidPool() []tree.Value {
	var out []tree.Value
	for _, b := range []byte{0x00, 0x7f, 0x80, 0xff} {
		out = append(out, tree.BytesValue(tree.KindUUID, string([]byte{b})+strings.Repeat("\x00", 15)))
	}
	return out
}

func decimalOf(n int64) tree.Value { return tree.DecimalInt64(n, 2) }

var model = []modelColumn{
	{1, "i", prims.Int32, pool(tree.Int, math.MinInt32, -11, -10, -9, -1, 0, 1, 9, 10, 11, math.MaxInt32),
		[]iceberg.Transform{identity, bucket, iceberg.TruncateTransform{Width: 10}, iceberg.TruncateTransform{Width: 3}, iceberg.TruncateTransform{Width: math.MaxInt32}}},
	{2, "l", prims.Int64, pool(tree.Long, math.MinInt64, -11, -10, -1, 0, 9, 10, math.MaxInt64),
		[]iceberg.Transform{identity, bucket, iceberg.TruncateTransform{Width: 10}}},
	{3, "d", prims.Float64, pool(tree.Double, math.Inf(-1), -1.5, negativeZero, 0, 1, math.Inf(1), math.NaN()), []iceberg.Transform{identity}},
	{4, "s", prims.String, pool(tree.String, "", "a", "ab", "abc", "abd", "b", "é", "éa", "a\U0010ffff", "\U0010ffff", "\ud7ff", strings.Repeat("a", 20)),
		[]iceberg.Transform{identity, bucket, iceberg.TruncateTransform{Width: 1}, iceberg.TruncateTransform{Width: 2}}},
	{5, "u", prims.UUID, uuidPool(), []iceberg.Transform{identity, bucket}},
	{6, "ts", prims.Timestamp, pool(tree.Timestamp, instants...), append([]iceberg.Transform{iceberg.HourTransform{}}, times...)},
	{7, "tn", prims.TimestampTzNs, pool(tree.TimestampNano, instants...), append([]iceberg.Transform{iceberg.HourTransform{}}, times...)},
	{8, "dec", iceberg.DecimalTypeOf(9, 2), pool(decimalOf, -1001, -1000, -1, 0, 999, 1000), []iceberg.Transform{identity, bucket, iceberg.TruncateTransform{Width: 10}}},
	{9, "dt", prims.Date, pool(tree.Date, math.MinInt32, -366, -1, 0, 1, 30, 31, 365, math.MaxInt32), times},
	{10, "b", prims.Bool, pool(tree.Bool, false, true), []iceberg.Transform{identity}},
	{11, "bin", prims.Binary, pool(tree.Binary, []byte{}, []byte{0}, []byte{1}, []byte{1, 255}, []byte{255}, []byte{255, 255}),
		[]iceberg.Transform{identity, bucket, iceberg.TruncateTransform{Width: 1}}},
	{12, "f", prims.Float32, pool(tree.Float, -1, float32(negativeZero), 0, 1, float32(math.NaN())), []iceberg.Transform{identity}},
}

func modelSchema() *iceberg.Schema {
	var fields []iceberg.NestedField
	for _, c := range model {
		fields = append(fields, iceberg.NestedField{ID: c.id, Name: c.name, Type: c.typ})
	}
	return iceberg.NewSchema(0, fields...)
}

// row is a row of the model: one value for each column, in order.
type row []tree.Value

// transformed returns the transform of a value.
func transformed(t iceberg.Transform, v tree.Value) tree.Value {
	if v.IsNull() {
		return v
	}
	if _, isIdentity := t.(iceberg.IdentityTransform); isIdentity {
		return v
	}
	l, _ := v.Literal()
	r := t.Apply(iceberg.Optional[iceberg.Literal]{Val: l, Valid: true})
	out, err := tree.FromLiteral(r.Val)
	if err != nil {
		panic(err)
	}
	return out
}

// drawSpecs draws partition specs, the first of them without fields.
func drawSpecs(t *rapid.T) []iceberg.PartitionSpec {
	specs := []iceberg.PartitionSpec{iceberg.NewPartitionSpecID(0)}
	for id := range rapid.IntRange(1, 2).Draw(t, "specs") {
		var fields []iceberg.PartitionField
		for f := range rapid.IntRange(1, 2).Draw(t, "fields") {
			c := rapid.SampledFrom(model).Draw(t, "source")
			fields = append(fields, iceberg.PartitionField{SourceIDs: []int{c.id}, FieldID: 1000 + 10*id + f,
				Name: fmt.Sprintf("p%d", 10*id+f), Transform: rapid.SampledFrom(c.transforms).Draw(t, "transform")})
		}
		specs = append(specs, iceberg.NewPartitionSpecID(id+1, fields...))
	}
	return specs
}

// drawFile draws the rows of one file of a spec, and its entry.
func drawFile(t *rapid.T, spec iceberg.PartitionSpec) ([]row, tree.Entry) {
	e := tree.Entry{Tracking: tree.Tracking{Status: tree.Added}, Content: tree.Data}
	tuple := func(r row) tree.Tuple {
		p := tree.Tuple{}
		for _, f := range spec.Fields() {
			if v := transformed(f.Transform, r[f.SourceID()-1]); !v.IsNull() {
				p = append(p, tree.PartitionValue{FieldID: f.FieldID, Value: v})
			}
		}
		return p
	}
	var rows []row
	for range rapid.IntRange(1, 5).Draw(t, "rows") {
		r := make(row, len(model))
		for i, c := range model {
			if rapid.IntRange(0, 5).Draw(t, "null") > 0 {
				r[i] = rapid.SampledFrom(c.pool).Draw(t, c.name)
			}
		}
		if len(rows) == 0 || tuple(r).Equal(tuple(rows[0])) {
			rows = append(rows, r)
		}
	}
	if spec.NumFields() > 0 {
		e.SpecID = iceberg.Optional[int32]{Val: int32(spec.ID()), Valid: true}
		e.Partition = tuple(rows[0])
	}
	for i, c := range model {
		if rapid.IntRange(0, 3).Draw(t, "stats") > 0 {
			e.Stats = append(e.Stats, drawStats(t, c, rows, i))
		}
	}
	return rows, e
}

// drawStats draws true statistics of a column: some of them missing, bounds tight or not.
func drawStats(t *rapid.T, c modelColumn, rows []row, i int) tree.FieldStats {
	s := tree.FieldStats{FieldID: c.id}
	var values []tree.Value
	nulls, nans := int64(0), int64(0)
	for _, r := range rows {
		switch {
		case r[i].IsNull():
			nulls++
		case r[i].IsNaN():
			nans++
		default:
			values = append(values, r[i])
		}
	}
	maybe := func(n int64) iceberg.Optional[int64] {
		return iceberg.Optional[int64]{Val: n, Valid: rapid.Bool().Draw(t, "count")}
	}
	s.ValueCount, s.NullCount, s.NaNCount = maybe(int64(len(rows))), maybe(nulls), maybe(nans)
	if len(values) == 0 {
		return s
	}
	slices.SortFunc(values, tree.Compare)
	s.Lower, s.Upper = values[0], values[len(values)-1]
	switch rapid.IntRange(0, 3).Draw(t, "bounds") {
	case 0:
		s.Lower = tree.Value{}
	case 1:
		s.Upper = tree.Value{}
	case 2:
		s = s.Truncate(rapid.IntRange(1, 2).Draw(t, "width"))
	}
	return s
}
