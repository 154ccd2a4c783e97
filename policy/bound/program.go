package bound

import (
	"fmt"
	"math"
)

// The most that a [Program] works through: steps are its commits times the segments that each looks at.
const (
	MaxProgramCommits = 1_000_000
	MaxProgramSteps   = 2_000_000_000
)

// Program finds the cheapest plans that keep the files of each commit together and merge the files of consecutive
// commits: what the cheapest one writes for n commits in bytes beyond the fixed price of the roots, and its pushes. In
// plans of this kind the components stand in a row by age, and a push takes all that is younger than some commit. Let j be
// the commit that makes the oldest component of the end:
//
//	A(n) = min( k*l*n*(n+1)/2,
//	            min over j of A(j-1) + A(n-j) + k*d*j + c*F + c*p*(n-j+1) ), c = ceil(j*k/L), A(0) = 0.
//
// The first case leaves all loose, at l bytes a file.
//
// # Fast, and exact
//
// The plain program looks at every j for every n. This one looks at few. For all j with one c, what is minimized is a
// line in j plus A(j-1) + A(n-j), so with the lower convex hull of A in place of A it is convex in j and no higher. From the
// best j of the horizon before, the walk in each direction ends where this lower curve does not fall any more and has
// reached the best plan found: nothing beyond can be better. A itself is nearly convex, so the walks are short. Nothing
// is assumed of A: if it were far from convex, the walks would be long.
//
// If k divides L, only c = 1 is looked at: with M = L/k a component of several leaves is no better than a full leaf of M
// commits and the rest. And once the oldest leaf of the best plan has been a full one for M horizons in a row it always
// is, so that
//
//	A(n+M) = A(n) + A(M-1) + k*d*M + F + p*(n+1),
//
// and all longer horizons are known too. docs/policy.md has the proofs.
//
// The zero Program is invalid; [NewProgram] makes one. A Program must not be used concurrently with Extend.
type Program struct {
	model Model
	// full is M, the commits of a full leaf, or 0 if k does not divide L.
	full int64
	// repeated counts the last horizons in a row for which a full leaf first is best.
	repeated int64
	bytes    []int64
	pushes   []int32
	lower    hull
	parts    []segment
}

// segment are the choices of the oldest component with one number of leaves.
type segment struct {
	// from and to are the first and the last number of commits.
	from, to int32
	// near is where the lower curve was lowest for the horizon before.
	near   int32
	leaves int64
}

// NewProgram returns the program of a model, for no commits yet. The model must be valid.
func NewProgram(m Model) (*Program, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	p := &Program{model: m}
	if m.LeafEntries%m.FilesPerCommit == 0 {
		p.full = m.LeafEntries / m.FilesPerCommit
	}
	p.bytes, p.pushes = []int64{0}, []int32{0}
	p.lower.add(0)
	return p, nil
}

// Commits returns the longest horizon that the program has worked out. If it is [Program.Settled] it knows all others too.
func (p *Program) Commits() int { return len(p.bytes) - 1 }

// Bytes returns what the cheapest plan for so many commits writes beyond the fixed price of the roots. The horizon must be
// one that Extend has reached.
func (p *Program) Bytes(commits int64) int64 {
	known := int64(p.Commits())
	if commits <= known || !p.Settled() {
		return p.bytes[commits]
	}
	turns := (commits-known-1)/p.full + 1
	start := commits - turns*p.full
	return p.bytes[start] + turns*(p.fullLeafBytes()+p.model.PointerBytes*(start+1)) +
		p.model.PointerBytes*p.full*(turns*(turns-1)/2)
}

// fullLeafBytes is what the commits of a full leaf cost but for its pointer.
func (p *Program) fullLeafBytes() int64 {
	return p.bytes[p.full-1] + p.model.batchBytes()*p.full + p.model.LeafFixedBytes
}

// Settled reports whether longer horizons repeat what is known, so that nothing is left to work out.
func (p *Program) Settled() bool { return p.full > 0 && p.repeated >= p.full }

// Pushes returns a cheapest plan for so many commits: how many commits' files, up to its own, each commit writes into new
// leaves. At 0 its own stay loose. The horizon must be one that Extend has reached.
func (p *Program) Pushes(commits int) []int {
	plan := make([]int, commits)
	var fill func(first, n int)
	fill = func(first, n int) {
		for n > 0 {
			j := int(p.full)
			if n <= p.Commits() || !p.Settled() {
				j = int(p.pushes[n])
			}
			if j == 0 {
				return
			}
			fill(first, j-1)
			plan[first+j-1] = j
			first, n = first+j, n-j
		}
	}
	fill(0, commits)
	return plan
}

