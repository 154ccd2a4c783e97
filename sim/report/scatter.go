package report

import (
	"cmp"
	"math"
	"slices"
)

// scatter is the trade-off of two costs.
type scatter struct {
	name           string
	title, caption string
	x, y           axis
	dots           []dot
	// front are those that none beats at both, from left to right.
	front []xy
}

// scatters are those of a workload: write cost against two kinds of plans, and the same with bytes alone, for who does not pay by request.
func scatters(all []entry) []scatter {
	plans := []struct {
		name, what string
		scan       measure
	}{{"everything", "everything", everything}, {"partition", "one partition", onePartition}}
	var ss []scatter
	for _, p := range plans {
		ss = append(ss, scatterOf(all, p.name, p.what, costName(all), writeCost(all), p.scan))
	}
	if costName(all) == "bytes" {
		return ss
	}
	for _, p := range plans {
		s := scatterOf(all, p.name+"-bytes", p.what, "bytes", commitBytes, p.scan)
		s.title = "In bytes alone: writing against planning " + p.what
		ss = append(ss, s)
	}
	return ss
}

// dot is a policy in a scatter.
type dot struct {
	entry
	at      xy
	onFront bool
}

// scatterOf sets write cost against what one kind of plan reads.
func scatterOf(all []entry, name, what, cost string, write, scan measure) scatter {
	s := scatter{name: name, title: "Trade-off: writing against planning " + what,
		x: axis{title: cost + " of a commit", log: true}, y: axis{title: "bytes read to plan " + what, log: true}}
	s.caption = "Lower and further left is better. The line joins the Pareto front, which no other policy beats at both; the hollow, pale ones are beaten."
	done := finished(all)
	f := front(done, write, scan)
	var xs, ys []float64
	for _, e := range done {
		d := dot{entry: e, at: xy{write(e), scan(e)}}
		if !s.x.fits(d.at.x) || !s.y.fits(d.at.y) {
			continue
		}
		d.onFront = slices.ContainsFunc(f, func(o entry) bool { return o.label == e.label })
		s.dots = append(s.dots, d)
		xs, ys = append(xs, d.at.x), append(ys, d.at.y)
		if d.onFront {
			s.front = append(s.front, d.at)
		}
	}
	if len(done) < len(all) {
		s.caption += " Policies that did not come to the end are left out."
	}
	slices.SortStableFunc(s.front, func(a, b xy) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y)) })
	s.x.span(xs)
	s.y.span(ys)
	s.x.widen(xs, 0.12, 0.3)
	s.y.widen(ys, 0.12, 0.12)
	return s
}

// widen makes an axis longer than its figures by these shares at its ends, so that words have room beside dots.
func (a *axis) widen(values []float64, before, after float64) {
	if len(values) == 0 {
		return
	}
	lo, hi := slices.Min(values), slices.Max(values)
	if hi/lo < 1.5 {
		middle := math.Sqrt(lo) * math.Sqrt(hi)
		lo, hi = middle/1.25, middle*1.25
	}
	a.lo, a.hi = lo/math.Pow(hi/lo, before), hi*math.Pow(hi/lo, after)
}

// tip says in words where a dot lies.
func (s scatter) tip(d dot) string {
	t := d.label + ": writes " + s.x.text(d.at.x) + " a commit, reads " + s.y.text(d.at.y)
	if d.onFront {
		t += "; on the Pareto front"
	} else {
		t += "; beaten at both"
	}
	if !d.keeps() {
		t += "; breaks a limit"
	}
	return t
}

// The frame of a scatter: two of them stand beside each other.
const (
	scatterWidth  = 520
	scatterHeight = 430
	scatterRight  = 500
)

