package invariants_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// bounded are statistics of a file whose values are all bounded; bounds that are 0 are null.
func bounded(lower, upper int64) tree.FieldStats {
	f := tree.FieldStats{FieldID: 1, Tight: some(true), ValueCount: some(leafRows), NullCount: some(int64(1)), NaNCount: some(int64(0))}
	if lower != 0 {
		f.Lower = tree.Long(lower)
	}
	if upper != 0 {
		f.Upper = tree.Long(upper)
	}
	return f
}

// total are statistics of a pointer to two files.
func total(lower, upper int64) tree.FieldStats {
	f := bounded(lower, upper)
	f.ValueCount, f.NullCount, f.Tight = some(2*leafRows), some(int64(2)), some(false)
	return f
}

func with(f tree.FieldStats, change func(*tree.FieldStats)) tree.FieldStats {
	change(&f)
	return f
}

func noValues(f *tree.FieldStats) { f.ValueCount = none[int64]() }
func noNulls(f *tree.FieldStats)  { f.NullCount = none[int64]() }
func noNaNs(f *tree.FieldStats)   { f.NaNCount = none[int64]() }

// onlyNulls and someNaNs leave nothing to bound.
func onlyNulls(f *tree.FieldStats) { f.NullCount = some(leafRows) }
func someNaNs(f *tree.FieldStats)  { f.NaNCount = some(leafRows - 1) }

// What a pointer may say of a leaf with two files, and which of its members say too much (B32).
func TestStatsCover(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  [2]tree.FieldStats
		states tree.FieldStats
		wrong  string
	}{
		{"exact", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)}, total(3, 9), ""},
		{"tight", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)},
			with(total(3, 9), func(f *tree.FieldStats) { f.Tight = some(true) }), ""},
		{"loose", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)}, total(1, 10), ""},
		{"null", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)}, tree.FieldStats{FieldID: 1}, ""},
		{"first file below", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)}, total(4, 9), "lower_bound"},
		{"second file below", [2]tree.FieldStats{bounded(4, 9), bounded(3, 5)}, total(4, 9), "lower_bound"},
		{"first file above", [2]tree.FieldStats{bounded(3, 9), bounded(3, 5)}, total(3, 8), "upper_bound"},
		{"second file above", [2]tree.FieldStats{bounded(3, 5), bounded(3, 9)}, total(3, 8), "upper_bound"},
		{"unknown lower", [2]tree.FieldStats{bounded(0, 5), bounded(4, 9)}, total(3, 9), "lower_bound"},
		{"unknown lower of the second", [2]tree.FieldStats{bounded(3, 5), bounded(0, 9)}, total(3, 9), "lower_bound"},
		{"unknown lower left out", [2]tree.FieldStats{bounded(0, 5), bounded(4, 9)}, total(0, 9), ""},
		{"unknown upper", [2]tree.FieldStats{bounded(3, 0), bounded(4, 9)}, total(3, 9), "upper_bound"},
		{"unknown upper of the second", [2]tree.FieldStats{bounded(3, 5), bounded(4, 0)}, total(3, 9), "upper_bound"},
		{"nothing but nulls in one", [2]tree.FieldStats{with(bounded(0, 0), onlyNulls), bounded(4, 9)},
			with(total(4, 9), func(f *tree.FieldStats) { f.NullCount = some(leafRows + 1) }), ""},
		{"nothing but nulls and NaNs in one", [2]tree.FieldStats{bounded(4, 9), with(bounded(0, 0), someNaNs)},
			with(total(4, 9), func(f *tree.FieldStats) { f.NaNCount = some(leafRows - 1) }), ""},
		{"narrower type", [2]tree.FieldStats{
			with(bounded(0, 0), func(f *tree.FieldStats) { f.Lower, f.Upper = tree.Int(3), tree.Int(5) }), bounded(4, 9)},
			total(4, 9), "lower_bound"},
		{"values unknown", [2]tree.FieldStats{with(bounded(3, 5), noValues), bounded(4, 9)}, total(3, 9), "value_count"},
		{"values unknown of the second", [2]tree.FieldStats{bounded(3, 5), with(bounded(4, 9), noValues)}, total(3, 9), "value_count"},
		{"nulls unknown", [2]tree.FieldStats{with(bounded(3, 5), noNulls), bounded(4, 9)}, total(3, 9), "null_value_count"},
		{"NaNs unknown", [2]tree.FieldStats{with(bounded(3, 5), noNaNs), bounded(4, 9)}, total(3, 9), "nan_value_count"},
		{"values counted wrong", [2]tree.FieldStats{bounded(3, 5), bounded(4, 9)},
			with(total(3, 9), func(f *tree.FieldStats) { f.ValueCount.Val-- }), "value_count"},
		{"a file without statistics", [2]tree.FieldStats{bounded(3, 5), {FieldID: 2}}, total(3, 9),
			"lower_bound upper_bound value_count null_value_count nan_value_count"},
		{"boxes are not compared", [2]tree.FieldStats{box(1, 2), box(3, 4)}, box(3, 4), ""},
	} {
		rows := []tree.Entry{inLeaf("data/x.parquet"), inLeaf("data/y.parquet")}
		for i := range rows {
			rows[i].Stats = tree.Stats{c.files[i]}
		}
		p := point(l1, tree.Added, 0, rows)
		p.Stats = tree.Stats{c.states}
		root := parentTree(p)
		s := &sample{tree: &root, leaves: leaves{tableLocation + "/" + l1: rows}}
		var wrong []string
		for _, v := range s.violations(invariants.AllLeaves) {
			if v.ID != "T-STATS-COVER" {
				t.Errorf("%s: %s", c.name, v.Message())
			}
			wrong = append(wrong, v.Field[strings.LastIndexByte(v.Field, '.')+1:])
		}
		if !slices.Equal(wrong, strings.Fields(c.wrong)) {
			t.Errorf("%s: wrong %v, want %q", c.name, wrong, c.wrong)
		}
	}
}

// box are statistics of a column of geometries.
func box(south, north float64) tree.FieldStats {
	nan := math.NaN()
	return tree.FieldStats{FieldID: 1, Lower: tree.Geo(0, south, nan, nan), Upper: tree.Geo(1, north, nan, nan)}
}
