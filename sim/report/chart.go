package report

import "math"

// xy is a point of a line.
type xy struct{ x, y float64 }

// line is what one policy, or the bound, has in a chart.
type line struct {
	name string
	// look is that of the policy, boundLook that of the bound.
	look   int
	points []xy
	// tips say in words what each point is.
	tips []string
	// end is written beside the name, where the line ends.
	end string
	// stopped says that the policy could not go on.
	stopped bool
}

// boundLook is the look of what is no policy.
const boundLook = -1

// chart is one with lines over two axes.
type chart struct {
	// name stands in file names and ids.
	name           string
	title, caption string
	x, y           axis
	lines          []line
	// limit is a figure of y that should not be passed, 0 if there is none.
	limit     float64
	limitName string
}

// empty says that there is nothing to draw.
func (c chart) empty() bool {
	for _, l := range c.lines {
		if l.look != boundLook && len(l.points) > 0 {
			return false
		}
	}
	return true
}

// add puts a line into the chart, without the points that have no place.
func (c *chart) add(l line, points []xy, tip func(xy) string) {
	for _, p := range points {
		if c.x.fits(p.x) && c.y.fits(p.y) {
			l.points = append(l.points, p)
			l.tips = append(l.tips, l.name+": "+tip(p))
		}
	}
	if n := len(l.points); n > 0 && l.end == "" {
		l.end = c.y.text(l.points[n-1].y)
	}
	c.lines = append(c.lines, l)
}

// fit lets the axes hold all lines, and y the limit too.
func (c *chart) fit() {
	var xs, ys []float64
	for _, l := range c.lines {
		for _, p := range l.points {
			xs, ys = append(xs, p.x), append(ys, p.y)
		}
	}
	if c.limit > 0 {
		ys = append(ys, c.limit)
	}
	c.x.span(xs)
	if c.x.log && len(xs) > 0 {
		// Lines go from edge to edge.
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range xs {
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi/lo >= 2 {
			c.x.lo, c.x.hi = lo, hi
		}
	}
	c.y.span(ys)
}

// along is what a workload's charts go along: files, where all tables only grow, else commits.
func along(all []entry) (axis, func(Point) float64) {
	for _, e := range all {
		for i := 1; i < len(e.Points); i++ {
			if e.Points[i].Files <= e.Points[i-1].Files {
				return axis{title: "commits", unit: unitCount, log: true}, func(p Point) float64 { return float64(p.Commits) }
			}
		}
	}
	return axis{title: "files in the table", unit: unitCount, log: true}, func(p Point) float64 { return float64(p.Files) }
}

// costChart is the cost of a commit as the table grows, with the bound.
func costChart(w Workload, all []entry) chart {
	x, at := along(all)
	c := chart{name: "cost", title: "Cost per commit as the table grows", x: x, y: axis{title: "mean bytes of a commit so far", log: true},
		caption: "Mean bytes of all commits so far, roots whole, maintenance included. Both axes are logarithmic: a flat line does not grow with the table."}
	if len(w.Bound) > 0 {
		c.caption += " No policy can come below the lower bound."
	}
	tip := func(p xy) string { return c.y.text(p.y) + " a commit at " + numberText(p.x) + " " + c.x.title }
	var bound []xy
	for _, b := range w.Bound {
		bound = append(bound, xy{at(Point{Commits: b.Commits, Files: b.Files}), b.CommitBytes})
	}
	if len(bound) > 0 {
		c.add(line{name: "lower bound", look: boundLook}, bound, tip)
	}
	for _, e := range all {
		var points []xy
		for _, p := range e.Points {
			points = append(points, xy{at(p), p.CommitBytes})
		}
		c.add(line{name: e.label, look: e.look, stopped: e.Problem != ""}, points, tip)
	}
	c.fit()
	return c
}

// rootChart is the size of the root as the table grows.
func rootChart(all []entry) chart {
	x, at := along(all)
	c := chart{name: "root", title: "Root size as the table grows", x: x, y: axis{title: "bytes of the root", log: true},
		caption: "Each commit writes the root again and each reader begins with it. Above 1 MiB it takes a store more than one request. " +
			"These are roots of single commits; the largest of all stand in the table of figures.",
		limit: RootLimit, limitName: "limit, 1 MiB"}
	for _, e := range all {
		var points []xy
		for _, p := range e.Points {
			points = append(points, xy{at(p), float64(p.RootBytes)})
		}
		c.add(line{name: e.label, look: e.look, stopped: e.Problem != ""}, points, func(p xy) string {
			return "a root of " + c.y.text(p.y) + " at " + numberText(p.x) + " " + c.x.title
		})
	}
	c.fit()
	return c
}

// mostAttempts is where the chart of retries ends.
const mostAttempts = 100

// retriesChart is how often a commit is tried beside others.
func retriesChart(all []entry) chart {
	c := chart{name: "retries", title: "Retries under contention", x: axis{title: "other commits per second", unit: unitNumber, log: true},
		y:       axis{title: "expected attempts per commit", unit: unitNumber, log: true},
		caption: "A larger root takes longer to write, and so loses more races. One attempt is the least; the chart ends at 100."}
	for _, e := range all {
		var points []xy
		for _, r := range e.Contention {
			points = append(points, xy{r.CommitsPerSecond, r.Attempts})
		}
		l := line{name: e.label, look: e.look}
		if n := len(points); n > 0 && points[n-1].y > 1e6 {
			l.end = "over 1,000,000"
		}
		c.add(l, points, func(p xy) string {
			return c.y.text(p.y) + " attempts beside " + numberText(p.x) + " commits a second"
		})
	}
	c.fit()
	c.y.lo, c.y.hi = min(1, c.y.lo), min(c.y.hi, mostAttempts)
	if c.y.hi <= c.y.lo {
		c.y.hi = 2 * c.y.lo
	}
	return c
}
