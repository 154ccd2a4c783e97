package match_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/tree"
)

func count(n int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: n, Valid: true} }

func filterOf(t *testing.T, text string, schema *iceberg.Schema, specs ...iceberg.PartitionSpec) *match.Filter {
	t.Helper()
	expr, err := match.Parse(text, schema)
	if err != nil {
		t.Fatal(err)
	}
	f, err := match.New(expr, schema, specs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func statsOf(id int, lower, upper tree.Value, values, nulls, nans int64) tree.FieldStats {
	return tree.FieldStats{FieldID: id, Lower: lower, Upper: upper, ValueCount: count(values), NullCount: count(nulls), NaNCount: count(nans)}
}

// TestUUIDAndFloatPlans plans over files whose bounds are easily misordered (B36): uuids are unsigned, NaN is no
// bound, and the zeros differ.
func TestUUIDAndFloatPlans(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "u", Type: prims.UUID}, iceberg.NestedField{ID: 2, Name: "d", Type: prims.Float64})
	null, double := tree.Value{}, tree.Double
	low := tree.BytesValue(tree.KindUUID, "\x7f"+strings.Repeat("\xff", 15))
	high := tree.BytesValue(tree.KindUUID, "\x80"+strings.Repeat("\x00", 15))
	files := map[string]tree.Stats{
		"uuids":       {statsOf(1, low, high, 2, 0, 0)},
		"one, NaN":    {statsOf(2, double(1), double(1), 2, 0, 1)},
		"NaN, NaN":    {statsOf(2, null, null, 2, 0, 2)},
		"zeros":       {statsOf(2, double(negativeZero), double(0), 2, 0, 0)},
		"NaN, null":   {statsOf(2, null, null, 2, 1, 1)},
		"legacy: NaN": {{FieldID: 2, Lower: double(1), Upper: double(math.NaN()), ValueCount: count(2)}},
	}
	var ofU, ofD []tree.Entry
	for name, stats := range files {
		e := tree.Entry{Tracking: tree.Tracking{Status: tree.Added}, Stats: stats}
		if name == "uuids" {
			ofU = append(ofU, e)
		} else {
			ofD = append(ofD, e)
		}
	}
	leaf := tree.Entry{Content: tree.DataManifest, Stats: append(tree.Aggregate(ofU), tree.Aggregate(ofD)...)}
	cases := []struct {
		filter string
		kept   []string
	}{
		{"u = '80000000-0000-0000-0000-000000000000'", []string{"uuids"}},
		{"u < '7fffffff-ffff-ffff-ffff-ffffffffffff'", nil},
		{"u > '80000000-0000-0000-0000-000000000000'", nil},
		{"d = 1.0", []string{"one, NaN", "legacy: NaN"}},
		{"d IS NAN", []string{"one, NaN", "NaN, NaN", "NaN, null", "legacy: NaN"}},
		{"d NOT IN (1.0)", []string{"one, NaN", "NaN, NaN", "zeros", "NaN, null", "legacy: NaN"}},
		{"d = 0.0", []string{"zeros"}},
		{"d < 0.0", []string{"zeros"}},
		{"d < -0.0", nil},
		{"d > 5", []string{"legacy: NaN"}},
		{"d IS NULL", []string{"NaN, null", "legacy: NaN"}},
		{"d IS NOT NAN", []string{"one, NaN", "zeros", "NaN, null", "legacy: NaN"}},
	}
	for _, c := range cases {
		f := filterOf(t, c.filter, schema)
		for name, stats := range files {
			otherColumn := strings.HasPrefix(c.filter, "d") == (name == "uuids")
			want := otherColumn || slices.Contains(c.kept, name)
			if got := f.MayMatch(tree.Entry{Stats: stats}); got != want {
				t.Errorf("%s: %q kept is %t", c.filter, name, got)
			}
		}
		if len(c.kept) > 0 && !f.MayMatch(leaf) {
			t.Errorf("%s: the leaf is pruned", c.filter)
		}
	}
}

