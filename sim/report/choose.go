package report

import (
	"cmp"
	"math"
	"slices"
)

// RootLimit is the most that a root should have: stores read that much in one request.
const RootLimit = 1 << 20

// Choice is what the figures of one workload say about which policy to choose.
type Choice struct {
	// Policy is the one whose writes and reads cost least together, among those that keep the limits. It is empty if all of them broke
	// one.
	Policy string
	// InBytes is what would be chosen if requests cost nothing.
	InBytes string
	// Write, Everything, OnePartition and Lookup are the cheapest at each of these, of all that came to the end.
	Write, Everything, OnePartition, Lookup Best
	// Front are those that no other beats both in writing and in planning everything, the cheapest to write first.
	Front []string
	// Turns says which policy is the cheapest, among those that keep the limits, if so many plans of one partition come to a commit.
	Turns []Turn
	// Broken are those that did not keep a limit.
	Broken []Broken
}

// Best is the cheapest of a workload at something. All that tie are named; none are if it was not counted.
type Best struct {
	Policies []string
	Bytes    float64
}

// Turn is where a policy begins to be the cheapest.
type Turn struct {
	// Plans are the plans for each commit from which on it is.
	Plans  float64
	Policy string
}

// Broken is a policy that did not keep a limit.
type Broken struct {
	Policy string
	// Problem says why it did not come to the end, after so many Commits; empty if it did.
	Problem string
	Commits int64
	// LargestRoot is its largest root if that is above [RootLimit], else 0.
	LargestRoot int64
}

// Choose says what the figures of a workload mean. Of the policies that keep the limits it takes the one with the least product of what
// it writes and what it reads, each as a multiple of the best; reads are the geometric mean of those that were counted. So a policy
// wins by being close to the best at both, and no price of a read is assumed.
func Choose(w Workload) Choice {
	return choose(entries(Comparison{Workloads: []Workload{w}})[0])
}

// measures are what a choice looks at.
type measure func(entry) float64

// writeCost is what a commit costs.
func writeCost(all []entry) measure {
	for _, e := range all {
		if !positive(e.Objective) && e.Problem == "" {
			return commitBytes
		}
	}
	return func(e entry) float64 { return e.Objective }
}

func commitBytes(e entry) float64  { return e.CommitBytes.Mean }
func everything(e entry) float64   { return e.Everything.BytesRead }
func onePartition(e entry) float64 { return e.OnePartition.BytesRead }
func lookup(e entry) float64       { return e.Lookup.BytesRead }

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// choose is [Choose] for results with their names.
func choose(all []entry) Choice {
	write := writeCost(all)
	var c Choice
	done := finished(all)
	var kept []entry
	for _, e := range all {
		if e.keeps() {
			kept = append(kept, e)
			continue
		}
		b := Broken{Policy: e.label, Problem: clean(e.Problem)}
		if b.Problem != "" {
			b.Commits = e.Commits
		}
		if e.RootBytes.Max > RootLimit {
			b.LargestRoot = e.RootBytes.Max
		}
		c.Broken = append(c.Broken, b)
	}
	c.Write, c.Everything = best(done, write), best(done, everything)
	c.OnePartition, c.Lookup = best(done, onePartition), best(done, lookup)
	for _, e := range front(done, write, everything) {
		c.Front = append(c.Front, e.label)
	}
	c.Policy, c.InBytes = together(kept, write), together(kept, commitBytes)
	scan, ok := commonScan(kept)
	if ok {
		c.Turns = turns(kept, write, scan)
	}
	return c
}

// finished are those that came to the end.
func finished(all []entry) []entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.Problem != "" })
}

// commonScan is the plan of one partition if all have it, else that of everything.
func commonScan(all []entry) (measure, bool) {
	for _, m := range []measure{onePartition, everything} {
		if len(all) > 0 && !slices.ContainsFunc(all, func(e entry) bool { return !positive(m(e)) }) {
			return m, true
		}
	}
	return nil, false
}

// best are the policies for which m is least.
func best(all []entry, m measure) Best {
	var b Best
	for _, e := range all {
		v := m(e)
		switch {
		case !positive(v):
		case len(b.Policies) == 0 || v < b.Bytes:
			b = Best{Policies: []string{e.label}, Bytes: v}
		case v == b.Bytes:
			b.Policies = append(b.Policies, e.label)
		}
	}
	return b
}

// dominates says whether a is at least as good as b at both, and better at one.
func dominates(a, b entry, x, y measure) bool {
	return x(a) <= x(b) && y(a) <= y(b) && (x(a) < x(b) || y(a) < y(b))
}

// front are those that none dominates, sorted by x.
func front(all []entry, x, y measure) []entry {
	all = slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !positive(x(e)) || !positive(y(e)) })
	var f []entry
	for _, e := range all {
		if !slices.ContainsFunc(all, func(o entry) bool { return dominates(o, e, x, y) }) {
			f = append(f, e)
		}
	}
	slices.SortStableFunc(f, func(a, b entry) int { return cmp.Compare(x(a), x(b)) })
	return f
}

// together is the policy with the least product of write and read, "" if there is none.
func together(all []entry, write measure) string {
	measures := []measure{everything, onePartition, lookup}
	measures = slices.DeleteFunc(measures, func(m measure) bool {
		return slices.ContainsFunc(all, func(e entry) bool { return !positive(m(e)) })
	})
	name, least := "", math.Inf(1)
	for _, e := range all {
		if !positive(write(e)) {
			continue
		}
		// A product of multiples orders like the product of the figures, and that like the sum of their logarithms.
		score := math.Log(write(e))
		for _, m := range measures {
			score += math.Log(m(e)) / float64(len(measures))
		}
		if score < least {
			name, least = e.label, score
		}
	}
	return name
}

// turns walks the lower hull of the front: with more plans for each commit, cheaper reads win over cheaper writes.
func turns(all []entry, write, scan measure) []Turn {
	f := front(all, write, scan)
	if len(f) == 0 {
		return nil
	}
	at := 0
	ts := []Turn{{Policy: f[0].label}}
	for {
		next, least := -1, math.Inf(1)
		for i := at + 1; i < len(f); i++ {
			saved := scan(f[at]) - scan(f[i])
			if saved <= 0 {
				continue
			}
			// Where several meet in one point, the last of them is the cheapest beyond.
			if plans := (write(f[i]) - write(f[at])) / saved; plans <= least {
				next, least = i, plans
			}
		}
		if next < 0 {
			return ts
		}
		at = next
		ts = append(ts, Turn{Plans: least, Policy: f[at].label})
	}
}
