// Package outlook says what the cheapest plan would do now if a table went on growing as it does. It knows numbers alone.
package outlook

import (
	"math"
	"slices"
)

// Outlook answers what to do now if the table goes on as it does: which leaves to write again together with the loose files. It is
// the program of policy/bound from the middle of a table on: components (what one push writes) stand in a row, and a push takes all
// from some component on. All numbers are bytes, files and commits.
//
// Nobody knows how many commits will come. The outlook plans for [lookAhead] times as many as are behind.
type Outlook struct {
	// Files is how many files a commit adds, and Age how many such commits made the table.
	Files, Age float64
	// Loose, Entry, Pointer and Fixed are prices: of a file in the root and in a leaf, of a pointer, of a leaf.
	Loose, Entry, Pointer, Fixed float64
	// Full is the most files of a leaf, and Target those of a full leaf in a small table.
	Target, Full float64
}

// The tuned numbers of an outlook, found by counting tables of 1 to 1,000 files a commit (docs/policy.md).
const (
	// lookAhead is the horizon, in ages of the table.
	lookAhead = 2
	// worthMoving is the share of the age that a pointer must be saved for to pay for writing its files again.
	worthMoving = 0.7
	// worthFilling is that share as long as all files would fit into one leaf: little is written again then, and merges pay for longer.
	worthFilling = 1
	// worthGrowing is that share for a leaf that was full in a smaller table: there are many of them, and all would be written again at
	// once.
	worthGrowing = 0.2
)

// component is what one push of a plan takes together: a leaf or several like ones, or the loose files.
type component struct {
	// files are the live files, leaves the number of leaves, and rent what a commit pays for it.
	files  float64
	leaves int
	rent   float64
}

// Nothing is the answer that loose files stay loose.
const Nothing = -1

// Leaf is a leaf that may be written again: its live files, its pointer's bytes, what these, its masked rows and the statistics that its
// pointer lacks cost a commit, and what the latter two have cost so far.
type Leaf struct{ Files, Pointer, Rent, Spent float64 }

// Push returns how many of the leaves are to be written again with the loose files, or [Nothing]. The leaves that pay soonest come
// first, see [Outlook.Wait].
func (o Outlook) Push(loose float64, leaves []Leaf) int {
	sum, n := loose, 0
	for n < len(leaves) && o.Pays(leaves[n]) && sum+leaves[n].Files <= o.Full {
		sum += leaves[n].Files
		n++
	}
	horizon := math.Ceil(lookAhead * o.Age)
	if o.Pays(Leaf{Files: o.Files, Pointer: o.Pointer}) {
		// A leaf is full too if the next one does not fit that should go into a larger one.
		if sum+o.Files > o.Full || n < len(leaves) && o.Pays(leaves[n]) && leaves[n].Files <= o.Full/2 {
			if n < 2 && loose == 0 {
				return Nothing
			}
			return n
		}
		// Where even a full leaf would pay to be written again, the one that is being filled will take all of these at its end, and
		// plans matter until then. Otherwise what becomes a leaf now may stay one, full or not.
		if o.Pays(Leaf{Files: o.Full, Pointer: o.Pointer}) {
			horizon = min(horizon, math.Floor((o.Full-sum)/o.Files))
		}
	}
	return o.plan(o.components(loose, sum, leaves[:n]), horizon)
}

// Pays reports whether to write a leaf again costs less than its pointer does in time, with what its masked rows have cost. What these
// will cost is not counted: they may be folded soon anyway.
func (o Outlook) Pays(l Leaf) bool { return l.Files*o.Entry <= o.Worth(l) }

// Repays reports whether bytes that are written once pay if each commit saves so many.
func (o Outlook) Repays(paid, saved float64) bool { return paid <= worthMoving*o.Age*saved }

// Worth is what it is worth to write a leaf again, in bytes.
func (o Outlook) Worth(l Leaf) float64 {
	share := worthMoving
	switch {
	case o.Files*o.Age <= o.Full:
		share = worthFilling
	case l.Files > o.Target/2 && o.Target < o.Full:
		share = worthGrowing
	}
	return share*o.Age*l.Pointer + l.Spent
}

// IsFull reports whether a leaf is full or nearly so: to fill it up would write it again for the few files that it lacks, as after each file
// that is masked in a full one.
func (o Outlook) IsFull(l Leaf) bool { return l.Files > o.Full/8*7 }

// Wait orders leaves by the price of writing them again for what that is worth: those that pay soonest come first. Without masked rows
// these are the smallest; one of which much is masked comes before others of its size.
func (o Outlook) Wait(l Leaf) float64 { return l.Files / o.Worth(l) }

// components groups leaves so that each is at least a tenth of all or 15 % of those before it: finer plans cost time and save no bytes. Those that pay soonest come last, and the loose files after them.
func (o Outlook) components(loose, sum float64, leaves []Leaf) []component {
	var groups []component
	if loose > 0 {
		groups = append(groups, component{files: loose, rent: loose * o.Loose})
	}
	var open component
	before := loose
	for i, l := range leaves {
		open.files += l.Files
		open.leaves++
		open.rent += l.Rent
		if open.files >= sum/10 || open.files >= before*0.15 || i == len(leaves)-1 {
			groups = append(groups, open)
			before += open.files
			open = component{}
		}
	}
	slices.Reverse(groups)
	return groups
}

