package manifestio

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firn-io/firn/tree"
)

// oddColumns are changes of a file that do not change what it means.
var oddColumns = []struct {
	name string
	edit func(*testing.T, *sheet)
	want func(*tree.Entry) // changes an entry to what should be read; nil for no change
}{
	{"renamed and reordered", func(t *testing.T, s *sheet) {
		s.each(func(c *sheet) {
			slices.Reverse(c.children)
			if c.id >= 0 {
				c.name = "x" + strings.Repeat("y", int(c.id%7)) + string(rune('a'+c.id%26))
			}
		})
		slices.Reverse(s.children)
		uniqueNames(s)
	}, nil},
	{"optional columns missing", func(t *testing.T, s *sheet) {
		for _, path := range []string{"140", "132", "146", "147.142", "148.149"} {
			s.drop(t, path)
		}
	}, func(e *tree.Entry) {
		e.SortOrderID.Valid, e.SortOrderID.Val, e.SplitOffsets, e.Stats = false, 0, nil, nil
		e.Tracking.FirstRowID.Valid, e.Tracking.FirstRowID.Val, e.DeletionVector.Val.KeyMetadata = false, 0, nil
	}},
	{"required where it may be null", func(t *testing.T, s *sheet) {
		s.at(t, "141").fillNulls()
		for _, path := range []string{"141", "147.1"} {
			c := s.at(t, path)
			c.rep = parquet.Repetitions.Required
			clear(c.data.defs)
		}
	}, func(e *tree.Entry) { e.SpecID.Valid = true }},
	{"optional where it may not be null", func(t *testing.T, s *sheet) {
		for _, path := range []string{"100", "103", "147.0"} {
			s.at(t, path).loosen()
		}
	}, nil},
	{"integers annotated", func(t *testing.T, s *sheet) {
		s.at(t, "134").logical = schema.NewIntLogicalType(32, true)
		s.at(t, "103").logical = schema.NewIntLogicalType(64, true)
	}, nil},
	{"unknown columns below known structs", func(t *testing.T, s *sheet) {
		n := s.rows()
		for _, parent := range []*sheet{s.at(t, "146"), s.at(t, "146.10200"), s.at(t, "148")} {
			c := addColumn(parent, "unknown", 1, parquet.Types.Int32, nil, make([]int32, n))
			c.rep, c.id = parquet.Repetitions.Optional, parent.id+150
			c.data.values = []int32{}
		}
	}, nil},
	{"format_version beside manifest_info (Q2)", func(t *testing.T, s *sheet) {
		old := s.at(t, "150.521")
		s.drop(t, "150.521")
		old.id, old.rep = 157, parquet.Repetitions.Optional
		s.children = append(s.children, old)
		s.each(func(c *sheet) {
			if c == old {
				c.rep = parquet.Repetitions.Optional // its levels already say where it is
			}
		})
	}, nil},
}

// TestOddColumns reads files whose columns differ from the usual ones and mean the same (B51, rules 4.8).
func TestOddColumns(t *testing.T) {
	data, rows := sampleFile(t, 30)
	for _, c := range oddColumns {
		t.Run(c.name, func(t *testing.T) {
			file := takeApart(t, data)
			c.edit(t, file)
			want := slices.Clone(rows)
			for i := range want {
				if c.want != nil {
					c.want(&want[i])
				}
			}
			if diff := cmp.Diff(want, mustDecode(t, file.putTogether(t, 20)), sameValues); diff != "" {
				t.Errorf("want -, read +:\n%s", diff)
			}
		})
	}
}

// uniqueNames makes the names of siblings differ, as Parquet's writers want it.
func uniqueNames(s *sheet) {
	seen := make(map[string]bool)
	for _, c := range s.children {
		for seen[c.name] {
			c.name += "_"
		}
		seen[c.name] = true
		uniqueNames(c)
	}
}

// fillNulls gives every null of a column of ints the value 0.
func (s *sheet) fillNulls() {
	old, all := s.data.values.([]int32), []int32{}
	for i, def := range s.data.defs {
		v := int32(0)
		if def == 1 {
			v, old = old[0], old[1:]
		}
		all, s.data.defs[i] = append(all, v), 1
	}
	s.data.values = all
}

