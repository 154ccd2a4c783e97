package policy

// knot is a measured size of a manifest: with so many rows it takes fixed bytes, and column bytes for each column with
// statistics.
type knot struct{ rows, fixed, column float64 }

// curve is the size of a manifest by its rows. It bends: what is the same in many rows is stored once, and pages of a few
// rows are not compressed. Between two knots it is a line, and beyond the last one too.
type curve []knot

// The sizes of what the encoder of manifests writes, fitted to tables of up to 10,000 rows with up to 100 columns of mixed
// types; a test holds them to it (docs/policy.md). pointerCurve is what pointers take beside the rows that they are: the columns that
// only they have, bitmaps apart, less what like rows save.
var (
	leafCurve = curve{
		{1, 1266, 638.6}, {2, 1376, 673.1}, {5, 1658, 788.8}, {10, 1888, 946.7}, {20, 2370, 1067.9}, {50, 2951, 1509.2},
		{100, 4227, 2202.3}, {300, 9366, 4936.9}, {1000, 27_749, 14_207.9}, {3000, 80_743, 40_477}, {10_000, 268_132, 131_830},
	}
	rootCurve = curve{
		{1, 1693, 638.6}, {2, 1837, 672.5}, {5, 2220, 786.3}, {10, 2619, 943.9}, {20, 2962, 1070}, {50, 3708, 1511.8},
		{100, 5164, 2207.4}, {300, 10_967, 4946.7}, {1000, 31_526, 14_228.9}, {3000, 90_101, 40_508.9},
	}
	pointerCurve = curve{
		{1, 1390, 0}, {3, 1340, -2}, {10, 1930, -14}, {30, 1330, 0}, {100, 650, 0}, {300, -1300, 0}, {1000, -9200, 0},
	}
)

// What a root takes for the columns of bitmaps, beside the bitmaps, and what one without files saves for the columns that only files
// have, with each column with statistics.
const (
	maskColumnsBytes       = 450
	fileColumnsBytes       = 550
	fileColumnsColumnBytes = 15
)

// emptyBytes is the length of a manifest without rows.
const emptyBytes = 237

// at returns the size of a manifest of so many rows, at least one, with statistics for so many columns.
func (c curve) at(rows, columns float64) float64 {
	i := 1
	for i < len(c)-1 && c[i].rows < rows {
		i++
	}
	a, b := c[i-1], c[i]
	share := (max(rows, c[0].rows) - a.rows) / (b.rows - a.rows)
	return a.fixed + a.column*columns + share*(b.fixed-a.fixed+(b.column-a.column)*columns)
}

// LeafBytes estimates the length of a leaf of data files that inherit all they can, with statistics for a number of columns.
func LeafBytes(columns int, rows int64) int64 {
	if rows <= 0 {
		return emptyBytes
	}
	return int64(leafCurve.at(float64(rows), float64(columns)))
}

// RootBytes estimates the length of a root of loose files and pointers, whose bitmaps take so many bytes together.
func RootBytes(columns int, files, pointers, bitmapBytes int64) int64 {
	if files+pointers <= 0 {
		return emptyBytes
	}
	size := rootCurve.at(float64(files+pointers), float64(columns))
	if pointers > 0 {
		size += pointerCurve.at(float64(pointers), float64(columns))
	}
	if files == 0 {
		size -= fileColumnsBytes + fileColumnsColumnBytes*float64(columns)
	}
	if bitmapBytes > 0 {
		size += maskColumnsBytes + float64(bitmapBytes)
	}
	return int64(size)
}

// EstimatePrices returns the prices of a table whose manifests keep statistics for a number of columns: the line through the
// sizes of manifests of a hundred and of a thousand rows.
func EstimatePrices(statsColumns int) Prices {
	slope := func(size func(rows int64) int64) (fixed, row int64) {
		row = (size(1000) - size(100) + 450) / 900
		return size(100) - 100*row, row
	}
	var p Prices
	p.LeafFixedBytes, p.LeafEntryBytes = slope(func(rows int64) int64 { return LeafBytes(statsColumns, rows) })
	p.RootFixedBytes, p.LooseBytes = slope(func(rows int64) int64 { return RootBytes(statsColumns, rows, 0, 0) })
	p.PointerBytes = p.LooseBytes
	return p
}

// Thinned returns the prices of a table of which so many columns with statistics are those that it is partitioned by: a pointer with
// statistics for these alone costs what one does in a table that has no others. Thin pointers stand side by side in a root, so that what
// they lack takes next to nothing.
func (p Prices) Thinned(partitionColumns int) Prices {
	p.ThinPointerBytes = min(p.PointerBytes, EstimatePrices(partitionColumns).PointerBytes)
	return p
}

// Pointer returns what a pointer takes in a root, a thin one or one with all statistics.
func (p Prices) Pointer(thin bool) int64 {
	if thin && p.ThinPointerBytes > 0 {
		return p.ThinPointerBytes
	}
	return p.PointerBytes
}
