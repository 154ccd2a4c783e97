package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// unit says how the figures of an axis are written.
type unit int

const (
	unitBytes unit = iota
	unitCount
	unitNumber
)

// axis is one of a chart: it turns figures into places.
type axis struct {
	title string
	unit  unit
	// log makes it logarithmic. Figures that are not positive have no place on it.
	log bool
	// lo and hi are the figures at its ends, from and to their places.
	lo, hi   float64
	from, to float64
}

// tick is a figure that is written at the axis.
type tick struct {
	value float64
	text  string
}

// fits says whether a figure has a place on the axis, be it outside of its ends.
func (a axis) fits(v float64) bool {
	if a.log {
		return v > 1e-9 && v < 1e21
	}
	return math.Abs(v) < 1e21
}

// place is where a figure lies.
func (a axis) place(v float64) float64 {
	share := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		share = math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return a.from + share*(a.to-a.from)
}

// text writes a figure with all its digits that matter.
func (a axis) text(v float64) string {
	switch a.unit {
	case unitBytes:
		return bytesText(v)
	default:
		return numberText(v)
	}
}

// span makes the axis hold all the figures, and end at ticks if it is logarithmic.
func (a *axis) span(values []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if a.fits(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case lo > hi:
		lo, hi = 1, 10
	case !a.log && lo == hi:
		// By 1, or by so much of large figures that they change at all.
		wider := max(1, math.Abs(lo)/1000)
		lo, hi = lo-wider, hi+wider
	}
	a.lo, a.hi = lo, hi
	if !a.log {
		return
	}
	// Figures that are nearly the same should not look far apart.
	if hi/lo < 2 {
		middle := math.Sqrt(lo) * math.Sqrt(hi)
		a.lo, a.hi = middle/1.5, middle*1.5
		return
	}
	a.lo, a.hi = a.steps(lo, hi)
}

// steps widens a range to the next 1, 2 or 5 of a power of ten.
func (a axis) steps(lo, hi float64) (low, high float64) {
	low, high = lo, hi
	all := a.ladder(lo/20, hi*20, []float64{1, 2, 5})
	for _, s := range all {
		if s <= lo {
			low = s
		}
	}
	for _, s := range slices.Backward(all) {
		if s >= hi {
			high = s
		}
	}
	return low, high
}

// ladder are the figures of these steps within each power of ten, rising. Sizes go by powers of 1024, with three tens in each.
func (a axis) ladder(lo, hi float64, steps []float64) []float64 {
	var all []float64
	for _, base := range a.bases(lo, hi) {
		for _, s := range steps {
			if v := base * s; v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				all = append(all, v)
			}
		}
	}
	return all
}

// bases are the powers of ten around a range.
func (a axis) bases(lo, hi float64) []float64 {
	var all []float64
	if a.unit != unitBytes {
		for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)) && len(all) < 700; e++ {
			all = append(all, math.Pow(10, e))
		}
		return all
	}
	for e := math.Floor(math.Log2(lo) / 10); e <= math.Ceil(math.Log2(hi)/10) && len(all) < 700; e++ {
		for _, ten := range []float64{1, 10, 100} {
			all = append(all, math.Exp2(10*e)*ten)
		}
	}
	return all
}

// ticks are about so many figures along the axis.
func (a axis) ticks(most int) []tick {
	values := a.linear(most)
	if a.log && a.hi/a.lo >= 4 {
		values = a.ladder(a.lo, a.hi, []float64{1, 2, 5})
		if len(values) > most {
			values = a.ladder(a.lo, a.hi, []float64{1})
		}
		for len(values) > most {
			var half []float64
			for i := 0; i < len(values); i += 2 {
				half = append(half, values[i])
			}
			values = half
		}
	}
	var all []tick
	for _, v := range values {
		all = append(all, tick{v, a.short(v)})
	}
	return all
}

// linear are round figures at equal distances.
func (a axis) linear(most int) []float64 {
	scale := 1.0
	if a.unit == unitBytes {
		for scale*1024 <= a.hi {
			scale *= 1024
		}
	}
	raw := (a.hi - a.lo) / scale / float64(most)
	if !(raw > 0) || math.IsInf(raw, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, s := range []float64{1, 2, 5, 10} {
		if s*step >= raw {
			step *= s
			break
		}
	}
	if a.unit == unitCount {
		step = max(step, 1)
	}
	var all []float64
	for i := math.Ceil(a.lo / scale / step); i*step*scale <= a.hi && len(all) < 2*most+2; i++ {
		all = append(all, i*step*scale)
	}
	return all
}

// short writes a round figure in few characters.
func (a axis) short(v float64) string {
	if a.unit == unitBytes {
		s := bytesText(v)
		if number, u, ok := strings.Cut(s, " "); ok && strings.Contains(number, ".") {
			return strings.TrimSuffix(strings.TrimRight(number, "0"), ".") + " " + u
		}
		return s
	}
	for _, s := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if v >= s.size {
			if s.name == "k" {
				s.size = 1e3
			}
			return strconv.FormatFloat(v/s.size, 'g', 4, 64) + s.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
