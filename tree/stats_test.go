package tree_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestStatsByField(t *testing.T) {
	s := tree.Stats{{FieldID: 1}, {FieldID: 4, NullCount: some[int64](2)}, {FieldID: 9}}
	if f, found := s.Field(4); !found || f.NullCount.Val != 2 {
		t.Errorf("column 4: %+v, %v", f, found)
	}
	if _, found := s.Field(5); found {
		t.Error("column 5 is there")
	}
	if got := s.Project([]int{9, 5, 1}); len(got) != 2 || got[0].FieldID != 1 || got[1].FieldID != 9 {
		t.Errorf("projection is %+v", got)
	}
	if got := s.Project([]int{5}); got != nil {
		t.Errorf("projection to nothing is %+v", got)
	}
}

// Rules 0.5-1: what is written says of every bound that is no box whether it is tight.
func TestSettled(t *testing.T) {
	corner := tree.Geo(1, 2, 3, 4)
	s := tree.Stats{{FieldID: 1, Tight: some(true)}, {FieldID: 2, Lower: tree.Long(1)}, {FieldID: 3, Upper: corner}}
	got := s.Settled()
	want := tree.Stats{{FieldID: 1, Tight: some(true)}, {FieldID: 2, Lower: tree.Long(1), Tight: some(false)},
		{FieldID: 3, Upper: corner}}
	if diff := cmp.Diff(want, got, compareValues); diff != "" || s[1].Tight.Valid {
		t.Errorf("settled (-want +got):\n%s\nthe original is %+v", diff, s)
	}
	if again := got.Settled(); &again[0] != &got[0] {
		t.Error("settled statistics are copied")
	}
}

// entriesWith returns an EXISTING entry for each statistics of column 1.
func entriesWith(fields ...tree.FieldStats) []tree.Entry {
	var entries []tree.Entry
	for _, f := range fields {
		f.FieldID = 1
		e := explicit(tree.Existing, "f", 3)
		e.Stats = tree.Stats{f}
		entries = append(entries, e)
	}
	return entries
}

func between(lower, upper tree.Value) tree.FieldStats {
	return tree.FieldStats{Lower: lower, Upper: upper, Tight: some(true)}
}

