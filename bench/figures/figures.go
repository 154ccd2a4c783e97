package main

import (
	"fmt"

	"github.com/firn-io/firn/bench/internal/document"
)

// figure is a measurement and the limit that it is held to.
type figure struct {
	key
	limit float64
	// rule says how it is held: "" for not at all, "≤" or "<".
	rule string
}

func printed(name, unit string) figure { return figure{key: key{name, unit}} }

func atMost(limit float64, name, unit string) figure { return figure{key{name, unit}, limit, "≤"} }

func below(limit float64, name, unit string) figure { return figure{key{name, unit}, limit, "<"} }

// table is a group of figures.
type table struct {
	title   string
	columns []string
	rows    []row
}

// row is a line of a table; it has one figure for each column but the first.
type row struct {
	label   string
	figures []figure
}

// tables are all figures.
func tables() []table {
	return []table{encoding(), decoding(), rootSizes(), bitmaps(), appends(), removals(), planning()}
}

func encoding() table {
	t := table{
		title: "Writing a leaf, against a bare loop over the column writers of arrow-go with the same values and codecs",
		columns: []string{"entries, statistics columns", "processor time, ratio", "bytes, ratio", "allocations per entry",
			"bytes per entry"},
	}
	for _, entries := range []int{100, 1000, 10_000} {
		for _, columns := range []int{5, 20} {
			name := fmt.Sprintf("internal/manifestio.Encode/entries=%d/stats=%d", entries, columns)
			figures := []figure{printed(name, "cpu-ratio"), printed(name, "size-ratio"), printed(name, "allocs/entry")}
			if entries == 10_000 && columns == 20 {
				figures = []figure{atMost(1.3, name, "cpu-ratio"), atMost(1, name, "size-ratio"), below(3, name, "allocs/entry")}
			}
			t.rows = append(t.rows, row{fmt.Sprintf("%s, %d", document.Count(float64(entries)), columns), append(figures, printed(name, "B/entry"))})
		}
	}
	return t
}

func decoding() table {
	name := func(projection string) string { return "internal/manifestio.Decode/" + projection }
	return table{
		title:   "Reading a leaf of 10,000 entries into entries, against parquet-go reading the same columns into slices",
		columns: []string{"columns read", "processor time, ratio", "allocations"},
		rows: []row{
			{"all, 20 with statistics", []figure{atMost(3, name("stats=20"), "ratio"), printed(name("stats=20"), "allocs/op")}},
			{"5 with statistics", []figure{printed(name("stats=5"), "ratio"), printed(name("stats=5"), "allocs/op")}},
			{"no statistics", []figure{atMost(1.5, name("stats=0"), "ratio"), printed(name("stats=0"), "allocs/op")}},
			{"location, status and ids", []figure{printed(name("lookup"), "ratio"), printed(name("lookup"), "allocs/op")}},
		},
	}
}

func rootSizes() table {
	size := func(limit float64, columns, rows int) figure {
		return atMost(limit, fmt.Sprintf("TestEncodeSizes/columns=%d/rows=%d", columns, rows), "bytes")
	}
	return table{
		title:   "Bytes of a root",
		columns: []string{"rows", "no statistics", "5 columns", "20 columns"},
		rows: []row{
			{"1 loose file", []figure{size(1900, 0, 1), size(5000, 5, 1), size(14_500, 20, 1)}},
			{"90 loose files, 10 pointers, 5 of them masked", []figure{size(9000, 0, 100), size(21_000, 5, 100), size(55_000, 20, 100)}},
		},
	}
}