// loosen makes a required column optional.
func (s *sheet) loosen() {
	s.rep = parquet.Repetitions.Optional
	for i := range s.data.defs {
		s.data.defs[i]++
	}
}

// refusedColumns are changes of a file that make it unreadable, with what the error is and says.
var refusedColumns = []struct {
	name string
	edit func(*testing.T, *sheet)
	kind error
	text string
}{
	{"no ids at all", func(t *testing.T, s *sheet) { s.each(func(c *sheet) { c.id = -1 }) }, ErrFieldIDs, "has none"},
	{"no ids below the top", func(t *testing.T, s *sheet) {
		for _, c := range s.children {
			c.each(func(c *sheet) { c.id = -1 })
		}
	}, ErrFieldIDs, "has none"},
	{"no id on status", func(t *testing.T, s *sheet) { s.at(t, "147.0").id = -1 }, ErrFieldIDs, "tracking.status"},
	{"no id on a list element", func(t *testing.T, s *sheet) { s.at(t, "132..133").id = -1 }, ErrFieldIDs, "split_offsets (132)"},
	{"no id on a bound", func(t *testing.T, s *sheet) { s.at(t, "146.10200.10201").id = -1 }, ErrFieldIDs, "content_stats (146).10200"},
	{"one id twice", func(t *testing.T, s *sheet) { s.at(t, "141").id = 140 }, ErrFieldIDs, "both spec_id and sort_order_id have field id 140"},
	{"one id twice in different structs", func(t *testing.T, s *sheet) { s.at(t, "148.149").id = 131 }, ErrFieldIDs, "field id 131"},
	{"location on another column", func(t *testing.T, s *sheet) {
		s.at(t, "100").id = 999
		s.at(t, "103").id = 100
	}, ErrFieldIDs, "location (100) is INT64, not string"},
	{"location on a binary column", func(t *testing.T, s *sheet) {
		s.at(t, "100").logical = nil
	}, ErrFieldIDs, "location (100) is BYTE_ARRAY, not string"},
	{"a count as long", func(t *testing.T, s *sheet) {
		c := s.at(t, "150.504")
		c.physical, c.data = parquet.Types.Int64, s.at(t, "150.512").data
	}, ErrFieldIDs, "added_files_count (504) is INT64, not int"},
	{"snapshot id beside tracking", func(t *testing.T, s *sheet) {
		s.drop(t, "147.1")
		addColumn(s, "snapshot_id", 1, parquet.Types.Int64, nil, make([]int64, s.rows()))
	}, ErrFieldIDs, "field 1 of tracking (147) stands beside it"},
	{"a field of manifest_info in tracking", func(t *testing.T, s *sheet) {
		s.at(t, "147.142").id, s.at(t, "150.516").id = 516, 599
	}, ErrFieldIDs, "field 516 of manifest_info (150) stands in tracking (147)"},
	{"tracking as a list", func(t *testing.T, s *sheet) {
		s.at(t, "147").rep = parquet.Repetitions.Repeated
		deeper(s.at(t, "147"))
	},
		ErrFieldIDs, "tracking (147) is repeated a struct"},
	{"a member of another column's statistics", func(t *testing.T, s *sheet) {
		s.at(t, "146.10200.10201").id, s.at(t, "146.10400.10401").id = 10401, 10201
	}, ErrFieldIDs, "stands in the statistics struct"},
	{"bounds of two types", func(t *testing.T, s *sheet) {
		s.at(t, "146.10200.10201").id, s.at(t, "146.10200.10204").id = 10204, 10201
		s.at(t, "146.10200.10202").logical = schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
	}, ErrFieldIDs, "the bounds of content_stats.10200"},
	{"location missing", func(t *testing.T, s *sheet) { s.drop(t, "100") }, ErrFieldIDs, "location (100) is missing"},
	{"format_version missing", func(t *testing.T, s *sheet) { s.drop(t, "150.521") }, ErrFieldIDs, "format_version (521) is missing"},
	{"a partition value of an odd type", func(t *testing.T, s *sheet) {
		s.at(t, "102.1000").logical = schema.JSONLogicalType{}
	}, ErrFieldIDs, "partition (102).1000"},
	{"August: 523 is a long", func(t *testing.T, s *sheet) {
		s.at(t, "150.523").id, s.at(t, "150.524").id = 520, 523
	}, ErrLegacyNumbering, "field"},
	{"August: dv_cardinality", func(t *testing.T, s *sheet) {
		s.drop(t, "150.523")
		s.at(t, "150.524").id = 523
	}, ErrLegacyNumbering, "field 523 of manifest_info is a long"},
	{"August: 520", func(t *testing.T, s *sheet) {
		s.at(t, "150.523").id = 520
	}, ErrLegacyNumbering, "field 520"},
	{"no tracking", func(t *testing.T, s *sheet) { s.drop(t, "147") }, ErrNotV4, "tracking (147)"},
	{"records of v3", func(t *testing.T, s *sheet) {
		for i, path := range []string{"147.0", "147.1", "147.3", "147.4"} {
			c := s.at(t, path)
			c.id = []int32{0, 1, 3, 4}[i]
			s.children = append(s.children, c)
		}
		s.drop(t, "147")
		s.drop(t, "150")
		s.at(t, "148").id = 2
	}, ErrNotV4, "manifest entries of versions 1 to 3"},
}

