package report_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/sim/report"
)

// TestBrowser opens reports in a real browser. FIRN_REPORT_COMPARISONS names other comparisons than those of testdata, separated as PATH
// is; FIRN_REPORT_PICTURES a folder that keeps what the pages look like.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	files := []string{filepath.Join("testdata", "two.json"), filepath.Join("testdata", "seven.json")}
	if others := os.Getenv("FIRN_REPORT_COMPARISONS"); others != "" {
		files = filepath.SplitList(others)
	}
	for _, file := range files {
		f, err := os.Open(file)
		fatal(t, err)
		c, err := report.Read(f)
		f.Close()
		fatal(t, err)
		path := filepath.Join(t.TempDir(), "report.html")
		var page bytes.Buffer
		fatal(t, report.HTML(&page, c))
		fatal(t, os.WriteFile(path, page.Bytes(), 0o644))
		for _, theme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%s/%s", filepath.Base(file), theme), func(t *testing.T) {
				b := &browser{t: t, in: b.in, out: b.out, lines: b.lines, next: b.next, session: b.session}
				b.prefers(theme, 1180)
				b.open(address(t, path))
				b.drawn(c)
				b.readable()
				b.themed(theme)
				b.shots(fmt.Sprintf("%d-policies-%s", len(c.Workloads[0].Policies), theme))
				b.sorts()
				b.keys()
				b.narrow(theme)
				b.switches(theme, address(t, path))
				b.quiet(address(t, path))
			})
			// The next one goes on counting where this one ended.
			b.next += 100_000
		}
	}
}

// quiet checks that the page had nothing to complain about, and asked for nothing but itself.
func (b *browser) quiet(page string) {
	b.t.Helper()
	b.text("1") // What was said up to here has arrived with the answer.
	if len(b.said) > 0 {
		b.t.Errorf("the console says:\n%s", strings.Join(b.said, "\n"))
	}
	for _, url := range b.asked {
		if url != page {
			b.t.Errorf("the page asks for %s", url)
		}
	}
}

// TestBrowserNotices: a page that complains, asks for something, or has no chart does not go unnoticed.
func TestBrowserNotices(t *testing.T) {
	b := startBrowser(t)
	for name, page := range map[string]string{
		"a warning": `<script>console.warn('beware')</script>`, "an error": `<script>nothing()</script>`, "a script that the policy forbids": `<meta http-equiv="Content-Security-Policy" content="script-src 'none'"><script>1</script>`,
	} {
		path := filepath.Join(t.TempDir(), "page.html")
		fatal(t, os.WriteFile(path, []byte(page), 0o644))
		b.open(address(t, path))
		if b.text("1"); len(b.said) == 0 {
			t.Errorf("%s was not noticed", name)
		}
	}
	path := filepath.Join(t.TempDir(), "page.html")
	fatal(t, os.WriteFile(path, []byte(`<img src="picture.png">`), 0o644))
	b.open(address(t, path))
	if len(b.asked) != 2 {
		t.Errorf("a page with a picture asked for %v", b.asked)
	}
}

// drawn checks that all charts are there, each with marks of each policy that are within it and can be seen.
func (b *browser) drawn(c report.Comparison) {
	b.t.Helper()
	var charts []struct {
		ID                   string
		Width, Height        float64
		Marks, Lines, Beyond int
		Colours              []string
	}
	b.look(`[...document.querySelectorAll('svg.chart')].map((svg) => {
		const r = svg.getBoundingClientRect();
		const marks = [...svg.querySelectorAll('.mark:not(.key)')];
		const beyond = marks.filter((m) => { const q = m.getBoundingClientRect();
			return !(q.width > 0 && q.left >= r.left && q.right <= r.right + 1 && q.top >= r.top - 3 && q.bottom <= r.bottom); });
		return {id: svg.closest('figure').id, width: r.width, height: r.height, marks: marks.length, beyond: beyond.length,
			lines: svg.querySelectorAll('polyline').length, colours: [...new Set(marks.map((m) => getComputedStyle(m).color))]};
	})`, &charts)
	if want := 8 * len(c.Workloads); len(charts) != want {
		b.t.Fatalf("%d charts, not %d", len(charts), want)
	}
	for i, ch := range charts {
		w := c.Workloads[i/8]
		done := 0
		for _, r := range w.Policies {
			if r.Problem == "" {
				done++
			}
		}
		if ch.Width < 300 || ch.Height < 200 || ch.Marks < done || ch.Lines == 0 || len(ch.Colours) < done || ch.Beyond > 0 {
			b.t.Errorf("chart %s of %d policies: %+v", ch.ID, done, ch)
		}
	}
}

