package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Picture is a chart for papers.
type Picture struct {
	// Name is that of a file: letters, digits and dashes, and .png.
	Name string
	// PNG is the file.
	PNG []byte
}

// The size of pictures.
const (
	pictureWidth  = 18 * vg.Centimeter
	pictureHeight = 10 * vg.Centimeter
	legendWidth   = 4.2 * vg.Centimeter
	pictureDPI    = 150
)

// PNG draws the charts of the HTML page, where there is something to draw, as pictures with a white ground.
func PNG(c Comparison) ([]Picture, error) {
	var all []Picture
	names := map[string]bool{}
	for i, es := range entries(c) {
		w := c.Workloads[i]
		prefix := fileName(w.Name, i, names)
		keep := func(name string, data []byte, err error) error {
			if err != nil {
				return fmt.Errorf("picture %s of %s: %w", name, clean(w.Name), err)
			}
			all = append(all, Picture{Name: prefix + "-" + name + ".png", PNG: data})
			return nil
		}
		for _, ch := range []chart{costChart(w, es), rootChart(es), retriesChart(es)} {
			if !ch.empty() {
				data, err := ch.picture()
				if err := keep(ch.name, data, err); err != nil {
					return nil, err
				}
			}
		}
		for _, s := range scatters(es) {
			if len(s.dots) > 0 {
				data, err := s.picture()
				if err := keep(s.name, data, err); err != nil {
					return nil, err
				}
			}
		}
		if t := timelineOf(es); len(t.panels) > 0 {
			data, err := t.picture()
			if err := keep("timeline", data, err); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// fileName makes a name of a workload's that is safe in every file system, and new.
func fileName(name string, i int, names map[string]bool) string {
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	name = name[:min(len(name), 40)]
	if name == "" || names[name] {
		name = strings.TrimPrefix(fmt.Sprintf("%s-%d", name, i+1), "-")
	}
	for names[name] {
		name += "-again"
	}
	names[name] = true
	return name
}

// paints are the colours of the style sheet's light theme, so that they are kept in one place.
var paints = func() []color.Color {
	var all []color.Color
	for _, m := range regexp.MustCompile(`--c\d: #([0-9a-f]{6});`).FindAllStringSubmatch(style, colours) {
		v, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			panic(err)
		}
		all = append(all, color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255})
	}
	return all
}()

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.PlusGlyph{}, draw.RingGlyph{}}

// strokes are the dashes of the style sheet, in points.
var strokes = [dashes][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 1, 2}, {10, 3}, {4, 1.5, 1, 1.5, 1, 1.5}, {1.5, 4}, {9, 2, 4, 2}}

func lineStyle(look int) draw.LineStyle {
	if look == boundLook {
		return draw.LineStyle{Color: color.Black, Width: vg.Points(1.2), Dashes: []vg.Length{1, 3}}
	}
	return draw.LineStyle{Color: paints[look%colours], Width: vg.Points(1.2), Dashes: strokes[look%dashes]}
}

func glyphStyle(look int) draw.GlyphStyle {
	if look == boundLook {
		return draw.GlyphStyle{Color: color.Black, Radius: 0, Shape: draw.CircleGlyph{}}
	}
	return draw.GlyphStyle{Color: paints[look%colours], Radius: vg.Points(2.4), Shape: shapes[look%len(shapes)]}
}

// scaled sets an axis of a plot.
func scaled(p *plot.Axis, a axis, most int) {
	p.Label.Text = a.title
	p.Min, p.Max = a.lo, a.hi
	if a.log {
		p.Scale = plot.LogScale{}
	}
	p.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ts []plot.Tick
		for _, t := range a.ticks(most) {
			ts = append(ts, plot.Tick{Value: t.value, Label: t.text})
		}
		return ts
	})
}

// framed is a plot with its axes and a grid.
func framed(title string, x, y axis, mostX, mostY int) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		t.Font.Variant, t.Font.Size = "Sans", vg.Points(8.5)
	}
	p.Title.TextStyle.Font.Size = vg.Points(11)
	p.Title.Padding = vg.Points(6)
	scaled(&p.X, x, mostX)
	scaled(&p.Y, y, mostY)
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{Y: 222}, color.Gray{Y: 222}
	p.Add(g)
	return p
}

// key is an empty legend.
func key() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle.Font.Variant, l.TextStyle.Font.Size = "Sans", vg.Points(8.5)
	l.Top, l.Left, l.Padding = true, true, vg.Points(3)
	return l
}

func xys(points []xy) plotter.XYs {
	all := make(plotter.XYs, len(points))
	for i, p := range points {
		all[i] = plotter.XY{X: p.x, Y: p.y}
	}
	return all
}