// TestRefusedColumns names what is wrong with schemas that would be misread (B51, Q3, rules 0.5-3).
func TestRefusedColumns(t *testing.T) {
	data, _ := sampleFile(t, 10)
	for _, c := range refusedColumns {
		t.Run(c.name, func(t *testing.T) {
			file := takeApart(t, data)
			c.edit(t, file)
			_, err := decode(file.putTogether(t, 100), tree.Full)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !errors.Is(err, ErrCorrupt) || !errors.Is(err, c.kind) || corrupt.Kind != c.kind {
				t.Fatalf("error %v, want kind %v", err, c.kind)
			}
			if corrupt.Object != "test.parquet" || corrupt.Row != -1 || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v does not say %q", err, c.text)
			}
		})
	}
}

// TestPlaceholder reads the partition struct of an old prototype: a member with a negative id, which arrow-go
// cannot write, stands for no partition fields (rules 2.1.5).
func TestPlaceholder(t *testing.T) {
	leaf := func(name string, id int, physical format.Type, logical string) schemaElement {
		return schemaElement{name: name, leaf: true, physical: physical, id: id, hasID: true, converted: -1,
			repetition: tree.Optional, logical: fileAnnotation{name: logical}}
	}
	root, _, err := buildSchema([]schemaElement{
		{name: "root", children: 7, converted: -1},
		{name: "tracking", children: 1, id: 147, hasID: true, repetition: tree.Required, converted: -1},
		leaf("status", 0, format.Int32, ""),
		leaf("content_type", 134, format.Int32, ""), leaf("location", 100, format.ByteArray, "string"),
		leaf("file_format", 101, format.ByteArray, "string"), leaf("record_count", 103, format.Int64, ""),
		leaf("file_size_in_bytes", 104, format.Int64, ""),
		{name: "partition", children: 1, id: 102, hasID: true, repetition: tree.Optional, converted: -1},
		leaf("UNPARTITIONED_PLACEHOLDER", -1000, format.Int32, ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bind(root)
	if err != nil {
		t.Fatal(err)
	}
	if b.partition != nil || len(b.values) != 0 {
		t.Errorf("partition %v with %d fields", b.partition, len(b.values))
	}
}

// deeper adds a level to everything below a node that became optional or repeated.
func deeper(s *sheet) {
	s.each(func(c *sheet) {
		if c.data != nil {
			for i := range c.data.defs {
				c.data.defs[i]++
			}
		}
	})
}

// TestRefusedValues names the row and the field of values that the format does not have.
func TestRefusedValues(t *testing.T) {
	data, _ := sampleFile(t, 300)
	const row = 211 // a manifest pointer
	for _, c := range []struct {
		path, field string
		value       int32
		text        string
	}{
		{"147.0", "tracking.status (0)", 5, "5 is no status"},
		{"147.0", "tracking.status (0)", -1, "-1 is no status"},
		{"134", "content_type (134)", 5, "5 is no content type"},
		{"150.521", "manifest_info.format_version (521)", 3, "3 is no format version"},
	} {
		file := takeApart(t, data)
		d := file.at(t, c.path).data
		at := row
		if len(d.values.([]int32)) < 300 {
			at = row - 200 // only pointers have a value
		}
		d.values.([]int32)[at] = c.value
		checkRefused(t, file, row, c.field, c.text)
	}
}

// TestRefusedNulls names the row and the field of nulls that the format does not allow.
func TestRefusedNulls(t *testing.T) {
	data, _ := sampleFile(t, 300)
	for _, c := range []struct {
		path, field string
		row         int
	}{
		{"100", "location (100)", 150},
		{"103", "record_count (103)", 0},
		{"147.0", "tracking.status (0)", 299},
		{"148.155", "deletion_vector.location (155)", 6},
		{"150.512", "manifest_info.added_rows_count (512)", 250},
	} {
		file := takeApart(t, data)
		column := file.at(t, c.path)
		column.loosen()
		if strings.HasPrefix(c.path, "148") || strings.HasPrefix(c.path, "150") {
			for i, def := range column.data.defs { // a null struct stays one
				if def == 1 {
					column.data.defs[i] = 0
				}
			}
		}
		column.remove(c.row)
		checkRefused(t, file, int64(c.row), c.field, "null in a required field")
	}
}

// remove makes the value of a row null, in an optional column whose struct is not.
func (s *sheet) remove(row int) {
	highest, value := slices.Max(s.data.defs), 0
	for i := range row {
		if s.data.defs[i] == highest {
			value++
		}
	}
	s.data.defs[row]--
	switch v := s.data.values.(type) {
	case []int32:
		s.data.values = slices.Delete(v, value, value+1)
	case []int64:
		s.data.values = slices.Delete(v, value, value+1)
	case []parquet.ByteArray:
		s.data.values = slices.Delete(v, value, value+1)
	}
}

// checkRefused checks that reading a file fails at a row and field.
func checkRefused(t *testing.T, file *sheet, row int64, field, text string) {
	t.Helper()
	_, err := decode(file.putTogether(t, 180), tree.Full)
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("%s: error %v", field, err)
	}
	if corrupt.Row != row || corrupt.Field != field || !strings.Contains(err.Error(), text) {
		t.Errorf("%s, row %d: error %v does not say %q", field, row, err, text)
	}
}

// TestContradictingLevels refuses columns that disagree on where their struct is null.
func TestContradictingLevels(t *testing.T) {
	data, _ := sampleFile(t, 30)
	for _, c := range []struct {
		name, path string
		row        int
		def        int16
		field      string
	}{
		{"no offset in a deletion vector", "148.144", 6, 0, "deletion_vector.offset (144)"},
		{"a partition value in a null tuple", "102.1001", 3, 2, "partition (102).1000"},
		{"a count in a null struct", "146.10200.10204", 5, 3, "content_stats.10200.value_count (10204)"},
	} {
		file := takeApart(t, data)
		d := file.at(t, c.path).data
		if before := d.defs[c.row]; before == c.def {
			t.Fatalf("%s: the level is %d", c.name, before)
		}
		highest, value := slices.Max(d.defs), 0
		for _, def := range d.defs[:c.row] {
			if def == highest {
				value++
			}
		}
		d.defs[c.row] = c.def
		switch v := d.values.(type) {
		case []int64:
			if c.def == highest {
				d.values = slices.Insert(v, value, 1)
			} else {
				d.values = slices.Delete(v, value, value+1)
			}
		case []int32:
			d.values = slices.Insert(v, value, 1)
		}
		checkRefused(t, file, int64(c.row), c.field, "null")
	}
}