// TestPartitionPruning checks that each transform excludes what it can, and no more.
func TestPartitionPruning(t *testing.T) {
	schema := modelSchema()
	value := tree.Value{}
	cases := []struct {
		column    int
		transform iceberg.Transform
		partition tree.Value
		filter    string
		may, must bool
	}{
		{4, identity, tree.String("eu"), "s = 'eu'", true, true},
		{4, identity, tree.String("eu"), "s = 'us'", false, false},
		{4, identity, tree.String("eu"), "s != 'us'", true, true},
		{4, identity, value, "s = 'eu'", false, false},
		{4, identity, value, "s IS NULL", true, true},
		{4, identity, tree.String("eu"), "s IS NULL", false, false},
		{3, identity, tree.Double(math.NaN()), "d IS NAN", true, true},
		{3, identity, tree.Double(math.NaN()), "d > 1", false, false},
		{3, identity, tree.Double(0), "d = -0.0", true, false},
		{6, iceberg.DayTransform{}, tree.Date(20786), "ts >= '2026-11-29' AND ts < '2026-11-30'", true, true},
		{6, iceberg.DayTransform{}, tree.Date(20786), "ts < '2026-11-29'", false, false},
		{6, iceberg.DayTransform{}, tree.Date(20786), "ts >= '2026-11-29T23:59:59.999999'", true, false},
		{6, iceberg.DayTransform{}, tree.Date(20786), "ts >= '2026-11-30'", false, false},
		{6, iceberg.MonthTransform{}, tree.Int(682), "ts BETWEEN '2026-11-01' AND '2026-11-30T23:59:59.999999'", true, true},
		{6, iceberg.YearTransform{}, tree.Int(56), "ts > '2026-12-31T23:59:59.999999'", false, false},
		{6, iceberg.HourTransform{}, tree.Int(24), "ts = '1970-01-02T01:00:00'", false, false},
		{6, iceberg.HourTransform{}, tree.Int(1732919507), "ts < '2026-11-29'", true, false}, // wrapped around
		{7, iceberg.HourTransform{}, tree.Int(24), "tn = '1970-01-02T00:59:59.999999999Z'", true, false},
		{6, iceberg.DayTransform{}, tree.Date(-1), "ts = '1969-12-30T12:00:00'", true, false}, // rounded towards zero
		{6, iceberg.DayTransform{}, tree.Date(-1), "ts >= '1970-01-01'", false, false},
		{1, iceberg.TruncateTransform{Width: 10}, tree.Int(-10), "i BETWEEN -10 AND -1", true, true},
		{1, iceberg.TruncateTransform{Width: 10}, tree.Int(-10), "i >= 0 OR i < -10", false, false},
		{1, iceberg.TruncateTransform{Width: 10}, tree.Int(math.MaxInt32 - 1), "i < 0", true, false}, // overflowed
		{8, iceberg.TruncateTransform{Width: 1000}, tree.DecimalInt64(-1000, 2), "dec > -0.01", false, false},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("ab"), "s LIKE 'ab%'", true, true},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("ab"), "s LIKE 'abc%'", true, false},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("ab"), "s = 'ac'", false, false},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("ab"), "s LIKE 'ac%'", false, false},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("ab"), "s NOT LIKE 'a%'", false, false},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("a"), "s = 'a'", true, true},
		{4, iceberg.TruncateTransform{Width: 2}, tree.String("a"), "s = 'ab'", false, false},
		{11, iceberg.TruncateTransform{Width: 1}, tree.Binary([]byte{1}), "bin = '0x01ff'", true, false},
		{11, iceberg.TruncateTransform{Width: 1}, tree.Binary([]byte{1}), "bin = '0x02'", false, false},
		{2, iceberg.BucketTransform{NumBuckets: 1000}, tree.Int(379), "l = 34", true, false},
		{2, iceberg.BucketTransform{NumBuckets: 1000}, tree.Int(380), "l = 34", false, false},
		{2, iceberg.BucketTransform{NumBuckets: 1000}, tree.Int(380), "l IN (34, 34)", false, false},
		{2, iceberg.BucketTransform{NumBuckets: 1000}, tree.Int(380), "l != 34", true, true},
		{2, iceberg.BucketTransform{NumBuckets: 1000}, tree.Int(380), "l IS NULL", false, false},
		{2, iceberg.VoidTransform{}, value, "l = 34", true, false},
		{2, identity, tree.Int(34), "l = 34", true, true}, // written before int became long
		{2, identity, tree.String("34"), "l = 35", true, false},
	}
	for _, c := range cases {
		spec := iceberg.NewPartitionSpecID(1, iceberg.PartitionField{SourceIDs: []int{c.column}, FieldID: 1000, Name: "p", Transform: c.transform})
		p, err := tree.NewTuple(tree.PartitionValue{FieldID: 1000, Value: c.partition})
		if err != nil {
			t.Fatal(err)
		}
		e := tree.Entry{SpecID: iceberg.Optional[int32]{Val: 1, Valid: true}, Partition: p}
		f := filterOf(t, c.filter, schema, spec)
		if may, must := f.MayMatch(e), f.MustMatch(e); may != c.may || must != c.must {
			t.Errorf("%s = %s: %s may %t, must %t", c.transform, c.partition, c.filter, may, must)
		}
		// Under a spec that is not known, without a spec, and without a tuple nothing is pruned.
		for _, other := range []tree.Entry{{SpecID: iceberg.Optional[int32]{Val: 2, Valid: true}, Partition: p}, {Partition: p}, {SpecID: e.SpecID}} {
			if !f.MayMatch(other) || f.MustMatch(other) {
				t.Errorf("%s: decided without a spec", c.filter)
			}
		}
	}
}

