package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// drawing is an SVG picture as it grows. Colours, fonts and dashes are left to the page's style sheet, by class, so that one picture
// serves both themes.
type drawing struct {
	b strings.Builder
}

// start begins a picture of that size, named by the elements with those ids.
func (d *drawing) start(width, height float64, labelled string) {
	fmt.Fprintf(&d.b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-labelledby="%s">`, place(width), place(height), html.EscapeString(labelled))
}

func (d *drawing) end() { d.b.WriteString("</svg>") }

// place writes a coordinate. A tenth of a pixel is enough, and hides how processors round.
func place(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, place(x1), place(y1), place(x2), place(y2))
}

func (d *drawing) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, place(x), place(y), place(max(0, width)), place(max(0, height)))
}

// text writes words; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, place(x), place(y), html.EscapeString(s))
}

// sideways writes words that run upwards, around their middle.
func (d *drawing) sideways(class string, x, y float64, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="middle" transform="translate(%s %s) rotate(-90)">%s</text>`, class, place(x), place(y), html.EscapeString(s))
}

// polyline joins points.
func (d *drawing) polyline(class string, points []xy) {
	if len(points) < 2 {
		return
	}
	fmt.Fprintf(&d.b, `<polyline class="%s" points="`, class)
	for i, p := range points {
		if i > 0 {
			d.b.WriteByte(' ')
		}
		d.b.WriteString(place(p.x) + "," + place(p.y))
	}
	d.b.WriteString(`"/>`)
}

// mark draws a symbol with what it says.
func (d *drawing) mark(class, symbol string, at xy, tip string) { d.sized(class, symbol, at, 1, tip) }

// sized draws a symbol at so many times its size.
func (d *drawing) sized(class, symbol string, at xy, size float64, tip string) {
	fmt.Fprintf(&d.b, `<path class="mark %s" transform="translate(%s %s)`, class, place(at.x), place(at.y))
	if size != 1 {
		fmt.Fprintf(&d.b, " scale(%s)", place(size))
	}
	fmt.Fprintf(&d.b, `" d="%s"><title>%s</title></path>`, symbol, html.EscapeString(tip))
}

// symbols are the shapes of policies, around the origin. They tell policies apart where colours do not.
var symbols = []string{
	circle(4.2),
	"M-4-4H4V4H-4Z",
	"M0-5L5 4H-5Z",
	"M0-5.5L5 0L0 5.5L-5 0Z",
	"M0 5L5-4H-5Z",
	"M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z",
	polygon(5, 5, 2.2, -90),
	polygon(3, 5, 4.8, 0),
	"M-5-4H5L-5 4H5Z",
	"M-4-5V5L0 1.5L4 5V-5L0-1.5Z",
	"M-5-2.5H5V2.5H-5Z",
}

func circle(r float64) string {
	s := place(r)
	return fmt.Sprintf("M-%s 0A%s %s 0 1 0 %s 0A%s %s 0 1 0 -%s 0Z", s, s, s, s, s, s, s)
}

// polygon is one with n corners at the outer radius; a smaller inner one makes it a star.
func polygon(n int, outer, inner, turned float64) string {
	var b strings.Builder
	for i := range 2 * n {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		angle := (turned + float64(i)*180/float64(n)) * math.Pi / 180
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + place(r*math.Cos(angle)) + " " + place(r*math.Sin(angle)))
	}
	return b.String() + "Z"
}

// colours and dashes are how many the style sheet has. The three numbers share few factors, so that only every 440th policy looks like
// another.
const (
	colours = 10
	dashes  = 8
)

// class is that of everything drawn for a policy.
func class(look int) string {
	if look == boundLook {
		return "bound"
	}
	return fmt.Sprintf("c%d d%d", look%colours, look%dashes)
}

// symbol is the shape of a policy.
func symbol(look int) string {
	if look == boundLook {
		return "M-4-.8H4V.8H-4Z"
	}
	return symbols[look%len(symbols)]
}
