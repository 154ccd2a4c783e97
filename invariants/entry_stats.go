package invariants

import (
	"fmt"
	"math"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

var statsInvariants = []Invariant{
	{
		ID: "E-BOUND-NAN", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 3.6, B36",
		Statement: "No bound is NaN.",
		Symptom:   "Comparisons with the bound are false, so scans skip files that match.",
		Advice:    "Leave NaN out of bounds; null bounds where there is nothing else.",
		check:     checker{entry: checkBoundNaN},
	},
	{
		ID: "E-BOUND-ORDER", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 3.6, B36",
		Statement: "A lower bound is not above its upper bound; bytes and uuids compare unsigned, -0.0 is below +0.0.",
		Symptom:   "Scans skip the file for every value.",
		Advice:    "Check the order that the writer compares by, uuids and zeros above all.",
		check:     checker{entry: checkBoundOrder},
	},
	{
		ID: "E-BOUND-KIND", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 3.1, 3.5, B46",
		Statement: "Both bounds are values of a type that the column has or had.",
		Symptom:   "A bound in another unit or type; scans compare it as if it were right.",
		Advice:    "Write bounds in the column's own type: nanosecond timestamps stay in nanoseconds.",
		check:     checker{entry: checkBoundKind},
	},
	{
		ID: "E-TIGHT", Scope: ScopeEntry, Severity: Error, Firmness: Firm, Rule: "rules 0.5-1, 3.1",
		Statement: "Where a primitive column has statistics, tight_bounds is true or false.",
		Symptom:   "Java throws while it plans.",
		Advice:    "Write false where tightness is not known.",
		check:     checker{entry: checkTight},
	},
	{
		ID: "E-VALUE-COUNT", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 3.1",
		Statement: "A data file's value count of a column, nulls and NaNs included, is its record count.",
		Symptom:   "Scans that compare counts take the file for one of only nulls, or skip it.",
		Advice:    "Count the values of all row groups, nulls included.",
		check:     checker{entry: checkValueCount},
	},
	{
		ID: "E-NULL-COUNT", Scope: ScopeEntry, Severity: Error, Firmness: Derived, Rule: "rules 3.1",
		Statement: "Counts and sizes of a column are not negative, and neither nulls nor NaNs are more than the values.",
		Symptom:   "Scans draw wrong conclusions from is-null and is-NaN filters.",
		Advice:    "Leave a count null rather than wrong.",
		check:     checker{entry: checkNullCount},
	},
	{
		ID: "E-NONE-COUNT", Scope: ScopeEntry, Severity: Warning, Firmness: Derived, Rule: "rules 3.1",
		Statement: "Nulls and NaNs of a column together are no more than its values.",
		Symptom:   "Scans draw wrong conclusions from is-null and is-NaN filters.",
		Advice:    "Leave a count null rather than wrong.",
		check:     checker{entry: checkNoneCount},
	},
}

// statsField names a member of a column's statistics in messages.
func statsField(columnID int, member string) string {
	return fmt.Sprintf("content_stats[%d].%s", columnID, member)
}

func checkBoundNaN(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		if isNaN(f.Lower) {
			r.report(statsField(f.FieldID, "lower_bound"), "no NaN", f.Lower)
		}
		if isNaN(f.Upper) {
			r.report(statsField(f.FieldID, "upper_bound"), "no NaN", f.Upper)
		}
	}
}

func checkBoundOrder(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		if f.Lower.Kind() == tree.KindGeo && f.Upper.Kind() == tree.KindGeo {
			checkBox(f, r)
			continue
		}
		if order, ok := compareBounds(f.Lower, f.Upper); ok && order > 0 {
			r.report(statsField(f.FieldID, "lower_bound"), "not above "+f.Upper.String(), f.Lower)
		}
	}
}

// checkBox compares the corners of a bounding box. A box may cross the antimeridian, so x is free; z and m are NaN
// where the box has none.
func checkBox(f tree.FieldStats, r reporter) {
	_, lowY, lowZ, lowM := f.Lower.GeoCorner()
	_, highY, highZ, highM := f.Upper.GeoCorner()
	if lowY > highY || lowZ > highZ || lowM > highM {
		r.report(statsField(f.FieldID, "geo_lower"), "y, z and m not above "+f.Upper.String(), f.Lower)
	}
}

func checkBoundKind(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		types := in.table.columnTypes(f.FieldID)
		for _, b := range []struct {
			member string
			value  tree.Value
		}{{"lower_bound", f.Lower}, {"upper_bound", f.Upper}} {
			if !b.value.IsNull() && !fits(b.value, types) {
				r.report(statsField(f.FieldID, b.member), describe(types), kindOf(b.value))
			}
		}
		if len(types) == 0 && !f.Lower.IsNull() && !f.Upper.IsNull() && f.Lower.Kind() != f.Upper.Kind() {
			r.report(statsField(f.FieldID, "upper_bound"), "a value of kind "+f.Lower.Kind().String(), kindOf(f.Upper))
		}
	}
}

func checkTight(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		if !f.Tight.Valid && hasTightness(f, in.table.columnTypes(f.FieldID)) {
			r.report(statsField(f.FieldID, "tight_bounds"), "true or false", f.Tight)
		}
	}
}

func checkValueCount(in *entryInput, r reporter) {
	if !isData(in.entry) {
		return
	}
	for _, f := range in.entry.Stats {
		if f.ValueCount.Valid && f.ValueCount.Val != in.entry.RecordCount {
			r.report(statsField(f.FieldID, "value_count"), in.entry.RecordCount, f.ValueCount)
		}
	}
}

func checkNullCount(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		size := iceberg.Optional[int64]{Val: int64(f.AvgSizeBytes.Val), Valid: f.AvgSizeBytes.Valid}
		for _, n := range []struct {
			member string
			value  iceberg.Optional[int64]
			values iceberg.Optional[int64] // that it may not exceed
		}{
			{"value_count", f.ValueCount, none},
			{"null_value_count", f.NullCount, f.ValueCount},
			{"nan_value_count", f.NaNCount, f.ValueCount},
			{"avg_value_size_in_bytes", size, none},
		} {
			switch {
			case n.value.Valid && n.value.Val < 0:
				r.report(statsField(f.FieldID, n.member), "0 or more", n.value)
			case n.value.Valid && n.values.Valid && n.value.Val > n.values.Val && n.values.Val >= 0:
				r.report(statsField(f.FieldID, n.member), fmt.Sprintf("at most value_count %d", n.values.Val), n.value)
			}
		}
	}
}

func checkNoneCount(in *entryInput, r reporter) {
	for _, f := range in.entry.Stats {
		nulls, nans, values := f.NullCount.Val, f.NaNCount.Val, f.ValueCount
		if values.Valid && nulls <= values.Val && nans <= values.Val && sum(nulls, nans) > values.Val {
			r.report(statsField(f.FieldID, "nan_value_count"),
				fmt.Sprintf("with %d nulls at most value_count %d", nulls, values.Val), nans)
		}
	}
}

// none is a null count.
var none iceberg.Optional[int64]

// sum adds counts. A sum beyond 64 bits is the highest number, which no honest count equals.
func sum(counts ...int64) int64 {
	total := int64(0)
	for _, n := range counts {
		if n > 0 && total > math.MaxInt64-n {
			return math.MaxInt64
		}
		total += n
	}
	return total
}