// TestStatsPruning checks what statistics decide, and that what they lack decides nothing.
func TestStatsPruning(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "n", Type: prims.Int64}, iceberg.NestedField{ID: 2, Name: "r", Type: prims.Int64, Required: true},
		iceberg.NestedField{ID: 3, Name: "s", Type: prims.String}, iceberg.NestedField{ID: 4, Name: "dec", Type: iceberg.DecimalTypeOf(9, 2)})
	none, long := tree.Value{}, tree.Long
	absent := iceberg.Optional[int64]{}
	full := statsOf(1, long(10), long(20), 5, 0, 0)
	noNulls := tree.FieldStats{FieldID: 1, Lower: long(10), Upper: long(20), ValueCount: count(5), NullCount: absent}
	cases := []struct {
		filter    string
		stats     tree.FieldStats
		may, must bool
	}{
		{"n < 10", full, false, false},
		{"n <= 10", full, true, false},
		{"n > 20", full, false, false},
		{"n >= 10", full, true, true},
		{"n >= 10", noNulls, true, false},
		{"n IN (1, 30)", full, false, false},
		{"n NOT IN (1, 30)", full, true, true},
		{"n = 15 OR n < 5", full, true, false},
		{"n = 15 AND n < 5", full, false, false},
		{"NOT (n < 10)", full, true, true},
		{"n IS NULL", statsOf(1, none, none, 5, 5, 0), true, true},
		{"n = 1", statsOf(1, none, none, 5, 5, 0), false, false},
		{"n != 1", statsOf(1, none, none, 5, 5, 0), false, false},
		{"n != 1", statsOf(1, long(1), long(1), 5, 0, 0), false, false},
		{"n = 1", statsOf(1, long(1), long(1), 5, 0, 0), true, true},
		{"n = 1", statsOf(1, long(1), long(1), 5, 2, 0), true, false},
		{"n < 10", tree.FieldStats{FieldID: 1, Upper: long(20)}, true, false},
		{"n < 10", statsOf(1, tree.Int(10), tree.Int(20), 5, 0, 0), false, false}, // written before int became long
		{"n < 10", statsOf(1, tree.String("10"), tree.String("20"), 5, 0, 0), true, false},
		{"n < 10", statsOf(1, long(30), long(20), 5, 0, 0), true, false}, // impossible bounds
		{"n IS NULL", statsOf(1, none, none, 0, -3, 0), true, false},     // impossible counts
		{"n < 3000000000000000000", full, true, true},
		{"r IS NULL", tree.FieldStats{FieldID: 2}, false, false},
		{"r = 7", tree.FieldStats{FieldID: 2, Lower: long(7), Upper: long(7)}, true, true},
		{"s LIKE 'b%'", statsOf(3, tree.String("a"), tree.String("ab"), 5, 0, 0), false, false},
		{"s LIKE 'b%'", statsOf(3, tree.String("ba"), tree.String("bz"), 5, 0, 0), true, true},
		{"s NOT LIKE 'b%'", statsOf(3, tree.String("ba"), tree.String("bz"), 5, 0, 0), false, false},
		{"s LIKE 'b%'", statsOf(3, tree.String("c"), tree.String("d"), 5, 0, 0), false, false},
		{"dec < 1.00", statsOf(4, tree.DecimalInt64(100, 2), tree.DecimalInt64(200, 2), 5, 0, 0), false, false},
		{"dec < 1.00", statsOf(4, tree.DecimalInt64(1000, 3), tree.DecimalInt64(2000, 3), 5, 0, 0), true, false},
	}
	for _, c := range cases {
		f := filterOf(t, c.filter, schema)
		e := tree.Entry{Stats: tree.Stats{c.stats}}
		if may, must := f.MayMatch(e), f.MustMatch(e); may != c.may || must != c.must {
			t.Errorf("%s on %+v: may %t, must %t", c.filter, c.stats, may, must)
		}
	}
}

func TestColumns(t *testing.T) {
	f := filterOf(t, "s = 'x' OR NOT (i < 3 AND ts IS NOT NULL) OR i = 4", modelSchema())
	if diff := cmp.Diff([]int{1, 4, 6}, f.Columns()); diff != "" {
		t.Error(diff)
	}
}

// TestUndecided checks that predicates which bounds cannot decide are accepted and match everything.
func TestUndecided(t *testing.T) {
	day := iceberg.LiteralPredicate(iceberg.OpEQ, iceberg.NewUnboundTransform(iceberg.DayTransform{}, iceberg.Reference("ts")), iceberg.NewLiteral(iceberg.Date(3)))
	nan := iceberg.EqualTo(iceberg.Reference("d"), math.NaN())
	e := tree.Entry{Stats: tree.Stats{statsOf(3, tree.Double(1), tree.Double(2), 5, 0, 0), statsOf(6, tree.Timestamp(0), tree.Timestamp(1), 5, 0, 0)}}
	for _, expr := range []iceberg.BooleanExpression{day, iceberg.NewNot(day), nan, iceberg.NewNot(nan)} {
		f, err := match.New(expr, modelSchema(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !f.MayMatch(e) || f.MustMatch(e) || f.Columns() != nil {
			t.Errorf("%s: decided", expr)
		}
	}
	if _, err := match.New(iceberg.IsNull(iceberg.Reference("nope")), modelSchema(), nil); err == nil {
		t.Error("an unknown column was bound")
	}
}
