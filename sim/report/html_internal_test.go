package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// palettes are the variables of the style sheet: of the light theme, of the dark one by the system's wish, and by the switch.
func palettes(t *testing.T) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, block := range regexp.MustCompile(`:root[^{]*\{([^}]*--back[^}]*)\}`).FindAllStringSubmatch(style, -1) {
		p := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			p[m[1]] = m[2]
		}
		all = append(all, p)
	}
	if len(all) != 3 {
		t.Fatalf("%d palettes, not 3", len(all))
	}
	return all
}

// luminance is the relative one of WCAG 2.
func luminance(t *testing.T, s string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(v) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

// TestContrast holds the colours to WCAG 2 AA: 4.5 for words, 3 for what is drawn.
func TestContrast(t *testing.T) {
	all := palettes(t)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range all[1] {
			if !yield(k) {
				return
			}
		}
	}) {
		if all[1][name] != all[2][name] {
			t.Errorf("--%s is %s in the dark theme of the system and %s in that of the switch", name, all[1][name], all[2][name])
		}
	}
	words := []string{"text", "soft", "link", "good", "bad", "limit"}
	drawn := []string{"strong", "focus"}
	for i := range colours {
		drawn = append(drawn, fmt.Sprintf("c%d", i))
	}
	for i, p := range all {
		check := func(name, ground string, least float64) {
			if p[name] == "" || p[ground] == "" {
				t.Fatalf("theme %d: no --%s or no --%s", i, name, ground)
			}
			a, b := luminance(t, p[name]), luminance(t, p[ground])
			if c := (max(a, b) + 0.05) / (min(a, b) + 0.05); c < least {
				t.Errorf("theme %d: --%s on --%s has a contrast of %.2f, at least %.1f is needed", i, name, ground, c, least)
			}
		}
		for _, ground := range []string{"back", "raised"} {
			for _, name := range words {
				check(name, ground, 4.5)
			}
			for _, name := range drawn {
				check(name, ground, 3)
			}
		}
	}
	for i := range dashes {
		if !strings.Contains(style, fmt.Sprintf(".line.d%d ", i)) && i > 0 {
			t.Errorf("the style sheet has no dashes %d", i)
		}
	}
	if len(paints) != colours {
		t.Errorf("pictures have %d colours, the page %d", len(paints), colours)
	}
}

// TestLooks: of so many policies no two look the same, in colour, symbol and dashes together.
func TestLooks(t *testing.T) {
	seen := map[string]int{}
	for look := range 400 {
		key := class(look) + symbol(look)
		if other, ok := seen[key]; ok {
			t.Fatalf("policies %d and %d look the same", other, look)
		}
		seen[key] = look
	}
	for i := range known {
		for j := range i {
			if symbol(i) == symbol(j) || i%colours == j%colours || i%dashes == j%dashes {
				t.Errorf("%s and %s share a colour, a symbol or dashes", known[i], known[j])
			}
		}
	}
}

// TestAxisOfOne: an axis of one figure has two ends, however large the figure is.
func TestAxisOfOne(t *testing.T) {
	for v := 1e-9; v < 1e22; v *= 3 {
		for _, a := range []axis{{}, {log: true}, {unit: unitCount}, {unit: unitCount, log: true}} {
			for _, v := range []float64{v, -v, 0} {
				a.span([]float64{v})
				if !(a.lo < a.hi) || a.fits(v) && !(a.lo < v && v < a.hi) {
					t.Errorf("an axis of %v goes from %v to %v", v, a.lo, a.hi)
				}
			}
		}
	}
}

// TestAxis: an axis holds its figures, its ticks rise and lie within its ends, and are few but not too few.
func TestAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := axis{unit: unit(rapid.IntRange(0, 2).Draw(t, "unit")), log: rapid.Bool().Draw(t, "log"), from: 100, to: 900}
		values := rapid.SliceOf(rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1e9), rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }))).Draw(t, "values")
		a.span(values)
		if !(a.lo < a.hi) {
			t.Fatalf("it goes from %v to %v", a.lo, a.hi)
		}
		for _, v := range values {
			if !a.fits(v) {
				continue
			}
			if at := a.place(v); !(at >= 100-1e-6 && at <= 900+1e-6) {
				t.Fatalf("%v lies at %v, from %v to %v", v, at, a.lo, a.hi)
			}
		}
		ticks := a.ticks(9)
		if len(ticks) > 20 || len(ticks) < 2 && a.unit != unitCount {
			t.Fatalf("%d ticks from %v to %v", len(ticks), a.lo, a.hi)
		}
		for i, tick := range ticks {
			if at := a.place(tick.value); !(at >= 99 && at <= 901) || tick.text == "" || i > 0 && tick.value <= ticks[i-1].value {
				t.Fatalf("tick %d of %v is at %v and says %q", i, ticks, at, tick.text)
			}
		}
	})
}

// TestApart: names keep their order, their distance where there is room, and stay within bounds.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wanted := rapid.SliceOfN(rapid.Float64Range(-50, 450), 0, 40).Draw(t, "wanted")
		slices.Sort(wanted)
		got := apart(wanted, 19, 0, 400)
		if len(got) != len(wanted) {
			t.Fatalf("%d places for %d names", len(got), len(wanted))
		}
		gap := 19.0
		if n := len(wanted); n > 1 {
			gap = min(gap, 400/float64(n-1))
		}
		for i, at := range got {
			if at < -1e-6 || at > 400+1e-6 || i > 0 && at-got[i-1] < gap-1e-6 {
				t.Fatalf("%v become %v", wanted, got)
			}
		}
	})
}
