package report

import (
	"cmp"
	"slices"
)

// The frame of a chart with lines. Names stand right of the plot, where the lines end, so that no legend is needed.
const (
	chartWidth  = 960
	chartHeight = 430
	plotLeft    = 84
	plotRight   = 730
	plotTop     = 14
	plotBottom  = 374
	nameLeft    = plotRight + 34
)

// drawLines draws the chart. The ids are those of its title and caption.
func (c chart) drawLines(id string) string {
	var d drawing
	d.start(chartWidth, chartHeight, id+"-title "+id+"-caption")
	c.x.from, c.x.to = plotLeft, plotRight
	c.y.from, c.y.to = plotBottom, plotTop
	d.grid(c.x, c.y, 9, 9)
	if c.limit > 0 && c.limit >= c.y.lo && c.limit <= c.y.hi {
		y := c.y.place(c.limit)
		d.line("limit", plotLeft, y, plotRight, y)
		d.text("note", "start", plotLeft+8, y-6, c.limitName)
	}
	ends := make([]xy, len(c.lines))
	for i, l := range c.lines {
		ends[i] = d.plotted(c, l)
	}
	d.names(c.lines, ends)
	d.end()
	return d.b.String()
}

// grid draws the axes of a plot.
func (d *drawing) grid(x, y axis, mostX, mostY int) {
	for _, t := range y.ticks(mostY) {
		at := y.place(t.value)
		d.line("grid", x.from, at, x.to, at)
		d.text("tick", "end", x.from-8, at+4, t.text)
	}
	for _, t := range x.ticks(mostX) {
		at := x.place(t.value)
		d.line("grid", at, y.from, at, y.to)
		d.text("tick", "middle", at, y.from+19, t.text)
	}
	d.line("axis", x.from, y.from, x.to, y.from)
	d.line("axis", x.from, y.from, x.from, y.to)
	d.text("name", "middle", (x.from+x.to)/2, y.from+43, x.title)
	d.sideways("name", x.from-68, (y.from+y.to)/2, y.title)
}

// plotted draws a line with its points, and returns where it ends within the plot.
func (d *drawing) plotted(c chart, l line) xy {
	var points []xy
	var tips []string
	var last xy
	for i, p := range l.points {
		at := xy{c.x.place(p.x), c.y.place(p.y)}
		if at.y < plotTop {
			// The line leaves the plot where it crosses the edge.
			if i > 0 && last.y > plotTop {
				share := (last.y - plotTop) / (last.y - at.y)
				points = append(points, xy{last.x + share*(at.x-last.x), plotTop})
			}
			last = at
			break
		}
		points, tips = append(points, at), append(tips, l.tips[i])
		last = at
	}
	if len(points) == 0 {
		return xy{plotRight, plotTop}
	}
	d.polyline("line "+class(l.look), points)
	// Many points would hide the line, and each other.
	each := 1 + len(tips)/40
	for i, tip := range tips {
		if i%each == 0 || i == len(tips)-1 {
			d.mark(class(l.look), symbol(l.look), points[i], tip)
		}
	}
	end := points[len(points)-1]
	if l.stopped {
		d.mark("stopped", "M-5-5L5 5M5-5L-5 5", xy{end.x + 12, end.y}, l.name+": could not go on")
	}
	return end
}

// names writes the names of lines beside their ends, one below the other where they would overlap.
func (d *drawing) names(lines []line, ends []xy) {
	order := make([]int, 0, len(lines))
	for i, l := range lines {
		if len(l.points) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ends[a].y, ends[b].y) })
	wanted := make([]float64, len(order))
	for i, o := range order {
		wanted[i] = ends[o].y
	}
	for i, y := range apart(wanted, 19, plotTop+6, plotBottom-2) {
		l, end := lines[order[i]], ends[order[i]]
		from := end.x
		if l.stopped {
			from += 20
		}
		if from < nameLeft-12 {
			d.polyline("leader", []xy{{from + 5, end.y}, {max(from+5, plotRight+6), end.y}, {nameLeft - 10, y}})
		}
		d.mark("key "+class(l.look), symbol(l.look), xy{nameLeft, y}, l.name)
		d.text("end", "start", nameLeft+12, y+4.5, shorten(l.name, 14)+"  "+l.end)
	}
}

// apart moves rising places so that they lie at least gap from each other, within bounds, and close to where they want to be.
func apart(wanted []float64, gap, lo, hi float64) []float64 {
	n := len(wanted)
	if n > 1 {
		gap = min(gap, (hi-lo)/float64(n-1))
	}
	at := slices.Clone(wanted)
	// Places that touch form a block, which stands around the mean of what its members want.
	type block struct {
		sum   float64
		count int
		top   float64
	}
	var blocks []block
	settle := func(b block) block {
		height := gap * float64(b.count-1)
		b.top = min(max(b.sum/float64(b.count)-height/2, lo), hi-height)
		return b
	}
	for _, w := range wanted {
		b := settle(block{sum: w, count: 1})
		for len(blocks) > 0 {
			before := blocks[len(blocks)-1]
			if before.top+gap*float64(before.count) <= b.top+1e-9 {
				break
			}
			blocks = blocks[:len(blocks)-1]
			b = settle(block{sum: before.sum + b.sum, count: before.count + b.count})
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for j := range b.count {
			at[i] = b.top + gap*float64(j)
			i++
		}
	}
	return at
}