// readable checks that no words in charts are cut off, and that no names cover each other.
func (b *browser) readable() {
	b.t.Helper()
	var bad []string
	b.look(`[...document.querySelectorAll('svg.chart')].flatMap((svg) => {
		const r = svg.getBoundingClientRect();
		const texts = [...svg.querySelectorAll('text')].map((t) => ({t, q: t.getBoundingClientRect()}));
		const cut = texts.filter(({q}) => q.left < r.left - 1 || q.right > r.right + 1 || q.top < r.top - 1 || q.bottom > r.bottom + 1);
		const over = texts.filter(({t, q}, i) => texts.some((o, j) => j > i && Math.min(q.right, o.q.right) - Math.max(q.left, o.q.left) > 2 &&
			Math.min(q.bottom, o.q.bottom) - Math.max(q.top, o.q.top) > 4));
		const say = (what) => ({t}) => svg.closest('figure').id + ': "' + t.textContent + '" ' + what;
		return [...cut.map(say('is cut off')), ...over.map(say('covers other words'))];
	})`, &bad)
	for _, s := range bad {
		b.t.Error(s)
	}
}

// themed checks that the page has taken the theme.
func (b *browser) themed(theme string) {
	b.t.Helper()
	want := map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[theme]
	if got := b.text(`getComputedStyle(document.documentElement).backgroundColor`); got != want {
		b.t.Errorf("the ground is %s in the theme %s, not %s", got, theme, want)
	}
}

// sorts sorts a table by a click and by a key.
func (b *browser) sorts() {
	b.t.Helper()
	const table = `document.querySelector('#w1 table')`
	const head = `[...` + table + `.tHead.rows[0].cells].find((c) => c.textContent.includes('write cost'))`
	order := func() (values []float64, names []string) {
		b.look(`[...`+table+`.tBodies[0].rows].map((r) => Number(r.cells[`+head+`.cellIndex].dataset.v))`, &values)
		b.look(`[...`+table+`.tBodies[0].rows].map((r) => r.cells[0].textContent)`, &names)
		return values, names
	}
	_, before := order()
	b.click(head + `.querySelector('button')`)
	values, names := order()
	if got := b.text(head + `.getAttribute('aria-sort')`); got != "ascending" || !slices.IsSorted(values) || len(values) < 2 {
		b.t.Errorf("after a click the table is sorted %s: %v", got, values)
	}
	slices.Sort(before)
	if slices.Sort(names); !slices.Equal(before, names) {
		b.t.Errorf("sorting made %v of %v", names, before)
	}
	b.press("Enter", 13)
	values, _ = order()
	slices.Reverse(values)
	if got := b.text(head + `.getAttribute('aria-sort')`); got != "descending" || !slices.IsSorted(values) {
		b.t.Errorf("after a key the table is sorted %s: %v, backwards", got, values)
	}
	if got := b.text(`document.querySelectorAll('[aria-sort]').length`); got != "1" {
		b.t.Errorf("%s columns say that they are sorted", got)
	}
}

