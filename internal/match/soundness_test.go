package match_test

import (
	"testing"

	"github.com/apache/iceberg-go"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/match"
	"github.com/firn-io/firn/tree"
)

// TestSound checks with random files, partition specs and filters that no file with a matching row is pruned, and
// that no file is said to match whole unless all its rows do, under every reading of nulls and zeros. The same
// must hold of a pointer to a leaf of these files, by aggregated statistics.
func TestSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := drawSpecs(t)
		f := drawFormula(t, 2)
		filter, err := match.New(f.expression(), modelSchema(), specs)
		if err != nil {
			t.Fatal(err)
		}
		var all []row
		var entries []tree.Entry
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			rows, e := drawFile(t, rapid.SampledFrom(specs).Draw(t, "spec"))
			all, entries = append(all, rows...), append(entries, e)
			checkReadings(t, filter, f, e, rows)
		}
		pointer := tree.Entry{Content: tree.DataManifest, Stats: tree.Aggregate(entries)}
		checkReadings(t, filter, f, pointer, all)
		checkReadings(t, filter, f, tree.Entry{Content: tree.DataManifest, Stats: pointer.Stats.Loosen().Project(filter.Columns())}, all)
	})
}

func checkReadings(t *rapid.T, filter *match.Filter, f *formula, e tree.Entry, rows []row) {
	for _, by := range []reading{{false, false}, {false, true}, {true, false}, {true, true}} {
		check(t, filter, f, e, rows, func(r row) bool { return f.holds(r, true, by) })
	}
}

func check(t *rapid.T, filter *match.Filter, f *formula, e tree.Entry, rows []row, holds func(row) bool) {
	t.Helper()
	may, must := filter.MayMatch(e), filter.MustMatch(e)
	for _, r := range rows {
		if holds(r) && !may {
			t.Fatalf("%s prunes %v, partition %v, stats %v", f.text(), r, e.Partition, e.Stats)
		}
		if !holds(r) && must {
			t.Fatalf("%s claims %v, partition %v, stats %v", f.text(), r, e.Partition, e.Stats)
		}
	}
}

// TestSoundText checks the same of filters that are written as text, whose meaning is SQL's.
func TestSoundText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := drawSpecs(t)
		f := drawFormula(t, 3)
		expr := mustParse(t, f)
		filter, err := match.New(expr, modelSchema(), specs)
		if err != nil {
			t.Fatal(err)
		}
		rows, e := drawFile(t, rapid.SampledFrom(specs).Draw(t, "spec"))
		for _, zerosEqual := range []bool{false, true} {
			check(t, filter, f, e, rows, func(r row) bool { return f.sql(r, zerosEqual) == isTrue })
		}
	})
}

// mustParse parses the text of a formula, without the literals that text cannot spell.
func mustParse(t *rapid.T, f *formula) iceberg.BooleanExpression {
	f.avoidUnspellable()
	expr, err := match.Parse(f.text(), modelSchema())
	if err != nil {
		t.Fatalf("%s: %v", f.text(), err)
	}
	return expr
}

// avoidUnspellable replaces literals outside the years that text can spell, and infinities.
func (f *formula) avoidUnspellable() {
	if f.left != nil {
		f.left.avoidUnspellable()
	}
	if f.right != nil {
		f.right.avoidUnspellable()
	}
	for i, v := range f.literals {
		switch v.Kind() {
		case tree.KindTimestamp, tree.KindTimestampNano, tree.KindDate:
			if n := v.Number(); n > 1<<61 || n < -1<<61 || v.Kind() == tree.KindDate && (n > 1<<20 || n < -1<<20) {
				f.literals[i] = tree.NumberValue(v.Kind(), 0)
			}
		case tree.KindDouble, tree.KindFloat:
			if x := v.Float64(); x-x != 0 {
				f.literals[i] = f.column.pool[1]
			}
		}
	}
}