// Rules 3.8: sums, extremes, and nothing where one entry knows nothing.
func TestAggregate(t *testing.T) {
	full := tree.FieldStats{Lower: tree.String("b"), Upper: tree.String("m"), Tight: some(true), ValueCount: some[int64](10),
		NullCount: some[int64](1), NaNCount: some[int64](0), AvgSizeBytes: some[int32](4)}
	other := full
	other.Lower, other.Upper = tree.String("c"), tree.String("z")
	loose := other
	loose.Tight = some(false)
	unbound := other
	unbound.Upper, unbound.NullCount = tree.Value{}, none
	sum := tree.FieldStats{FieldID: 1, Lower: tree.String("b"), Upper: tree.String("z"), Tight: some(true),
		ValueCount: some[int64](20), NullCount: some[int64](2), NaNCount: some[int64](0)}
	notTight, half := sum, sum
	notTight.Tight = some(false)
	half.Upper, half.NullCount, half.Tight = tree.Value{}, none, some(false)
	dead := entriesWith(tree.FieldStats{Lower: tree.String("a")})
	dead[0].Tracking.Status = tree.Deleted
	unknown := entriesWith(full)
	unknown[0].Stats = nil

	tests := map[string]struct {
		entries []tree.Entry
		want    tree.Stats
	}{
		"two":                 {entriesWith(full, other), tree.Stats{sum}},
		"one not tight":       {entriesWith(full, loose), tree.Stats{notTight}},
		"one upper missing":   {entriesWith(full, unbound), tree.Stats{half}},
		"one without":         {append(entriesWith(full), unknown...), nil},
		"first one without":   {append(unknown, entriesWith(full)...), nil},
		"tombstones aside":    {append(dead, entriesWith(full, other)...), tree.Stats{sum}},
		"none":                {nil, nil},
		"only tombstones":     {dead, nil},
		"only a mean size":    {entriesWith(tree.FieldStats{AvgSizeBytes: some[int32](4), Tight: some(true)}), nil},
		"bounds of two types": {entriesWith(between(tree.Int(1), tree.Int(2)), between(tree.Long(1), tree.Long(2))), nil},
		"decimals of two scales": {entriesWith(between(tree.DecimalInt64(1, 1), tree.DecimalInt64(2, 1)),
			between(tree.DecimalInt64(1, 2), tree.DecimalInt64(2, 2))), nil},
		"sum beyond 64 bits": {entriesWith(tree.FieldStats{ValueCount: some[int64](maxInt64)},
			tree.FieldStats{ValueCount: some[int64](1)}), nil},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, tree.Aggregate(test.entries), compareValues); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// B36: uuids are unsigned bytes, -0.0 is below 0.0, a NaN bound is unknown.
func TestAggregateOrdersBounds(t *testing.T) {
	low := tree.UUID(uuid.UUID(append([]byte{0x7f}, bytes.Repeat([]byte{0xff}, 15)...)))
	high := tree.UUID(uuid.UUID(append([]byte{0x80}, make([]byte, 15)...)))
	zero, negative, nan := tree.Double(0), tree.Double(math.Copysign(0, -1)), tree.Double(math.NaN())
	one := tree.Double(1)
	tests := map[string]struct {
		fields       []tree.FieldStats
		lower, upper tree.Value
	}{
		"uuid":       {[]tree.FieldStats{between(high, high), between(low, low)}, low, high},
		"zeros":      {[]tree.FieldStats{between(zero, zero), between(negative, negative)}, negative, zero},
		"NaN":        {[]tree.FieldStats{between(one, one), between(zero, nan)}, zero, tree.Value{}},
		"NaN first":  {[]tree.FieldStats{between(nan, nan), between(zero, one)}, tree.Value{}, tree.Value{}},
		"one by NaN": {[]tree.FieldStats{between(zero, nan)}, zero, tree.Value{}},
		"unbound":    {[]tree.FieldStats{between(one, one), {NaNCount: some[int64](2)}}, tree.Value{}, tree.Value{}},
	}
	for name, test := range tests {
		f, _ := tree.Aggregate(entriesWith(test.fields...)).Field(1)
		if f.Lower != test.lower || f.Upper != test.upper {
			t.Errorf("%s: bounds are %s and %s, want %s and %s", name, f.Lower, f.Upper, test.lower, test.upper)
		}
		if f.Tight.Val != (!test.lower.IsNull() && !test.upper.IsNull()) {
			t.Errorf("%s: tight is %v", name, f.Tight)
		}
	}
}

func TestAggregateBoxes(t *testing.T) {
	nan := math.NaN()
	flat := between(tree.Geo(1, 2, nan, nan), tree.Geo(3, 4, nan, nan))
	deep := between(tree.Geo(0, 3, 5, nan), tree.Geo(2, 9, 6, nan))
	got, _ := tree.Aggregate(entriesWith(flat, deep)).Field(1)
	if got.Lower != tree.Geo(0, 2, nan, nan) || got.Upper != tree.Geo(3, 9, nan, nan) || got.Tight.Valid {
		t.Errorf("box is %s to %s, tight %v", got.Lower, got.Upper, got.Tight)
	}
	wrapping := between(tree.Geo(170, 0, nan, nan), tree.Geo(-170, 1, nan, nan))
	half := tree.FieldStats{Lower: tree.Geo(0, 0, nan, nan)}
	for name, f := range map[string]tree.FieldStats{"across the antimeridian": wrapping, "one corner": half} {
		if got := tree.Aggregate(entriesWith(flat, f)); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSummarize(t *testing.T) {
	row := func(status tree.Status, sequence, records int64) tree.Entry {
		e := explicit(status, "f", sequence)
		e.RecordCount = records
		return e
	}
	got, err := tree.Summarize([]tree.Entry{bare("a", 10), row(tree.Existing, 5, 20), row(tree.Existing, 6, 1),
		row(tree.Deleted, 2, 30), row(tree.Replaced, 3, 40), row(tree.Modified, 7, 50)}, 9)
	want := tree.ManifestInfo{FormatVersion: 4, MinSequenceNumber: 5,
		AddedFiles: 1, ExistingFiles: 2, DeletedFiles: 1, ReplacedFiles: 1, ModifiedFiles: 1,
		AddedRows: 10, ExistingRows: 21, DeletedRows: 30, ReplacedRows: 40, ModifiedRows: 50}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("summary: %v (-want +got):\n%s", err, diff)
	}
	for name, rows := range map[string][]tree.Entry{
		"nothing": nil, "new files": {bare("a", 1)}, "tombstones": {row(tree.Deleted, 2, 1)},
	} {
		if got, err := tree.Summarize(rows, 9); err != nil || got.MinSequenceNumber != 9 {
			t.Errorf("%s: lowest sequence number %d, %v", name, got.MinSequenceNumber, err)
		}
	}
	_, err = tree.Summarize([]tree.Entry{bare("a", 1), bare("b", maxInt64)}, 9)
	wantError(t, err, "tree: row 1, b: record_count 9223372036854775807 is negative or exceeds the sum of ADDED records")
	_, err = tree.Summarize([]tree.Entry{bare("a", -1)}, 9)
	wantError(t, err, "tree: row 0, a: record_count -1 is negative or exceeds the sum of ADDED records")
	_, err = tree.Summarize([]tree.Entry{{Location: "a"}}, 9)
	wantError(t, err, "tree: row 0, a: it has no status: status(0)")
}
