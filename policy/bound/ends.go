package bound

import (
	"fmt"
	"math"
)

// MaxEnd is the most commits after which a table of [Model.Expected] may end.
const MaxEnd = 2_000

// Ends say how likely it is that a table ends after 0, 1, 2 and more commits, in proportion to each other. It never ends after 0.
type Ends []float64

// Expected returns what it costs at least not to know the end. A policy is told how likely each end is, but not which one it will be, and
// pays at each a multiple of what the best plan does that is told (A(n) of [Program], for [Model.WholeLeaves]). Expected is the mean of these
// multiples for the best of all such policies, if leaves may be of any size.
//
// So it is a bound for every policy that knows no horizon, whether it draws lots or not: its mean is no less, so there is an end, among
// those that are possible, at which it writes at least so many times what is necessary. It need not believe in the chances: any of them give a
// bound, and [Model.HardEnds] looks for good ones.
//
// A commit takes part in each end that comes after it. A byte of commit t counts
//
//	w(t) = sum over n >= t of (chance of n) / A(n)
//
// and what the bytes of all commits count is to be least. Let V(a, b) be the least for the commits after a and up to b on their own, and j the
// one that makes their oldest component of the end:
//
//	V(a, b) = min( sum over t of w(t)*k*l*(t-a),
//	               min over j of V(a, j-1) + V(j, b) + w(j)*(k*d*(j-a) + F) + p*(w(j) + ... + w(b)) ), V(a, a) = 0
//
// It takes n*n*n/6 steps. That such plans are enough, of consecutive commits of which the last one writes them, rests on search. With a
// cap of leaves they are not, if commits count differently: it may be better to write a leaf while newer files stay loose. That is why there is none.
func (m Model) Expected(e Ends) (float64, error) {
	b, err := m.blind(e)
	if err != nil {
		return 0, err
	}
	return b.plan(e), nil
}

// What [Model.HardEnds] does: so many turns, in each of which an end becomes e^(hardStep/√turn) times as likely for each whole multiple that it
// costs more than the mean.
const (
	hardTurns = 40
	hardStep  = 20
)

// HardEnds looks for ends, none before from and none after to, at which [Model.Expected] is high: turn by turn those become likelier at which
// the plan that is best for the last chances costs most. There may be harder ones.
func (m Model) HardEnds(from, to int) (Ends, error) {
	if from < 1 || from > to || to > MaxEnd {
		return nil, fmt.Errorf("bound: ends from %d to %d, want numbers from 1 to %d", from, to, MaxEnd)
	}
	e := make(Ends, to+1)
	for n := from; n <= to; n++ {
		e[n] = 1 / float64(n)
	}
	b, err := m.blind(e)
	if err != nil {
		return nil, err
	}
	hardest, most := make(Ends, to+1), 0.0
	for turn := range hardTurns {
		mean := b.plan(e)
		if mean > most {
			most = mean
			copy(hardest, e)
		}
		bytes := b.bytes()
		sum := 0.0
		for n := from; n <= to; n++ {
			e[n] *= math.Exp(hardStep / math.Sqrt(float64(turn+1)) * (bytes[n]/b.known[n] - mean))
			sum += e[n]
		}
		for n := range e {
			e[n] /= sum
		}
	}
	return hardest, nil
}

// blind finds plans for commits that count differently.
type blind struct {
	model Model
	// known is A(n), what the best plan costs that knows the end.
	known []float64
	// least is V(a, b) by a, and to the same by b; first is j, or 0 where all stays loose.
	least, to [][]float64
	first     [][]int32
}

func (m Model) blind(e Ends) (*blind, error) {
	commits := len(e) - 1
	if commits < 1 || commits > MaxEnd {
		return nil, fmt.Errorf("bound: the last end is after %d commits, want a number from 1 to %d", commits, MaxEnd)
	}
	sum := 0.0
	for n, chance := range e {
		if chance < 0 || math.IsNaN(chance) || n == 0 && chance > 0 {
			return nil, fmt.Errorf("bound: the chance to end after %d commits is %v", n, chance)
		}
		sum += chance
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("bound: the chances of all ends are %v together", sum)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	m = m.WholeLeaves()
	program, err := NewProgram(m)
	if err == nil {
		err = program.Extend(int64(commits))
	}
	if err != nil {
		return nil, err
	}
	b := &blind{model: m, known: make([]float64, commits+1)}
	for n := range b.known {
		b.known[n] = float64(program.Bytes(int64(n)))
		b.least, b.to = append(b.least, make([]float64, commits+1)), append(b.to, make([]float64, commits+1))
		b.first = append(b.first, make([]int32, commits+1))
	}
	return b, nil
}

// counts returns what a byte of each commit counts, and the sums of that up to each.
func (b *blind) counts(e Ends) (counts, sums []float64) {
	counts, sums = make([]float64, len(e)), make([]float64, len(e))
	all := 0.0
	for _, chance := range e {
		all += chance
	}
	for n := len(e) - 1; n > 0; n-- {
		counts[n] = e[n] / all / b.known[n]
		if n < len(e)-1 {
			counts[n] += counts[n+1]
		}
	}
	for n := 1; n < len(e); n++ {
		sums[n] = sums[n-1] + counts[n]
	}
	return counts, sums
}

// plan finds the best plan and returns its mean.
func (b *blind) plan(e Ends) float64 {
	counts, sums := b.counts(e)
	last := len(e) - 1
	batch, loose := float64(b.model.batchBytes()), float64(b.model.FilesPerCommit*b.model.looseFile())
	pointer, fixed := float64(b.model.PointerBytes), float64(b.model.LeafFixedBytes)
	own := make([]float64, last+1)
	for from := last - 1; from >= 0; from-- {
		row := b.least[from]
		stay := 0.0
		for to := from + 1; to <= last; to++ {
			n := float64(to - from)
			own[to] = row[to-1] + counts[to]*(batch*n+fixed) - pointer*sums[to-1]
			stay += counts[to] * loose * n
			least, first := stay-pointer*sums[to], 0 // the pointer of the first component up to the end is the same for all j
			rest := b.to[to]
			for j := from + 1; j <= to; j++ {
				if bytes := own[j] + rest[j]; bytes < least {
					least, first = bytes, j
				}
			}
			least += pointer * sums[to]
			row[to], b.to[to][from], b.first[from][to] = least, least, int32(first)
		}
	}
	return b.least[0][last]
}

// bytes returns what the plan has written after so many commits.
func (b *blind) bytes() []float64 {
	last := len(b.known) - 1
	written, pointers := make([]float64, last+1), make([]float64, last+2)
	var fill func(from, to int)
	fill = func(from, to int) {
		for from < to {
			j := int(b.first[from][to])
			if j == 0 {
				for t := from + 1; t <= to; t++ {
					written[t] += float64(b.model.FilesPerCommit*b.model.looseFile()) * float64(t-from)
				}
				return
			}
			fill(from, j-1)
			written[j] += float64(b.model.batchBytes()*int64(j-from) + b.model.LeafFixedBytes)
			pointers[j]++
			pointers[to+1]--
			from = j
		}
	}
	fill(0, last)
	alive := 0.0
	for t := 1; t <= last; t++ {
		alive += pointers[t]
		written[t] += written[t-1] + alive*float64(b.model.PointerBytes)
	}
	return written
}