// draw draws the scatter.
func (s scatter) draw(id string) string {
	var d drawing
	d.start(scatterWidth, scatterHeight, id+"-title "+id+"-caption")
	s.x.from, s.x.to = plotLeft, scatterRight
	s.y.from, s.y.to = plotBottom, plotTop
	d.grid(s.x, s.y, 6, 8)
	stairs := s.stairs()
	for i, p := range stairs {
		stairs[i] = xy{s.x.place(p.x), s.y.place(p.y)}
	}
	d.polyline("front", stairs)
	var taken []box
	for i := 1; i < len(stairs); i++ {
		a, b := stairs[i-1], stairs[i]
		taken = append(taken, box{min(a.x, b.x) - 1, min(a.y, b.y) - 1, max(a.x, b.x) + 1, max(a.y, b.y) + 1})
	}
	var dots []xy
	for _, dt := range s.dots {
		at := xy{s.x.place(dt.at.x), s.y.place(dt.at.y)}
		dots = append(dots, at)
		taken = append(taken, box{at.x - 7, at.y - 7, at.x + 7, at.y + 7})
	}
	for i, dt := range s.dots {
		at := dots[i]
		c, words := "dot "+class(dt.look), "end"
		if !dt.onFront {
			c, words = "beaten "+class(dt.look), "end pale"
		}
		d.sized(c, symbol(dt.look), at, 1.3, s.tip(dt))
		name := shorten(dt.label, 22)
		if !dt.keeps() {
			name += " (over limit)"
		}
		b := s.room(at, name, dots, taken)
		taken = append(taken, box{b.left - 5, b.top, b.right + 5, b.bottom})
		if edge := b.nearest(at); math.Hypot(edge.x-at.x, edge.y-at.y) > 14 {
			d.line("leader", at.x, at.y, edge.x, edge.y)
		}
		d.text(words, "start", b.left, b.bottom-4, name)
	}
	d.end()
	return d.b.String()
}

// stairs is the edge of what the front does not reach, in figures.
func (s scatter) stairs() []xy {
	var points []xy
	for i, p := range s.front {
		if i == 0 {
			points = append(points, xy{p.x, s.y.hi})
		} else {
			points = append(points, xy{p.x, points[len(points)-1].y})
		}
		points = append(points, p)
	}
	if n := len(points); n > 0 {
		points = append(points, xy{s.x.hi, points[n-1].y})
	}
	return points
}

// box is where something is drawn.
type box struct{ left, top, right, bottom float64 }

// over is how much two boxes overlap.
func (b box) over(o box) float64 {
	w := min(b.right, o.right) - max(b.left, o.left)
	h := min(b.bottom, o.bottom) - max(b.top, o.top)
	return max(0, w) * max(0, h)
}

// nearest is the point of the box that is nearest to a place.
func (b box) nearest(at xy) xy {
	return xy{min(max(at.x, b.left), b.right), min(max(at.y, b.top), b.bottom)}
}

func (b box) distance(at xy) float64 {
	edge := b.nearest(at)
	return math.Hypot(edge.x-at.x, edge.y-at.y)
}

// room looks for a place for words near a dot that covers least of what is there, and is not nearer to another dot.
func (s scatter) room(at xy, name string, dots []xy, taken []box) box {
	width, height := 7.3*float64(len([]rune(name))), 17.0
	best, least := box{}, math.Inf(1)
	for _, gap := range []float64{10, 22, 36, 52, 70} {
		for _, side := range []xy{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}} {
			b := box{left: at.x + side.x*gap, top: at.y - height/2 + side.y*gap*0.9}
			switch {
			case side.x < 0:
				b.left -= width
			case side.x == 0:
				b.left -= width / 2
			}
			b.right, b.bottom = b.left+width, b.top+height
			cost := gap / 10
			for _, t := range taken {
				cost += b.over(t)
			}
			for _, o := range dots {
				if o != at && b.distance(o) < b.distance(at)+4 {
					cost += 60
				}
			}
			inside := b.over(box{s.x.from, s.y.to, s.x.to, s.y.from})
			cost += 20 * (width*height - inside)
			if cost < least {
				best, least = b, cost
			}
		}
	}
	return best
}
