package manifestio

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/firn-io/firn/internal/parquetguard"
	"github.com/firn-io/firn/tree"
)

// run is one pass over the rows of a file under one projection. It holds all buffers of the pass, so that
// any number of passes may go on at the same time.
type run struct {
	r      *Reader
	budget memoryBudget
	retain bool  // whether what earlier batches handed out is still held
	held   int64 // what the entries of the current batch, or of all if they are retained, have charged

	fields    []fieldCursor
	offsets   *nestedCursor
	partition *cursor // tells where the partition tuple is null
	values    []valueCursor
	stats     []statsCursor
	foreign   []foreignCursor

	flat   []*cursor // of all columns that are read row by row
	nested []*nestedCursor

	group     int   // the row group being read
	left      int64 // its rows not read yet
	position  int64 // the ordinal of the next row in the file
	groupHeld int64 // what the compressed columns of the row group have charged

	vec         vector
	scratch     batchScratch
	offsetsHint int // split offsets in the last batch
}

// fieldCursor reads a known field.
type fieldCursor struct {
	*boundField
	cur *cursor
}

// valueCursor reads a partition field.
type valueCursor struct {
	*boundValue
	cur *cursor
}

// statsCursor reads the statistics of one table column.
type statsCursor struct {
	*boundStats
	marker  *cursor
	bounds  [][]*cursor // one for each bound, up to four if it is a corner
	members []*cursor
}

// foreignCursor reads a foreign field.
type foreignCursor struct {
	*boundForeign
	leaves []*nestedCursor
}

// batchScratch is what decoding a batch works on besides the entries.
type batchScratch struct {
	values [rowsAtOnce]tree.Value
	starts [rowsAtOnce]int32
	slots  [rowsAtOnce]int32
}

// newRun prepares a pass.
func (r *Reader) newRun(p tree.Projection) *run {
	x := &run{r: r, budget: memoryBudget{limit: r.limits.MaxMemoryBytes}, group: -1}
	x.vec.nums, x.vec.texts = make([]int64, rowsAtOnce), make([]string, rowsAtOnce)
	b := r.binding
	for i := range b.fields {
		if f := &b.fields[i]; p.File || f.always {
			x.fields = append(x.fields, fieldCursor{f, x.cursor(f.leaf)})
		}
	}
	if p.File {
		x.selectFile(b)
	}
	for i := range b.stats {
		if s := &b.stats[i]; p.AllStats || slices.Contains(p.Stats, s.column.FieldID) {
			x.selectStats(s)
		}
	}
	return x
}

// selectFile adds the columns of the file projection that are not scalar fields.
func (x *run) selectFile(b *binding) {
	if b.splitOffsets != nil {
		x.offsets = x.nestedCursor(b.splitOffsets.listElement())
	}
	for i := range b.values {
		v := &b.values[i]
		x.values = append(x.values, valueCursor{v, x.cursor(v.leaf)})
	}
	if len(x.values) > 0 {
		x.partition = x.values[0].cur
	}
	for i := range b.foreign {
		f := &b.foreign[i]
		c := foreignCursor{boundForeign: f}
		for _, leaf := range f.leaves {
			c.leaves = append(c.leaves, x.nestedCursor(leaf))
		}
		x.foreign = append(x.foreign, c)
	}
}

// selectStats adds the statistics of one table column.
func (x *run) selectStats(s *boundStats) {
	c := statsCursor{boundStats: s}
	for _, b := range s.bounds {
		var corner []*cursor
		for _, leaf := range b.leaves {
			if leaf != nil {
				corner = append(corner, x.cursor(leaf))
			}
		}
		c.bounds = append(c.bounds, corner)
	}
	for _, m := range s.members {
		c.members = append(c.members, x.cursor(m.leaf))
	}
	switch {
	case len(c.members) > 0:
		c.marker = c.members[0]
	case len(c.bounds) > 0:
		c.marker = c.bounds[0][0]
	case s.marker != nil:
		c.marker = x.cursor(s.marker)
		c.marker.levelsOnly = true
	default:
		return // everything in the struct repeats, so nothing in it is known
	}
	x.stats = append(x.stats, c)
}

// cursor adds the cursor of a column that does not repeat.
func (x *run) cursor(leaf *fileNode) *cursor {
	c := &cursor{leaf: leaf, limits: &x.r.limits, budget: &x.budget}
	x.flat = append(x.flat, c)
	return c
}

// nestedCursor adds the cursor of a column that is read level by level.
func (x *run) nestedCursor(leaf *fileNode) *nestedCursor {
	c := &nestedCursor{cursor: cursor{leaf: leaf, limits: &x.r.limits, budget: &x.budget}}
	x.nested = append(x.nested, c)
	return c
}