// Extend works on to so many commits, or until the program is settled. It refuses, and then nothing has changed, what is too
// large to count ([ErrTooLarge]) and what would take long.
func (p *Program) Extend(commits int64) error {
	if err := p.Check(commits); err != nil {
		return err
	}
	for int64(p.Commits()) < min(commits, MaxProgramCommits) && !p.Settled() {
		p.step(int32(p.Commits() + 1))
	}
	if commits > MaxProgramCommits && !p.Settled() {
		return fmt.Errorf("bound: %d commits: the program has worked out %d and no longer horizons follow from them", commits, p.Commits())
	}
	return nil
}

// Check reports why Extend would refuse so many commits, if that is known before the work.
func (p *Program) Check(commits int64) error {
	m := p.model
	k, d, f := float64(m.FilesPerCommit), float64(m.EntryBytes), float64(m.LeafFixedBytes)
	pointer, perLeaf := float64(m.PointerBytes), k/float64(m.LeafEntries)
	// Twice a plan that pushes each commit by itself, and a component of all commits.
	sums := func(n float64) float64 {
		leaf := f + pointer*(n+1)
		return 2*n*(k*d+leaf*(perLeaf+1)) + k*d*n + leaf*(n*perLeaf+1)
	}
	err := m.check(commits, func(n float64) float64 {
		worked := min(n, MaxProgramCommits)
		// What follows has as many full leaves more as fit, and their pointers.
		return sums(worked) + n*perLeaf*(sums(min(worked, 1/perLeaf))+2*pointer*n)
	})
	if err != nil {
		return err
	}
	if commits > MaxProgramCommits && (p.full == 0 || p.full > MaxProgramCommits/2) {
		return fmt.Errorf("bound: %d commits of %d files in leaves of %d, the program works out %d and no longer horizons follow from them",
			commits, m.FilesPerCommit, m.LeafEntries, MaxProgramCommits)
	}
	if p.full > 0 {
		return nil
	}
	n := float64(commits)
	if steps := n / 2 * min(n, n*perLeaf); steps > MaxProgramSteps {
		return fmt.Errorf("bound: %d commits of %d files in leaves of %d take the program %.0f steps, it makes at most %d",
			commits, m.FilesPerCommit, m.LeafEntries, steps, MaxProgramSteps)
	}
	return nil
}

// step finds the cheapest plan for n commits from those for fewer.
func (p *Program) step(n int32) {
	p.grow(n)
	best := choice{bytes: p.model.looseBytes(int64(n))}
	for i := range p.parts {
		best = p.walk(&p.parts[i], n, best)
	}
	p.bytes = append(p.bytes, best.bytes)
	p.pushes = append(p.pushes, best.push)
	p.lower.add(best.bytes)
	p.repeat(int64(n))
}

// repeat counts the horizons in a row for which a full leaf first is best.
func (p *Program) repeat(n int64) {
	if p.full > 0 && n >= p.full && p.bytes[n] == p.bytes[n-p.full]+p.fullLeafBytes()+p.model.PointerBytes*(n-p.full+1) {
		p.repeated++
	} else {
		p.repeated = 0
	}
}

// choice is the oldest component of a plan, 0 commits if all is loose, and what the plan costs.
type choice struct {
	bytes int64
	push  int32
}

// grow lets the oldest component have n commits.
func (p *Program) grow(n int32) {
	leaves := (int64(n)*p.model.FilesPerCommit-1)/p.model.LeafEntries + 1
	last := len(p.parts) - 1
	switch {
	case last >= 0 && p.parts[last].leaves == leaves:
		p.parts[last].to = n
	case last < 0 || p.full == 0:
		p.parts = append(p.parts, segment{from: n, to: n, near: n, leaves: leaves})
	}
}

// walk looks for a better plan for n commits among the choices of a segment.
func (p *Program) walk(s *segment, n int32, best choice) choice {
	m, floor := &p.model, p.lower.floor
	pointers := m.PointerBytes * s.leaves
	perCommit := m.batchBytes() - pointers
	fixed := s.leaves*m.LeafFixedBytes + pointers*(int64(n)+1)
	lowest := int64(math.MaxInt64)
	start := s.near
	// look returns the lower curve at j, and keeps the choice if it is better.
	look := func(j int32) int64 {
		rest := fixed + perCommit*int64(j)
		low := floor[j-1] + floor[n-j] + rest
		if low < best.bytes {
			if bytes := p.bytes[j-1] + p.bytes[n-j] + rest; bytes < best.bytes {
				best = choice{bytes, j}
			}
		}
		if low < lowest {
			lowest, s.near = low, j
		}
		return low
	}
	low := look(start)
	for j, at := start, low; j < s.to && (at < best.bytes || p.slope(j, n, perCommit) < 0); {
		j++
		at = look(j)
	}
	for j, at := start, low; j > s.from && (at < best.bytes || p.slope(j-1, n, perCommit) > 0); {
		j--
		at = look(j)
	}
	return best
}

// slope is below, at or above zero as the lower curve of n commits falls, stays or rises from j to j+1.
func (p *Program) slope(j, n int32, perCommit int64) int64 {
	return compareShifted(p.lower.slopes[j-1], perCommit, p.lower.slopes[n-j-1])
}
