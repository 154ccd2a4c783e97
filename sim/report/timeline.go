package report

import (
	"fmt"
	"slices"
	"strings"
)

// mostMoments is how many commits of a timeline are drawn, the last ones: more would lie on each other.
const mostMoments = 400

// event is why a commit wrote leaves.
type event struct {
	name, symbol string
	of           func(Moment) bool
}

// events are the marks of a timeline. They differ in shape and size, not in colour, which is the policy's.
var events = []event{
	{"pushed", circle(2.2), func(m Moment) bool { return m.Pushed > 0 }},
	{"merged", "M0-5.5L5.5 4.5H-5.5Z", func(m Moment) bool { return m.Merged > 0 }},
	{"folded", "M0-6L5 0L0 6L-5 0Z", func(m Moment) bool { return m.Folded > 0 }},
	{"maintenance", "M-6-6H6V6H-6ZM-4.4-4.4V4.4H4.4V-4.4Z", func(m Moment) bool { return m.Maintenance }},
}

// timeline is the cost of each commit of a stretch, a panel for each policy, all to one scale.
type timeline struct {
	title, caption string
	x, y           axis
	panels         []entry
}

func timelineOf(all []entry) timeline {
	t := timeline{title: "Cost of each commit over time",
		caption: "A stretch near the end, a panel for each policy, all to one scale (logarithmic). The thick line is what commits of writers wrote, the pale one how much " +
			"of it was the root; the distance between them is leaves. Stems in a square are maintenance commits, for which no writer waits.",
		x: axis{title: "commits before the last one", unit: unitCount}, y: axis{title: "bytes of a commit", log: true}}
	var xs, ys []float64
	cut := false
	for _, e := range all {
		moments := lastMoments(e)
		cut = cut || len(moments) < len(e.Timeline)
		if len(moments) == 0 {
			continue
		}
		t.panels = append(t.panels, e)
		for _, m := range moments {
			xs, ys = append(xs, before(moments, m)), append(ys, float64(m.Bytes), float64(m.RootBytes))
		}
	}
	if cut {
		t.caption += fmt.Sprintf(" Only the last %d commits are drawn.", mostMoments)
	}
	t.x.span(xs)
	t.y.span(ys)
	return t
}

// before is how many commits before the last one drawn a commit came, as a place left of it: policies need not end at the same one.
func before(moments []Moment, m Moment) float64 {
	return float64(m.Commit - moments[len(moments)-1].Commit)
}

func lastMoments(e entry) []Moment { return e.Timeline[max(0, len(e.Timeline)-mostMoments):] }

// tip says in words what a commit did.
func (m Moment) tip() string {
	var did []string
	for _, p := range []struct {
		n    int
		what string
	}{{m.Pushed, "pushed"}, {m.Merged, "merged"}, {m.Folded, "folded"}} {
		if p.n > 0 {
			leaves := "1 leaf"
			if p.n > 1 {
				leaves = countText(int64(p.n)) + " leaves"
			}
			did = append(did, leaves+" "+p.what)
		}
	}
	s := "commit " + countText(m.Commit)
	if m.Maintenance {
		s = "maintenance at " + s
	}
	s += ": " + bytesText(float64(m.Bytes)) + ", of it root " + bytesText(float64(m.RootBytes))
	if len(did) > 0 {
		s += "; " + strings.Join(did, ", ")
	}
	return s
}

// The frame of a timeline.
const (
	panelHeight = 88
	panelGap    = 30
	panelRight  = 936
	panelsTop   = 58
)

// draw draws the timeline.
func (t timeline) draw(id string) string {
	var d drawing
	bottom := panelsTop + float64(len(t.panels))*(panelHeight+panelGap) - panelGap
	height := bottom + 56
	d.start(chartWidth, height, id+"-title "+id+"-caption")
	t.x.from, t.x.to = plotLeft, panelRight
	at := float64(plotLeft)
	for _, e := range events {
		d.mark("event", e.symbol, xy{at + 6, 16}, e.name)
		d.text("end", "start", at+18, 20.5, e.name)
		at += 44 + 7.4*float64(len(e.name))
	}
	for i, e := range t.panels {
		top := panelsTop + float64(i)*(panelHeight+panelGap)
		t.y.from, t.y.to = top+panelHeight, top
		d.panel(t, e)
	}
	for _, tick := range t.x.ticks(9) {
		d.text("tick", "middle", t.x.place(tick.value), bottom+19, countText(-int64(tick.value)))
	}
	d.text("name", "middle", (plotLeft+panelRight)/2, bottom+43, t.x.title)
	d.sideways("name", plotLeft-68, (panelsTop+bottom)/2, t.y.title)
	d.end()
	return d.b.String()
}

// panel draws the commits of one policy.
func (d *drawing) panel(t timeline, e entry) {
	d.rect("panel", t.x.from, t.y.to, t.x.to-t.x.from, t.y.from-t.y.to)
	for _, tick := range t.y.ticks(4) {
		y := t.y.place(tick.value)
		d.line("grid", t.x.from, y, t.x.to, y)
		d.text("tick", "end", t.x.from-8, y+4, tick.text)
	}
	for _, tick := range t.x.ticks(9) {
		x := t.x.place(tick.value)
		d.line("grid", x, t.y.from, x, t.y.to)
	}
	var cost, root []xy
	moments := lastMoments(e)
	for _, m := range moments {
		x := t.x.place(before(moments, m))
		if m.Maintenance || !t.y.fits(float64(m.Bytes)) || !t.y.fits(float64(m.RootBytes)) {
			continue
		}
		cost = append(cost, xy{x, t.y.place(float64(m.Bytes))})
		root = append(root, xy{x, t.y.place(float64(m.RootBytes))})
	}
	c := fmt.Sprintf("c%d", e.look%colours)
	d.polyline("root "+c, root)
	d.polyline("line thin "+c, cost)
	// Of commits that wrote nothing but a root only some get a mark: they are like their neighbours.
	each := 1 + len(moments)/50
	for i, m := range moments {
		if !t.y.fits(float64(m.Bytes)) {
			continue
		}
		at := xy{t.x.place(before(moments, m)), t.y.place(float64(m.Bytes))}
		if m.Maintenance {
			d.line("stem "+c, at.x, t.y.from, at.x, at.y)
		}
		marked := false
		for _, ev := range slices.Backward(events) {
			if ev.of(m) {
				d.mark("event "+c, ev.symbol, at, e.label+", "+m.tip())
				marked = true
			}
		}
		if !marked && i%each == 0 {
			d.mark("quiet "+c, circle(1.2), at, e.label+", "+m.tip())
		}
	}
	name := shorten(e.label, 40)
	if len(moments) > 0 {
		name += fmt.Sprintf(", commits %s to %s", countText(moments[0].Commit), countText(moments[len(moments)-1].Commit))
	}
	d.mark("key "+class(e.look), symbol(e.look), xy{t.x.from + 6, t.y.to - 11}, e.label)
	d.text("end", "start", t.x.from+18, t.y.to-6.5, name)
}
