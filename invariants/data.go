package invariants

import (
	"fmt"
	"iter"
	"math"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// DataFile is what was read in the rows of a data file, not what its footer claims.
type DataFile struct {
	// RecordCount is how many rows there are, deleted ones among them.
	RecordCount int64
	// Columns are the columns that were read, and Partitions the partition fields whose values follow from them.
	Columns    []DataColumn
	Partitions []DataPartition
}

// DataColumn is what the values of one column of a data file say.
type DataColumn struct {
	ColumnID int
	// Values counts the entries, nulls and NaNs included.
	Values, Nulls, NaNs int64
	// Lower and Upper are the least and the greatest value, NaNs apart; null where there is none or they have no order.
	Lower, Upper tree.Value
}

// DataPartition is what the rows of a data file say of one partition field.
type DataPartition struct {
	FieldID int
	// Value is the value of some row, Other a different one of another row, if Several says that there is one.
	Value, Other tree.Value
	Several      bool
}

// CheckData checks the rules of scope data: it holds the entry of a data file against the rows of the file. Deleted rows
// count: a deletion vector never narrows statistics (S23). What was not read is not judged, nor is what the entry does
// not say (IV22).
func CheckData(t Table, place Place, e tree.Entry, d DataFile) iter.Seq[Violation] {
	return func(yield func(Violation) bool) {
		in := &dataInput{entry: &e, file: &d}
		check{table: t, sink: &sink{yield: yield}}.run(dataRules, place, func(f *checker, r reporter) {
			f.data(in, r)
		})
	}
}

// dataInput is an entry, and what was read in its file.
type dataInput struct {
	entry *tree.Entry
	file  *DataFile
}

// columns yields the statistics of each column that was read.
func (in *dataInput) columns() iter.Seq2[tree.FieldStats, DataColumn] {
	return func(yield func(tree.FieldStats, DataColumn) bool) {
		read := make(map[int]DataColumn, len(in.file.Columns))
		for _, c := range in.file.Columns {
			read[c.ColumnID] = c
		}
		for _, f := range in.entry.Stats {
			if c, known := read[f.FieldID]; known && !yield(f, c) {
				return
			}
		}
	}
}

var dataInvariants = []Invariant{
	{
		ID: "D-RECORDS", Scope: ScopeData, Severity: Error, Firmness: Firm, Rule: "rules 2.1, 2.6",
		Statement: "The record count of a data file is the number of its rows.",
		Symptom:   "Counts without a scan are wrong, and so are the row ids of all files after it in its leaf.",
		Advice:    "Remove the entry and add the file again, with the count of its footer.",
		check:     checker{data: checkDataRecords},
	},
	{
		ID: "D-COUNTS", Scope: ScopeData, Severity: Error, Firmness: Firm, Rule: "rules 3.1",
		Statement: "The counts of values, nulls and NaNs of a column are those of the data file.",
		Symptom:   "Filters on null and NaN skip the file although rows in it match.",
		Advice:    "Drop the statistics of the column in one snapshot and write the right ones in the next.",
		check:     checker{data: checkDataCounts},
	},
	{
		ID: "D-BOUNDS", Scope: ScopeData, Severity: Error, Firmness: Firm, Rule: "rules 3.6, B36, S23",
		Statement: "No value of a column is below its lower bound or above its upper bound; NaNs do not count, -0.0 is below +0.0.",
		Symptom:   "Scans skip the file although rows in it match.",
		Advice:    "Drop the statistics of the column in one snapshot and write the right ones in the next.",
		check:     checker{data: checkDataBounds},
	},
	{
		ID: "D-TIGHT", Scope: ScopeData, Severity: Error, Firmness: Firm, Rule: "rules 3.6, S23",
		Statement: "Bounds that are called tight are the least and the greatest value of the column.",
		Symptom:   "Minima and maxima that are answered without a scan are wrong.",
		Advice:    "Say tight only of bounds that are values, never of truncated ones.",
		check:     checker{data: checkDataTight},
	},
	{
		ID: "D-PARTITION", Scope: ScopeData, Severity: Error, Firmness: Firm, Rule: "rules 2.7.1, 2.7.4",
		Statement: "A partition value is what the transform of its field gives for every row of the file.",
		Symptom:   "Scans of one partition miss rows, scans of another show them.",
		Advice:    "Rewrite the rows of the file into files of one partition each.",
		check:     checker{data: checkDataPartition},
	},
}

func checkDataRecords(in *dataInput, r reporter) {
	if in.entry.RecordCount != in.file.RecordCount {
		r.report("record_count", in.file.RecordCount, in.entry.RecordCount)
	}
}

func checkDataCounts(in *dataInput, r reporter) {
	for f, c := range in.columns() {
		for _, n := range []struct {
			member string
			claim  iceberg.Optional[int64]
			read   int64
		}{
			{"value_count", f.ValueCount, c.Values},
			{"null_value_count", f.NullCount, c.Nulls},
			{"nan_value_count", f.NaNCount, c.NaNs},
		} {
			if n.claim.Valid && n.claim.Val != n.read {
				r.report(statsField(f.FieldID, n.member), n.read, n.claim)
			}
		}
	}
}

func checkDataBounds(in *dataInput, r reporter) {
	for f, c := range in.columns() {
		if order, known := compareBounds(f.Lower, c.Lower); known && order > 0 {
			r.report(statsField(f.FieldID, "lower_bound"), fmt.Sprintf("at most %s, a value of the file", c.Lower), f.Lower)
		}
		if order, known := compareBounds(f.Upper, c.Upper); known && order < 0 {
			r.report(statsField(f.FieldID, "upper_bound"), fmt.Sprintf("at least %s, a value of the file", c.Upper), f.Upper)
		}
	}
}

// checkDataTight leaves what D-BOUNDS reports to it.
func checkDataTight(in *dataInput, r reporter) {
	for f, c := range in.columns() {
		if !f.Tight.Val {
			continue
		}
		if order, known := compareBounds(f.Lower, c.Lower); known && order < 0 && !zeros(f.Lower, c.Lower) {
			r.report(statsField(f.FieldID, "lower_bound"), fmt.Sprintf("%s, for it is called tight", c.Lower), f.Lower)
		}
		if order, known := compareBounds(f.Upper, c.Upper); known && order > 0 && !zeros(f.Upper, c.Upper) {
			r.report(statsField(f.FieldID, "upper_bound"), fmt.Sprintf("%s, for it is called tight", c.Upper), f.Upper)
		}
	}
}

// zeros reports whether two values are zeros of either sign: footers of Parquet files widen a zero bound (IV22).
func zeros(a, b tree.Value) bool {
	zero := func(v tree.Value) bool {
		return (v.Kind() == tree.KindFloat || v.Kind() == tree.KindDouble) && math.Abs(v.Float64()) == 0
	}
	return zero(a) && zero(b)
}

func checkDataPartition(in *dataInput, r reporter) {
	for _, p := range in.file.Partitions {
		claim := in.entry.Partition.Value(p.FieldID)
		field := fmt.Sprintf("partition[%d]", p.FieldID)
		switch {
		case p.Several:
			r.report(field, "one value for all rows", fmt.Sprintf("%s and %s", printNull(p.Value), printNull(p.Other)))
		case !sameValue(p.Value, claim) && !sameValue(claim, p.Value) && !(isNaN(p.Value) && isNaN(claim)):
			r.report(field, printNull(p.Value)+", as the rows say", printNull(claim))
		}
	}
}

func printNull(v tree.Value) string {
	if v.IsNull() {
		return "null"
	}
	return v.String()
}