// picture draws a chart with lines.
func (c chart) picture() ([]byte, error) {
	p := framed(c.title, c.x, c.y, 8, 8)
	legend := key()
	for _, l := range c.lines {
		points := l.points
		for i, at := range points {
			if at.y > c.y.hi {
				points = points[:i]
				break
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(xys(points))
		if err != nil {
			return nil, err
		}
		line.LineStyle, dots.GlyphStyle = lineStyle(l.look), glyphStyle(l.look)
		p.Add(line, dots)
		legend.Add(shorten(l.name, 24), line, dots)
	}
	if c.limit > 0 {
		line, err := plotter.NewLine(plotter.XYs{{X: c.x.lo, Y: c.limit}, {X: c.x.hi, Y: c.limit}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: color.RGBA{R: 179, G: 38, B: 30, A: 255}, Width: vg.Points(1), Dashes: []vg.Length{7, 3}}
		p.Add(line)
		legend.Add(c.limitName, line)
	}
	return drawn(pictureHeight, func(dc draw.Canvas) { beside(dc, p, legend) })
}

// picture draws a scatter.
func (s scatter) picture() ([]byte, error) {
	p := framed(s.title, s.x, s.y, 6, 8)
	legend := key()
	if len(s.front) > 0 {
		line, err := plotter.NewLine(xys(s.stairs()))
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{Y: 90}, Width: vg.Points(1)}
		p.Add(line)
		legend.Add("Pareto front", line)
	}
	for _, d := range s.dots {
		dots, err := plotter.NewScatter(plotter.XYs{{X: d.at.x, Y: d.at.y}})
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = glyphStyle(d.look)
		dots.Radius = vg.Points(4)
		name := shorten(d.label, 24)
		if !d.onFront {
			r, g, b, _ := dots.Color.RGBA()
			half := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
			dots.Color = color.RGBA{R: half(r), G: half(g), B: half(b), A: 255}
			name += " (beaten)"
		}
		p.Add(dots)
		legend.Add(name, dots)
	}
	return drawn(pictureHeight, func(dc draw.Canvas) { beside(dc, p, legend) })
}

// eventShapes are those of the events of a timeline.
var eventShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{}, draw.SquareGlyph{}}

func eventStyle(i int, c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(1.4 + 0.7*float64(i)), Shape: eventShapes[i]}
}

// picture draws a timeline, the panels below each other.
func (t timeline) picture() ([]byte, error) {
	const panel = 2.9 * vg.Centimeter
	plots := make([][]*plot.Plot, len(t.panels))
	for i, e := range t.panels {
		p, err := t.panel(e, i == len(t.panels)-1)
		if err != nil {
			return nil, err
		}
		plots[i] = []*plot.Plot{p}
	}
	legend := key()
	for i, ev := range events {
		dots, err := plotter.NewScatter(plotter.XYs{{}})
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = eventStyle(i, color.Black)
		legend.Add(ev.name, dots)
	}
	return drawn(panel*vg.Length(len(plots))+vg.Centimeter, func(dc draw.Canvas) {
		tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadTop: 4, PadBottom: 4, PadLeft: 4, PadRight: 12}
		for i, row := range plot.Align(plots, tiles, draw.Crop(dc, 0, -legendWidth, 0, 0)) {
			plots[i][0].Draw(row[0])
		}
		aside(dc, legend)
	})
}

// panel is the plot of one policy. Only the last one names the axis that all share.
func (t timeline) panel(e entry, last bool) (*plot.Plot, error) {
	p := framed(shorten(e.label, 60), t.x, t.y, 9, 4)
	p.Title.TextStyle.Font.Size, p.Title.Padding = vg.Points(9), 0
	p.Y.Label.Text = "bytes"
	ticks := p.X.Tick.Marker.Ticks(0, 0)
	for i := range ticks {
		ticks[i].Label = strings.TrimPrefix(ticks[i].Label, "-")
		if !last {
			ticks[i].Label = " "
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	if !last {
		p.X.Label.Text = ""
	}
	var cost []xy
	moments := lastMoments(e)
	marks := make([]plotter.XYs, len(events))
	for _, m := range moments {
		at := xy{before(moments, m), float64(m.Bytes)}
		if !t.y.fits(at.y) {
			continue
		}
		if !m.Maintenance {
			cost = append(cost, at)
		}
		for j, ev := range events {
			if ev.of(m) {
				marks[j] = append(marks[j], plotter.XY{X: at.x, Y: at.y})
			}
		}
	}
	paint := paints[e.look%colours]
	if len(cost) > 0 {
		line, err := plotter.NewLine(xys(cost))
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: paint, Width: vg.Points(0.8)}
		p.Add(line)
	}
	for j, at := range marks {
		if len(at) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(at)
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = eventStyle(j, paint)
		p.Add(dots)
	}
	return p, nil
}

// beside draws a plot with its legend to the right of it.
func beside(dc draw.Canvas, p *plot.Plot, legend plot.Legend) {
	p.Draw(draw.Crop(dc, 4, -legendWidth, 4, -6))
	aside(dc, legend)
}

// aside draws a legend at the right edge.
func aside(dc draw.Canvas, legend plot.Legend) {
	legend.YOffs = -22
	legend.Draw(draw.Crop(dc, dc.Max.X-dc.Min.X-legendWidth+8, 0, 0, 0))
}

// drawn encodes what f draws. The library panics where it is asked for what it cannot do; that is an error here.
func drawn(height vg.Length, f func(draw.Canvas)) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			data, err = nil, errors.New(fmt.Sprint(r))
		}
	}()
	img := vgimg.NewWith(vgimg.UseWH(pictureWidth, height), vgimg.UseDPI(pictureDPI), vgimg.UseBackgroundColor(color.White))
	f(draw.New(img))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
