package sim

import (
	"math"
	"slices"

	"github.com/firn-io/firn/dv"
)

// pace is what a workload remembers of its own choices, so that unlikely meetings are likely: writers that stand still in
// the middle of a program while the others go on, and files that everybody wants.
type pace struct {
	// stalled says up to which step of the world a writer stands still, by its number.
	stalled map[int]int
	// hot are the files that were chosen last.
	hot []int64
}

// longestStall bounds for how many steps a writer stands still, and mostHot how many files are hot.
const (
	longestStall = 150
	mostHot      = 6
)

// who draws the writer that goes on. One that is in the middle of a program falls asleep now and then, so that what it began on
// grows old: many commits, an expiry, a branch that was made anew lie between its steps.
func (g *Workload) who() *writer {
	w := g.world
	var awake []*writer
	for _, x := range w.writers {
		if g.pace.stalled[x.number] <= w.steps {
			awake = append(awake, x)
		}
	}
	if len(awake) == 0 {
		return w.writers[g.random.IntN(len(w.writers))]
	}
	x := awake[g.random.IntN(len(awake))]
	if len(awake) > 1 && x.run != nil && g.percent(3) {
		if g.pace.stalled == nil {
			g.pace.stalled = make(map[int]int)
		}
		g.pace.stalled[x.number] = w.steps + 1 + g.random.IntN(longestStall)
	}
	return x
}

// hotVictim draws a file that was chosen before and is live, if the profile has any.
func (g *Workload) hotVictim(s *scene) (int64, bool) {
	if len(g.pace.hot) == 0 || !g.percent(g.profile.Hot) {
		return 0, false
	}
	n := g.pace.hot[g.random.IntN(len(g.pace.hot))]
	return n, s.model.has(n)
}

// heat makes files hot.
func (g *Workload) heat(numbers []int64) {
	for _, n := range numbers {
		if !slices.Contains(g.pace.hot, n) {
			g.pace.hot = append(g.pace.hot, n)
		}
	}
	if excess := len(g.pace.hot) - mostHot; excess > 0 {
		g.pace.hot = slices.Delete(g.pace.hot, 0, excess)
	}
}

// rows draws rows to delete, which all of the files have; sometimes all of one.
func (g *Workload) rows(s *scene, numbers []int64) dv.Vector {
	records := int64(math.MaxInt64)
	for _, n := range numbers {
		f, _ := s.model.get(n)
		records = min(records, f.records)
	}
	records = max(records, 1)
	all := g.percent(10)
	var positions []uint64
	for i := range uint64(records) {
		if all || g.percent(25) {
			positions = append(positions, i)
		}
	}
	if len(positions) == 0 {
		positions = []uint64{uint64(g.random.Int64N(records))}
	}
	return vector(positions...)
}