// plan finds the cheapest way through the horizon that begins with these components, and returns how many leaves it writes again
// now, or [Nothing]. Time 0 is this commit; at time t there are t commits more.
//
// Let best[x] be the least for the commits before time x, at whose end all components from the i-th on become one. Such a component
// has either stayed till then, or was written again with all after it, for the last time at some y:
//
//	best_i[x] = min( rent_i till x + best_i+1[x],
//	                 min over y < x of best_i[y] + entries * files till y + F*c + p*c from y to x + A from y to x )
//
// where A is what commits on their own cost, see [Outlook.alone], and c the number of leaves.
func (o Outlook) plan(stack []component, horizon float64) int {
	if len(stack) == 0 || horizon < 1 {
		return Nothing
	}
	times := grid(horizon)
	alone := o.alone(times)
	best, now := make([]float64, len(times)), make([]int, len(times))
	for x := range times {
		best[x], now[x] = alone[0][x], Nothing
	}
	before, first := make([]float64, len(times)), make([]int, len(times))
	written, pointers := make([]float64, len(times)), make([]float64, len(times))
	files, leaves := 0.0, 0
	for i := len(stack) - 1; i >= 0; i-- {
		files += stack[i].files
		leaves += stack[i].leaves
		for x := range times {
			before[x], first[x] = stack[i].rent*times[x]+best[x], now[x]
			for y := range x {
				if cost := written[y] + pointers[y]*(times[x]-times[y]) + alone[y][x]; cost < before[x] {
					before[x], first[x] = cost, first[y]
					if y == 0 {
						first[x] = leaves
					}
				}
			}
			all := files + o.Files*times[x]
			c := math.Ceil(all / o.Full)
			written[x], pointers[x] = before[x]+o.Entry*all+c*o.Fixed, c*o.Pointer
		}
		best, before, now, first = before, best, first, now
	}
	return now[len(times)-1]
}

// alone returns, for each two times, what the commits between them cost on their own: those that come after the first one and before
// the second, whose files have not yet been written together with any before.
func (o Outlook) alone(times []float64) [][]float64 {
	a := o.fresh(times)
	all, cells := make([][]float64, len(times)), make([]float64, len(times)*len(times))
	for y := range times {
		all[y] = cells[y*len(times) : (y+1)*len(times)]
		near := 0
		for x := y + 1; x < len(times); x++ {
			all[y][x], near = a.at(times[x]-times[y]-1, near)
		}
	}
	return all
}

// series is a function of whole numbers, known at some from 0 on and a line between them.
type series struct{ at0, values []float64 }

// at returns the value at x, which must not be beyond the last known one, and the place of x among the known ones. The search begins
// at a place near it.
func (s series) at(x float64, near int) (value float64, place int) {
	last := len(s.values) - 1
	if last == 0 {
		return s.values[0], 0
	}
	i := min(near, last-1)
	for i < last-1 && s.at0[i+1] <= x {
		i++
	}
	for i > 0 && s.at0[i] > x {
		i--
	}
	return s.values[i] + (x-s.at0[i])/(s.at0[i+1]-s.at0[i])*(s.values[i+1]-s.values[i]), i
}

// fresh returns A of policy/bound, what a table costs that begins now, up to some numbers of commits: its program on few horizons.
func (o Outlook) fresh(horizons []float64) series {
	a := series{at0: horizons, values: make([]float64, 1, len(horizons))}
	batch := o.Files * o.Entry
	for _, n := range horizons[1:] {
		least := o.Files * o.Loose * n * (n + 1) / 2
		last, lastBytes := a.at0[len(a.values)-1], a.values[len(a.values)-1]
		// What is before the first component, and after it: near are the places where they were looked up last.
		near, nearRest := 0, len(a.values)
		try := func(j float64) {
			if j < 1 || j > n || j-1 > last {
				return
			}
			c := math.Ceil(j * o.Files / o.Full)
			var own, rest float64
			own, near = a.at(j-1, near)
			own = own + batch*j + c*(o.Fixed+o.Pointer*(n-j+1))
			if n-j <= last {
				rest, nearRest = a.at(n-j, nearRest)
				least = min(least, own+rest)
			} else { // between the last known horizon and this one A is a line too
				least = min(least, lastBytes+own*(n-last)/j)
			}
		}
		try(math.Floor(o.Full / o.Files))
		for i := range a.values {
			try(a.at0[i])
			if i == len(a.values)-1 || a.at0[i+1] > a.at0[i]+1 {
				try(a.at0[i] + 1)
			}
		}
		near, nearRest = len(a.values), 0
		for i := range a.values {
			try(n - a.at0[i])
		}
		a.values = append(a.values, least)
	}
	return a
}

// grid returns 0, 1, 2 and on, with steps that grow with the number, to a horizon.
func grid(horizon float64) []float64 {
	times := []float64{0}
	for t := 1.0; t < horizon; {
		times = append(times, t)
		switch {
		case t < 256:
			t = math.Max(t+1, math.Floor(t*1.15))
		default:
			t = math.Floor(t * 1.2)
		}
	}
	return append(times, horizon)
}
