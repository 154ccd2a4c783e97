package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/firn-io/firn/sim/report"
)

// parsed checks that the page is well-formed, style and script apart, that ids are unique and what points to them is there, and returns
// how often each element occurs.
func parsed(t testing.TB, page string) map[string]int {
	t.Helper()
	for _, e := range []string{"style", "script"} {
		begin, end := strings.Index(page, "<"+e+">"), strings.Index(page, "</"+e+">")
		if begin < 0 || end < begin || strings.Count(page, "<"+e) != 1 || strings.Count(page, "</"+e) != 1 {
			t.Fatalf("the page has not exactly one %s", e)
		}
		page = page[:begin+len(e)+2] + page[end:]
	}
	d := xml.NewDecoder(strings.NewReader(page))
	count, ids := map[string]int{}, map[string]bool{}
	var pointed []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		count[start.Name.Local]++
		for _, a := range start.Attr {
			switch name := a.Name.Local; {
			case name == "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %q", a.Value)
				}
				ids[a.Value] = true
			case name == "aria-labelledby":
				pointed = append(pointed, strings.Fields(a.Value)...)
			case name == "href":
				pointed = append(pointed, strings.TrimPrefix(a.Value, "#"))
			case name == "src" || name == "style" || strings.HasPrefix(name, "on"):
				t.Errorf("<%s> has %s", start.Name.Local, name)
			}
		}
	}
	for _, id := range pointed {
		if !ids[id] {
			t.Errorf("nothing has the id %q", id)
		}
	}
	return count
}

