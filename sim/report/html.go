package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	//go:embed assets/report.css
	style string
	//go:embed assets/report.js
	script string
	//go:embed assets/report.html
	body string

	page = template.Must(template.New("report").Parse(body))
)

// HTML writes the comparison as one page. It holds all that it needs: charts are drawn here, as SVG, and a policy in its head forbids the
// page to load anything or to run any script but its own.
func HTML(w io.Writer, c Comparison) error {
	var b bytes.Buffer
	b.WriteString(head())
	if err := page.Execute(&b, pageOf(c)); err != nil {
		return err
	}
	b.WriteString("<script>" + script + "</script>\n</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// head is all of the page before its body. It holds nothing foreign.
func head() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` + hash(style) + `; script-src ` + hash(script) + `; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>firn: what policies cost</title>
<style>` + style + `</style>
</head>
<body>
`
}

// The parts of the page, as the template takes them.
type (
	pageView struct {
		Facts, Limit, WriteCost string
		Workloads               []workloadView
	}
	workloadView struct {
		Index                              int
		ID, Name, About, Headline, Verdict string
		Points                             []string
		Legend                             []legendView
		Figures                            tableView
		Rows                               []rowView
	}
	legendView struct {
		Swatch template.HTML
		Label  string
	}
	rowView struct {
		Pair   bool
		Charts []chartView
	}
	chartView struct {
		ID, Class, Title, Caption string
		SVG                       template.HTML
		Table                     tableView
	}
	tableView struct {
		Caption string
		Head    []headView
		Rows    [][]cellView
	}
	headView struct {
		Title, Unit string
		// Words says that the column has no figures.
		Words bool
	}
	cellView struct {
		// Head cells name their row, Words are no figures.
		Head, Words       bool
		Swatch            template.HTML
		Text, Note, Class string
		// Value is what the table is sorted by, empty where nothing was counted.
		Value string
	}
)

func pageOf(c Comparison) pageView {
	p := pageView{Facts: facts(c), Limit: bytesText(RootLimit), WriteCost: "bytes and requests"}
	p.Facts = sentence(p.Facts)
	all := entries(c)
	for _, es := range all {
		if costName(es) == "bytes" {
			p.WriteCost = "bytes, and requests where counted,"
		}
	}
	for i, es := range all {
		w := c.Workloads[i]
		s := summary(w, es)
		v := workloadView{Index: i, ID: fmt.Sprintf("w%d", i+1), Name: clean(w.Name), About: sentence(clean(w.About)), Headline: s.headline, Points: s.points, Verdict: "bad"}
		if v.Name == "" {
			v.Name = fmt.Sprintf("workload %d", i+1)
		}
		if choose(es).Policy != "" {
			v.Verdict = "good"
		}
		for _, e := range es {
			v.Legend = append(v.Legend, legendView{Swatch: swatch(e.look), Label: e.label})
		}
		if len(w.Bound) > 0 {
			v.Legend = append(v.Legend, legendView{Swatch: swatch(boundLook), Label: "lower bound"})
		}
		v.Figures = figuresTable(w, es)
		v.Rows = chartRows(v.ID, w, es)
		p.Workloads = append(p.Workloads, v)
	}
	return p
}

// sentence makes a sentence of words.
func sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	s = string(unicode.ToUpper(r)) + s[size:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// swatch shows how a policy is drawn.
func swatch(look int) template.HTML {
	var d drawing
	d.b.WriteString(`<svg viewBox="0 0 32 14" aria-hidden="true">`)
	d.line("line "+class(look), 0, 7, 32, 7)
	fmt.Fprintf(&d.b, `<path class="mark key %s" transform="translate(16 7)" d="%s"/>`, class(look), symbol(look))
	d.end()
	return template.HTML(d.b.String()) //nolint:gosec // drawn here, of numbers alone
}

// chartRows are the charts of a workload.
func chartRows(id string, w Workload, all []entry) []rowView {
	lines := func(c chart, t tableView) chartView {
		v := chartView{ID: id + "-" + c.name, Class: "wide", Title: c.title, Caption: c.caption, Table: t}
		if !c.empty() {
			v.SVG = template.HTML(c.drawLines(v.ID)) //nolint:gosec // all words in it are escaped
		}
		return v
	}
	dots := func(s scatter) chartView {
		v := chartView{ID: id + "-" + s.name, Title: s.title, Caption: s.caption, Table: scatterTable(s)}
		if len(s.dots) > 0 {
			v.SVG = template.HTML(s.draw(v.ID)) //nolint:gosec // all words in it are escaped
		}
		return v
	}
	t := timelineOf(all)
	time := chartView{ID: id + "-timeline", Class: "wide", Title: t.title, Caption: t.caption, Table: timelineTable(t)}
	if len(t.panels) > 0 {
		time.SVG = template.HTML(t.draw(time.ID)) //nolint:gosec // all words in it are escaped
	}
	pair := rowView{Pair: true}
	for _, s := range scatters(all) {
		pair.Charts = append(pair.Charts, dots(s))
	}
	cost := pointsTable(w, all, "Mean bytes of a commit", func(p Point) float64 { return p.CommitBytes }, true)
	root := pointsTable(w, all, "Bytes of the root", func(p Point) float64 { return float64(p.RootBytes) }, false)
	return []rowView{
		{Charts: []chartView{lines(costChart(w, all), cost)}},
		pair,
		{Charts: []chartView{time}},
		{Charts: []chartView{lines(rootChart(all), root)}},
		{Charts: []chartView{lines(retriesChart(all), retriesTable(w, all))}},
	}
}

// figure is a cell with a number.
func figure(v float64, text string) cellView {
	return cellView{Text: text, Value: strconv.FormatFloat(v, 'g', -1, 64)}
}