// next decodes the next rows into es, which must be cleared, and returns how many: none at the end.
func (x *run) next(es []tree.Entry) (n int, err error) {
	for x.left == 0 {
		if err := x.finishGroup(); err != nil {
			return 0, err
		}
		if x.group++; x.group == len(x.r.footer.groups) {
			return 0, nil
		}
		if err := x.openGroup(); err != nil {
			return 0, err
		}
	}
	n = int(min(int64(len(es)), rowsAtOnce, x.left))
	for _, c := range x.flat {
		if c.next == c.size {
			if err := c.load(x.left); err != nil {
				return 0, x.fault(c.leaf, err)
			}
		}
		n = min(n, c.size-c.next)
	}
	if !x.retain {
		x.budget.release(x.held)
		x.held = 0
	}
	if err := x.fill(es[:n]); err != nil {
		return 0, err
	}
	for _, c := range x.flat {
		c.advance(n)
	}
	x.left -= int64(n)
	x.position += int64(n)
	return n, nil
}

// charge counts bytes of the entries being decoded.
func (x *run) charge(n int64) error {
	err := x.budget.charge(n)
	if err == nil {
		x.held += n
	}
	return err
}

// fault names the object, the row and the field of an error in the current batch; n is nil if it is not in
// one field.
func (x *run) fault(n *fileNode, err error) error {
	field := ""
	if n != nil {
		field = n.label()
	}
	return named(x.r.name, field, x.position, err)
}

// span is a range of bytes of the file that one or more columns share.
type span struct {
	start, end int64
	columns    []int
}

// openGroup reads the compressed columns of the current row group.
func (x *run) openGroup() error {
	g := &x.r.footer.groups[x.group]
	x.left = g.rows
	if g.rows == 0 {
		return nil
	}
	cursors := make(map[int]*cursor, len(x.flat)+len(x.nested))
	for _, c := range x.flat {
		cursors[c.leaf.column] = c
	}
	for _, c := range x.nested {
		cursors[c.leaf.column] = &c.cursor
		c.left = g.chunks[c.leaf.column].values
	}
	if x.openParts(g, cursors) {
		return nil
	}
	for _, s := range spans(g, cursors) {
		size := s.end - s.start
		if err := x.budget.charge(size); err != nil {
			return x.fault(nil, err)
		}
		x.groupHeld += size
		data := make([]byte, size)
		if err := parquetguard.ReadAt(x.r.src, data, s.start); err != nil {
			return x.fault(nil, err)
		}
		for _, i := range s.columns {
			c := &g.chunks[i]
			from := c.start - s.start
			cursors[i].open(c.codec, data[from:from+c.size:from+c.size])
		}
	}
	return nil
}

// openParts opens the columns of a row group to be read in parts if they are too large to be read at once.
func (x *run) openParts(g *rowGroup, cursors map[int]*cursor) bool {
	total := int64(0)
	for i := range cursors {
		total += g.chunks[i].size
	}
	limit := x.r.limits.MaxReadBytes
	if total <= limit {
		return false
	}
	for i, c := range cursors {
		chunk := &g.chunks[i]
		share := float64(chunk.size) / float64(total)
		c.openParts(x.r.src, chunk, max(1, int64(share*float64(limit))))
	}
	return true
}

// spans joins the chunks of the given columns where nothing lies between them, so that a file is read in few
// pieces and no byte of another column is.
func spans(g *rowGroup, cursors map[int]*cursor) []span {
	var columns []int
	for i := range cursors {
		columns = append(columns, i)
	}
	slices.SortFunc(columns, func(a, b int) int {
		return cmp.Or(cmp.Compare(g.chunks[a].start, g.chunks[b].start), cmp.Compare(a, b))
	})
	var out []span
	for _, i := range columns {
		c := &g.chunks[i]
		if n := len(out); n > 0 && out[n-1].end == c.start {
			out[n-1].end += c.size
			out[n-1].columns = append(out[n-1].columns, i)
			continue
		}
		out = append(out, span{start: c.start, end: c.start + c.size, columns: []int{i}})
	}
	return out
}

// finishGroup checks that no column of the row group just read has more rows than the others, and lets go of
// its bytes.
func (x *run) finishGroup() error {
	if x.group < 0 || x.r.footer.groups[x.group].rows == 0 {
		return nil
	}
	for _, c := range x.flat {
		if err := c.drained(); err != nil {
			return x.fault(c.leaf, err)
		}
	}
	for _, c := range x.nested {
		err := c.drained()
		if err == nil && c.left != 0 {
			err = fmt.Errorf("%d values less than the footer says", c.left)
		}
		if err != nil {
			return x.fault(c.leaf, err)
		}
	}
	x.budget.release(x.groupHeld)
	x.groupHeld = 0
	return nil
}
