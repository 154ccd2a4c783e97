package compare

import (
	"math"

	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/bound"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim/report"
)

// What the critical section of a commit takes, from the root that it begins on to the swap, in seconds: requests and the catalog, and
// for each million bytes of the root to encode it, to write it and to read it again.
const (
	fixedSeconds    = 0.3
	encodeSeconds   = 0.05
	transferSeconds = 2 * 0.0125
)

// rates are the other commits a second for which retries are worked out.
var rates = []float64{0.1, 0.5, 1, 2, 4}

// contention returns the expected attempts of a commit whose root has so many bytes: others come as they like, so that one of length t
// meets none with probability e^(-rate*t).
func contention(rootBytes float64) []report.Retries {
	seconds := fixedSeconds + rootBytes/1e6*(encodeSeconds+transferSeconds)
	var all []report.Retries
	for _, rate := range rates {
		// Beyond some exponent nobody would wait, and JSON has no infinity.
		all = append(all, report.Retries{CommitsPerSecond: rate, Attempts: math.Exp(min(rate*seconds, 100))})
	}
	return all
}

// exponents returns how figures grow with the files, by the last half of the points.
func exponents(points []report.Point) report.Exponents {
	half := points[len(points)/2:]
	return report.Exponents{
		CommitBytes: slope(half, func(p report.Point) float64 { return p.CommitBytes }),
		RootBytes:   slope(half, func(p report.Point) float64 { return float64(p.RootBytes) }),
		Leaves:      slope(half, func(p report.Point) float64 { return float64(p.Leaves) }),
		Retained:    slope(half, func(p report.Point) float64 { return float64(p.RetainedBytes) }),
	}
}

// slope is that of the line of least squares through the logarithms of the files and of a figure. It is 0 where there are too few
// points, or files do not grow, or the figure is 0 somewhere.
func slope(points []report.Point, figure func(report.Point) float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		if p.Files <= 0 || figure(p) <= 0 {
			return 0
		}
		x, y := math.Log(float64(p.Files)), math.Log(figure(p))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	spread := n*sxx - sx*sx
	if n < 3 || spread < n*n*0.01 { // files that differ by less than a tenth tell nothing
		return 0
	}
	return (n*sxy - sx*sy) / spread
}

// bounds is what commits of a workload must write.
type bounds struct {
	points []report.BoundPoint
	// beyond are the bytes of all commits beyond the fixed prices of roots, 0 if that is not known.
	beyond    float64
	rootFixed int64
}

// longestProgram is the number of commits up to which the program of the bound is run.
const longestProgram = 1_000_000

// bounds works out the bound for each point. There is none for workloads that do more than to append the same number of files, and
// none for manifests whose prices are not those of the model.
func (c Config) bounds(w Workload) (bounds, error) {
	prices := policy.EstimatePrices(c.Columns)
	b := bounds{rootFixed: prices.RootFixedBytes}
	if w.Files == 0 || c.Model != Counting || c.Commits > longestProgram {
		return b, nil
	}
	programs := make(map[bound.Model]*bound.Program)
	for _, n := range pointsTo(c.Commits) {
		m := count.Bound(w.Files, prices, n)
		p := programs[m]
		if p == nil {
			var err error
			if p, err = bound.NewProgram(m); err != nil {
				return b, err
			}
			programs[m] = p
		}
		if err := p.Extend(n); err != nil {
			return b, err
		}
		b.beyond = float64(p.Bytes(n))
		b.points = append(b.points, report.BoundPoint{
			Commits: n, Files: n * w.Files, CommitBytes: b.beyond/float64(n) + float64(prices.RootFixedBytes),
		})
	}
	return b, nil
}