func TestHTML(t *testing.T) {
	for name, charts := range map[string]int{"two.json": 16, "seven.json": 24} {
		c := load(t, name)
		page := written(t, report.HTML, c)
		count := parsed(t, page)
		if n := strings.Count(page, `<svg class="chart"`); n != charts || count["figure"] != charts {
			t.Errorf("%s: %d charts in %d figures, not %d", name, n, count["figure"], charts)
		}
		// Each chart has a table beside it, each workload one of all figures; each has a caption.
		if tables := charts + len(c.Workloads); count["table"] != tables || count["caption"] != tables {
			t.Errorf("%s: %d tables with %d captions, not %d", name, count["table"], count["caption"], tables)
		}
		for _, landmark := range []string{"header", "nav", "main", "footer", "h1"} {
			if count[landmark] != 1 {
				t.Errorf("%s: %d <%s>, not one", name, count[landmark], landmark)
			}
		}
		if m := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9]|url\(|@import`).FindString(page); m != "" {
			t.Errorf("%s: the page points outside: %q", name, m)
		}
		if len(page) > 1<<20 {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		for _, w := range c.Workloads {
			if choice := report.Choose(w).Policy; !strings.Contains(page, "Choose "+choice+".") {
				t.Errorf("%s: the choice for %s is not named", name, w.Name)
			}
		}
	}
}

// hostile is a comparison whose words try to break out of where they stand.
func hostile(word string) report.Comparison {
	r := report.Result{Policy: word, Settings: map[string]string{word: word}, Objective: 2000, CommitBytes: report.Spread{Mean: 1000, Max: 4000}}
	r.Everything, r.OnePartition = report.Scan{LeavesOpened: 1, BytesRead: 5000}, report.Scan{LeavesOpened: 1, BytesRead: 500}
	r.Points = []report.Point{{Commits: 1, Files: 1, CommitBytes: 1000, RootBytes: 1000}, {Commits: 10, Files: 10, CommitBytes: 1200, RootBytes: 1100}}
	r.Timeline = []report.Moment{{Commit: 9, Bytes: 1000, RootBytes: 900}, {Commit: 10, Bytes: 2000, RootBytes: 1000, Merged: 1, Maintenance: true}}
	r.Contention = []report.Retries{{CommitsPerSecond: 1, Attempts: 2}, {CommitsPerSecond: 2, Attempts: 4}}
	stopped := r
	stopped.Problem = word
	again := r
	again.Settings = map[string]string{"b": word}
	return report.Comparison{Model: word, Workloads: []report.Workload{{Name: word, About: word, Policies: []report.Result{r, stopped, again}}, {Name: word, About: word}}}
}

var hostileWords = []string{
	`</script><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `' onfocus='alert(1)`, `</title></svg><b>`, `{{.Facts}}`,
	"\x1b[31mred\x1b[0m", "a\x00b\u202ec", "\xff\xfe", `=HYPERLINK("x")`, "&amp;&lt;", "]]>", `</style>`, strings.Repeat("long ", 200), "",
}

// TestHostile: words of others do nothing but be read.
func TestHostile(t *testing.T) {
	clean := strings.NewReplacer("\n", "", "\t", "")
	for _, word := range hostileWords {
		c := hostile(word)
		page := written(t, report.HTML, c)
		plain := parsed(t, written(t, report.HTML, hostile("word")))
		for e, n := range parsed(t, page) {
			if plain[e] == 0 || e == "script" && n != 1 {
				t.Errorf("%q: %d <%s>, with a plain word %d", word, n, e, plain[e])
			}
		}
		text := written(t, report.Text, c)
		for _, out := range []string{page, text, written(t, report.CSV, c), written(t, report.PointsCSV, c)} {
			if i := strings.IndexFunc(clean.Replace(out), func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }); i >= 0 {
				t.Errorf("%q: a control character is written", word)
			}
		}
		if csv := written(t, report.CSV, c); strings.Contains(csv, ",=") || strings.Contains(csv, ",\"=") {
			t.Errorf("%q: a cell of CSV begins with =", word)
		}
	}
	var c report.Comparison
	for _, word := range []string{"../../etc/passwd", "a\x00b", "", "a b", "A-B", strings.Repeat("long ", 200)} {
		one := hostile(word).Workloads[0]
		one.Policies = one.Policies[:1]
		one.Policies[0].Points = nil
		c.Workloads = append(c.Workloads, one)
	}
	pictures, err := report.PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range pictures {
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*\.png$`).MatchString(p.Name) || names[p.Name] {
			t.Errorf("a picture is called %q", p.Name)
		}
		names[p.Name] = true
	}
}

// TestStrangeFigures: whatever the figures are, something is written.
func TestStrangeFigures(t *testing.T) {
	for _, v := range []float64{0, -1, 1e-300, 5e-324, 1, 1e18, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		c := hostile("p")
		for i := range c.Workloads[0].Policies {
			r := &c.Workloads[0].Policies[i]
			r.Objective, r.CommitBytes.Mean, r.Objects, r.RatioToBound = v, v, v, v
			r.Everything, r.OnePartition, r.Lookup = report.Scan{LeavesOpened: v, BytesRead: v}, report.Scan{LeavesOpened: v, BytesRead: v}, report.Scan{BytesRead: v}
			r.Contention[0], r.Exponents.Leaves = report.Retries{CommitsPerSecond: v, Attempts: v}, v
			r.Points[1].CommitBytes = v
			r.Points[0].RootBytes, r.Timeline[1].Bytes, r.Timeline[0].Commit = math.MinInt64, math.MaxInt64, math.MinInt64
		}
		c.Workloads[0].Bound = []report.BoundPoint{{CommitBytes: v}, {Commits: 3, Files: 4, CommitBytes: v}}
		for _, f := range []func(io.Writer, report.Comparison) error{report.Text, report.CSV, report.PointsCSV, report.HTML} {
			out := written(t, f, c)
			if strings.HasPrefix(out, "<!DOCTYPE") {
				parsed(t, out)
				if m := regexp.MustCompile(`(points|x1|y1|x2|y2|x|y|d|transform)="[^"]*(NaN|Inf)[^"]*"`).FindString(out); m != "" {
					t.Errorf("%v: no place: %s", v, m)
				}
			}
		}
		c.Workloads[0].Policies = c.Workloads[0].Policies[:1]
		if _, err := report.PNG(c); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := report.JSON(io.Discard, report.Comparison{Workloads: []report.Workload{{Bound: []report.BoundPoint{{CommitBytes: math.NaN()}}}}}); err == nil {
		t.Error("JSON has no way to write that a figure is none, and did")
	}
}

func TestPNG(t *testing.T) {
	c := load(t, "two.json")
	pictures, err := report.PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(pictures) != 16 || len(again) != 16 {
		t.Fatalf("%d pictures, and again %d, not 16", len(pictures), len(again))
	}
	for i, p := range pictures {
		img, err := png.Decode(bytes.NewReader(p.PNG))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if !bytes.Equal(p.PNG, again[i].PNG) {
			t.Errorf("%s was drawn in two ways", p.Name)
		}
		inked := 0
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				if r, g, b, _ := img.At(x, y).RGBA(); r>>8 < 120 && (g>>8 > 60 || b>>8 > 60) {
					inked++
				}
			}
		}
		if b.Dx() < 800 || b.Dy() < 300 || inked < 100 {
			t.Errorf("%s has %v and %d coloured points", p.Name, b, inked)
		}
	}
}

// Fuzz: what is read can be written in every form.
func Fuzz(f *testing.F) {
	f.Add([]byte(`{"model":"counting","workloads":[{"name":"w","policies":[{"policy":"a","points":[{"commits":1,"files":1,"commit_bytes":5}]}]}]}`))
	for _, word := range hostileWords {
		var b bytes.Buffer
		if err := report.JSON(&b, hostile(word)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := report.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, w := range []func(io.Writer, report.Comparison) error{report.JSON, report.Text, report.CSV, report.PointsCSV} {
			if err := w(io.Discard, c); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := report.HTML(&b, c); err != nil {
			t.Fatal(err)
		}
		parsed(t, b.String())
	})
}