func bitmaps() table {
	t := table{
		title: "Mumbling bitmaps, against roaring: ratios of bytes and of times",
		columns: []string{"rows, masked", "bytes", "positions to bytes", "bytes to positions, one by one", "many at a time",
			"union with 100 positions"},
	}
	for _, rows := range []int{10_000, 100_000} {
		for _, percent := range []float64{0.1, 0.3, 1, 5, 10, 30, 50, 90, 95} {
			set := fmt.Sprintf("rows=%d/masked=%g%%", rows, percent)
			decode := 1.0
			if rows == 100_000 && percent <= 0.3 {
				decode = 1.5
			}
			t.rows = append(t.rows, row{fmt.Sprintf("%s, %g %%", document.Count(float64(rows)), percent), []figure{
				atMost(1, "mdv.Encode/"+set, "bytes-ratio"), atMost(1, "mdv.Encode/"+set, "time-ratio"),
				atMost(decode, "mdv.Decode/"+set, "time-ratio"), printed("mdv.DecodeMany/"+set, "time-ratio"),
				printed("mdv.Union/"+set, "time-ratio"),
			}})
		}
	}
	for _, other := range []struct{ label, set string }{
		{"10,000, 99 %", "rows=10000/masked=99%"}, {"10,000, 99.9 %", "rows=10000/masked=99.9%"},
		{"100,000, 99 %", "rows=100000/masked=99%"}, {"100,000, 99.9 %", "rows=100000/masked=99.9%"},
		{"100,000, runs of 50", "rows=100000/runs=50"}, {"100,000, runs of 1,000", "rows=100000/runs=1000"},
	} {
		t.rows = append(t.rows, row{other.label, []figure{
			printed("mdv.Encode/"+other.set, "bytes-ratio"), printed("mdv.Encode/"+other.set, "time-ratio"),
			printed("mdv.Decode/"+other.set, "time-ratio"), printed("mdv.DecodeMany/"+other.set, "time-ratio"),
		}})
	}
	return t
}

func appends() table {
	t := table{
		title: "Appending one file to a table of 10 leaves, 20 columns with statistics",
		columns: []string{"check for duplicates, entries of a leaf", "footers of leaves read", "leaves whose rows were read",
			"bytes read of leaves", "of all their bytes", "objects written", "bytes written", "time, ratio to 10 entries"},
	}
	for _, check := range []struct {
		label, name string
		hold        func(name string) []figure
	}{
		{"off", "off", func(name string) []figure {
			return []figure{atMost(0, name, "footers"), atMost(0, name, "searched"), atMost(0, name, "leaf-B")}
		}},
		{"on, every leaf excluded by its location statistics", "excluded", func(name string) []figure {
			return []figure{printed(name, "footers"), atMost(0, name, "searched"), printed(name, "leaf-B")}
		}},
		{"on, no leaf excluded", "searched", func(name string) []figure {
			return []figure{printed(name, "footers"), printed(name, "searched"), printed(name, "leaf-B")}
		}},
	} {
		for _, size := range []int{10, 1000} {
			name := fmt.Sprintf("bench/figures.Append/check=%s/entries=%d", check.name, size)
			t.rows = append(t.rows, row{fmt.Sprintf("%s, %s", check.label, document.Count(float64(size))), append(check.hold(name),
				printed(name, "leaf-share"), atMost(2, name, "puts"), printed(name, "put-B"), printed(name, "time-ratio"))})
		}
	}
	return t
}

func removals() table {
	t := table{
		title: "Removing one file, or deleting a row of it, in a table of 10 leaves of 1,000 files, 20 columns with statistics",
		columns: []string{"change, and how the file is named", "leaves whose rows were read", "bytes read of leaves",
			"of all their bytes", "objects written", "bytes written"},
	}
	for _, c := range []struct {
		label, name           string
		leaves, objectsPutMax float64
	}{
		{"remove, as a scan found it", "remove/hint", 0, 2},
		{"the same, after three lost races", "remove/hint/races=3", 0, 8},
		{"remove, by its location", "remove/name", 10, 2},
		{"the same, after three lost races", "remove/name/races=3", 10, 8},
		{"delete a row, as a scan found the file", "delete-rows/hint", 0, 3},
		{"delete a row, by the file's location", "delete-rows/name", 11, 3},
	} {
		name := "bench/figures.Remove/" + c.name
		t.rows = append(t.rows, row{c.label, []figure{
			atMost(c.leaves, name, "searched"), printed(name, "leaf-B"), printed(name, "leaf-share"),
			atMost(c.objectsPutMax, name, "puts"), printed(name, "put-B"),
		}})
	}
	return t
}

func planning() table {
	const name = "bench/figures.Plan"
	return table{
		title:   "Planning the commit that appends one file, next to all else that it does",
		columns: []string{"policy", "entries of the root", "plan, milliseconds", "plan, ratio to the rest of the commit"},
		rows:    []row{{"adaptive", []figure{printed(name, "entries"), atMost(1, name, "plan-ms"), atMost(0.1, name, "of-commit")}}},
	}
}