// keys reads a chart with keys, and checks that the first key leads past the head of the page.
func (b *browser) keys() {
	b.t.Helper()
	b.look(`document.querySelector('#w1-cost .plot').focus()`, nil)
	seen := map[string]bool{}
	for _, key := range []struct {
		name string
		code int
	}{{"ArrowRight", 39}, {"ArrowRight", 39}, {"End", 35}, {"ArrowLeft", 37}, {"Home", 36}} {
		b.press(key.name, key.code)
		said := b.text(`document.querySelector('[aria-live]').textContent`)
		if tip := b.text(`document.querySelector('.tip:not([hidden])').textContent`); tip != said || !strings.Contains(said, "a commit at") {
			b.t.Errorf("%s: the tip says %q, a screen reader %q", key.name, tip, said)
		}
		seen[said] = true
	}
	if len(seen) != 4 {
		b.t.Errorf("five keys read %d marks, not 4: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	b.press("Escape", 27)
	if got := b.text(`document.querySelector('.tip').hidden`); got != "true" {
		b.t.Error("Escape does not hide the tip")
	}
	b.click(`document.querySelectorAll('#w1-cost .mark:not(.key)')[3]`)
	if got := b.text(`document.querySelector('.tip').hidden`); got != "false" {
		b.t.Error("the pointer over a mark shows no tip")
	}
	b.look(`document.activeElement.blur(); scrollTo(0, 0)`, nil)
	if got := b.text(`[...document.querySelectorAll('a, button, input, summary, [tabindex]')].findIndex((e) => e.matches('.skip'))`); got != "0" {
		b.t.Errorf("the link past the head is number %s in the order of keys", got)
	}
	var unnamed []string
	b.look(`[...document.querySelectorAll('svg.chart')].filter((s) => s.getAttribute('aria-labelledby').split(' ').some((id) => !document.getElementById(id)?.textContent.trim()))
		.map((s) => s.outerHTML.slice(0, 100))`, &unnamed)
	if len(unnamed) > 0 {
		b.t.Errorf("charts without a name: %v", unnamed)
	}
}

// narrow checks that the page fits a telephone.
func (b *browser) narrow(theme string) {
	b.t.Helper()
	b.prefers(theme, 390)
	if got := b.text(`document.documentElement.scrollWidth`); got != "390" {
		b.t.Errorf("the page is %s wide on a screen of 390", got)
	}
	b.prefers(theme, 1180)
}

// switches takes the other theme, which lasts when the page is loaded again, and then leaves it to the system once more.
func (b *browser) switches(theme, page string) {
	b.t.Helper()
	other := map[string]string{"light": "dark", "dark": "light"}[theme]
	b.click(fmt.Sprintf(`document.querySelector('input[value=%s]')`, other))
	b.themed(other)
	said := b.said
	b.open(page)
	b.said = append(said, b.said...)
	b.themed(other)
	b.click(`document.querySelector('input[value=system]')`)
	b.themed(theme)
}

// shots keeps what the choice and the first workload look like.
func (b *browser) shots(name string) {
	b.t.Helper()
	folder := os.Getenv("FIRN_REPORT_PICTURES")
	if folder == "" {
		return
	}
	fatal(b.t, os.MkdirAll(folder, 0o755))
	for part, element := range map[string]string{"choice": `document.querySelector('#choices')`, "workload": `document.querySelector('#w1')`} {
		data := small(b.t, b.picture(element))
		if len(data) > 300_000 {
			b.t.Errorf("the picture of %s has %d bytes", part, len(data))
		}
		fatal(b.t, os.WriteFile(filepath.Join(folder, name+"-"+part+".png"), data, 0o644))
	}
}

// small writes a picture with the 256 colours that it has most of, in a third of the bytes.
func small(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	fatal(t, err)
	bounds := img.Bounds()
	points := image.NewRGBA(bounds)
	draw.Draw(points, bounds, img, bounds.Min, draw.Src)
	// Colours that differ in their last bits are one.
	count := map[color.RGBA]int{}
	round := func(v uint8) uint8 { return uint8(min(255, (int(v)+4)/8*8)) }
	at := func(i int) color.RGBA {
		p := points.Pix[4*i:]
		return color.RGBA{round(p[0]), round(p[1]), round(p[2]), 255}
	}
	for i := range len(points.Pix) / 4 {
		count[at(i)]++
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return (int(a.R)<<16 + int(a.G)<<8 + int(a.B)) - (int(b.R)<<16 + int(b.G)<<8 + int(b.B))
	})
	var colours color.Palette
	for _, c := range all[:min(256, len(all))] {
		colours = append(colours, c)
	}
	out := image.NewPaletted(bounds, colours)
	index := map[color.RGBA]uint8{}
	for i := range out.Pix {
		c := at(i)
		n, ok := index[c]
		if !ok {
			n = uint8(colours.Index(c))
			index[c] = n
		}
		out.Pix[i] = n
	}
	var b bytes.Buffer
	fatal(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out))
	return b.Bytes()
}
