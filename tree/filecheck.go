package tree

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// FileError lists all that is wrong with a [File].
type FileError struct {
	Location string
	Problems []string
}

// Error names the file and every problem.
func (e *FileError) Error() string {
	return fmt.Sprintf("tree: file %q: %s", e.Location, strings.Join(e.Problems, "; "))
}

// Validate returns a [FileError] with all problems of the file, or nil. It knows neither the table's specs nor its
// schema: whether they fit is for the transaction to ask (T6).
func (f File) Validate() error {
	var p problems
	p.location("location", f.Location)
	p.unless(IsAbsolute(f.Location), "location has no scheme")
	p.unless(isDataFormat(f.Format), "format %q is none of parquet, avro, orc", f.Format)
	p.unless(f.RecordCount > 0, "record_count %d is not positive (rules 2.6.4)", f.RecordCount)
	p.unless(f.FileSizeBytes > 0, "file_size_in_bytes %d is not positive", f.FileSizeBytes)
	p.unless(f.SpecID.Valid == (f.Partition != nil), "spec_id and partition are not both null or both set (rules 2.7)")
	p.unless(!f.DataSequenceNumber.Valid || f.DataSequenceNumber.Val >= 0, "data sequence number %d is negative",
		f.DataSequenceNumber.Val)
	p.partition(f.Partition)
	p.splitOffsets(f)
	for i, s := range f.Stats {
		p.unless(i == 0 || f.Stats[i-1].FieldID < s.FieldID, "statistics of column %d are out of order", s.FieldID)
		p.stats(s)
	}
	if f.DeletionVector.Valid {
		p.deletionVector(f.DeletionVector.Val, f.RecordCount)
	}
	if len(p) == 0 {
		return nil
	}
	return &FileError{Location: f.Location, Problems: p}
}

func isDataFormat(name string) bool {
	return strings.EqualFold(name, "parquet") || strings.EqualFold(name, "avro") || strings.EqualFold(name, "orc")
}

// problems collects what is wrong with a file.
type problems []string

// unless adds a problem if the condition does not hold.
func (p *problems) unless(holds bool, format string, args ...any) {
	if !holds {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

func (p *problems) location(field, location string) {
	p.unless(location != "", "%s is empty", field)
	p.unless(utf8.ValidString(location), "%s is not UTF-8", field)
}

func (p *problems) partition(t Tuple) {
	for i, v := range t {
		p.unless(i == 0 || t[i-1].FieldID < v.FieldID, "partition field %d is out of order", v.FieldID)
	}
}

func (p *problems) splitOffsets(f File) {
	last := int64(-1)
	for _, offset := range f.SplitOffsets {
		p.unless(offset > last, "split offset %d does not ascend", offset)
		p.unless(offset < f.FileSizeBytes, "split offset %d is beyond the file", offset)
		last = offset
	}
}

func (p *problems) stats(s FieldStats) {
	counts := []struct {
		name  string
		valid bool
		value int64
	}{
		{"value_count", s.ValueCount.Valid, s.ValueCount.Val},
		{"null_value_count", s.NullCount.Valid, s.NullCount.Val},
		{"nan_value_count", s.NaNCount.Valid, s.NaNCount.Val},
		{"avg_value_size_in_bytes", s.AvgSizeBytes.Valid, int64(s.AvgSizeBytes.Val)},
	}
	for _, c := range counts {
		p.unless(!c.valid || c.value >= 0, "column %d: %s %d is negative", s.FieldID, c.name, c.value)
	}
	for _, part := range counts[1:3] {
		p.unless(!s.ValueCount.Valid || !part.valid || part.value <= s.ValueCount.Val,
			"column %d: %s %d exceeds value_count %d", s.FieldID, part.name, part.value, s.ValueCount.Val)
	}
	p.unless(!s.Lower.IsNaN() && !s.Upper.IsNaN(), "column %d: a bound is NaN (rules 3.6)", s.FieldID)
	if s.Lower.IsNull() || s.Upper.IsNull() {
		return
	}
	p.unless(s.Lower.kind == s.Upper.kind, "column %d: the bounds are of kinds %s and %s", s.FieldID, s.Lower.kind,
		s.Upper.kind)
	p.unless(s.isGeo() || Compare(s.Lower, s.Upper) <= 0, "column %d: lower bound %s is above upper bound %s",
		s.FieldID, s.Lower, s.Upper)
}

func (p *problems) deletionVector(dv DeletionVector, records int64) {
	p.location("deletion_vector.location", dv.Location)
	p.unless(IsAbsolute(dv.Location), "deletion_vector.location has no scheme")
	p.unless(dv.OffsetBytes >= 0, "deletion_vector.offset %d is negative", dv.OffsetBytes)
	p.unless(dv.SizeBytes > 0, "deletion_vector.size_in_bytes %d is not positive", dv.SizeBytes)
	p.unless(dv.OffsetBytes <= math.MaxInt64-max(dv.SizeBytes, 0), "deletion_vector ends beyond 64 bits")
	p.unless(dv.Cardinality > 0 && dv.Cardinality <= records,
		"deletion_vector.cardinality %d is not between 1 and record_count", dv.Cardinality)
}
