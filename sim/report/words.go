package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// words says in sentences what the figures of one workload mean.
type words struct {
	// headline names the choice.
	headline string
	// points are the reasons, and what the choice costs elsewhere.
	points []string
}

// summary is the words of a workload. All of them are derived from the figures.
func summary(w Workload, all []entry) words {
	c := choose(all)
	var s words
	if len(all) == 0 {
		s.headline = "No policy was counted."
		return s
	}
	if c.Policy == "" {
		s.headline = "No policy kept all limits: none can be recommended."
		s.add(cheapest(w, all, c))
		s.add(brokenWords(c)...)
		return s
	}
	chosen := find(all, c.Policy)
	s.headline = "Choose " + c.Policy + "."
	s.add(reason(all, chosen, c))
	s.add(cheapest(w, all, c), cheapestReads(all, c), frontWords(all, c))
	if len(all)-len(c.Broken) > 1 {
		s.add(elsewhere(all, chosen), turnWords(all, c))
	}
	s.add(growthWords(chosen))
	s.add(brokenWords(c)...)
	return s
}

// add appends the sentences that have something to say.
func (s *words) add(sentences ...string) {
	for _, t := range sentences {
		if t != "" {
			s.points = append(s.points, t)
		}
	}
}

func find(all []entry, label string) entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.label == label })
	return all[i]
}

// costName says what the write cost is made of.
func costName(all []entry) string {
	for _, e := range all {
		if !positive(e.Objective) && e.Problem == "" {
			return "bytes"
		}
	}
	return "bytes and requests"
}

// times writes a multiple of the best.
func times(v, best float64) string {
	if v == best {
		return "the best"
	}
	return multiple(v/best) + " times the best"
}

// multiple writes a multiple so that a small excess can still be seen.
func multiple(v float64) string {
	if v > 1 && v < 1.005 {
		return strconv.FormatFloat(max(v, 1.0001), 'f', 4, 64)
	}
	return digits(v)
}

// reason says why the choice is the choice.
func reason(all []entry, chosen entry, c Choice) string {
	write := writeCost(all)
	parts := []string{"its writes are " + times(write(chosen), c.Write.Bytes)}
	for _, p := range []struct {
		what string
		at   measure
		best Best
	}{
		{"reads to plan everything", everything, c.Everything},
		{"to plan one partition", onePartition, c.OnePartition},
		{"to look up one file", lookup, c.Lookup},
	} {
		if len(p.best.Policies) > 0 && positive(p.at(chosen)) {
			parts = append(parts, p.what+" "+times(p.at(chosen), p.best.Bytes))
		}
	}
	kept := len(all) - len(c.Broken)
	if kept == 1 {
		return "It is the only one that keeps the limits: " + strings.Join(parts, ", ") + "."
	}
	return fmt.Sprintf("Of the %d that keep the limits it has the least product of write and read cost: %s.", kept, strings.Join(parts, ", "))
}

// cheapest says which policy writes least, how far from the bound that is, and how it would be if requests counted nothing.
func cheapest(w Workload, all []entry, c Choice) string {
	if len(c.Write.Policies) == 0 {
		return ""
	}
	e := find(all, c.Write.Policies[0])
	s := fmt.Sprintf("Cheapest to write: %s, %s of %s a commit", named(all, c.Write), bytesText(c.Write.Bytes), costName(all))
	if len(w.Bound) > 0 && e.RatioToBound > 0 {
		s += fmt.Sprintf(", %s times the lower bound beyond the fixed price of roots", digits(e.RatioToBound))
	}
	s += "."
	least := best(finished(all), commitBytes)
	if costName(all) == "bytes" || len(least.Policies) == 0 {
		return s
	}
	s += fmt.Sprintf(" If requests cost nothing: %s, %s a commit", named(all, least), bytesText(least.Bytes))
	switch {
	case len(all)-len(c.Broken) < 2:
		return s + "."
	case !slices.Contains(least.Policies, c.Policy):
		s += fmt.Sprintf("; %s writes %s, %s times as much", c.Policy, bytesText(find(all, c.Policy).CommitBytes.Mean),
			multiple(find(all, c.Policy).CommitBytes.Mean/least.Bytes))
	}
	if c.InBytes == c.Policy {
		return s + ". The choice would be the same."
	}
	return s + ". The choice would then be " + c.InBytes + "."
}

// cheapestReads says which policy reads least, and which of those that keep the limits if that is another one.
func cheapestReads(all []entry, c Choice) string {
	kept := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !e.keeps() })
	var any, within reads
	for _, p := range []struct {
		what string
		best Best
		at   measure
	}{{"everything", c.Everything, everything}, {"one partition", c.OnePartition, onePartition}, {"one file", c.Lookup, lookup}} {
		any.add(named(all, p.best), p.what, p.best)
		if b := best(kept, p.at); b.Bytes != p.best.Bytes {
			within.add(named(all, b), p.what, b)
		}
	}
	if len(any.parts) == 0 {
		return ""
	}
	s := "Cheapest to read: " + any.String()
	if len(within.parts) > 0 {
		s += "; of those that keep the limits " + within.String()
	}
	return s + "."
}

// reads gathers what is cheapest to read under the names of who is.
type reads struct {
	names []string
	parts [][]string
}

func (r *reads) add(name, what string, b Best) {
	if len(b.Policies) == 0 {
		return
	}
	i := slices.Index(r.names, name)
	if i < 0 {
		i = len(r.names)
		r.names, r.parts = append(r.names, name), append(r.parts, nil)
	}
	r.parts[i] = append(r.parts[i], what+" ("+bytesText(b.Bytes)+")")
}

func (r *reads) String() string {
	var all []string
	for i, name := range r.names {
		all = append(all, name+" for "+list(r.parts[i], "and"))
	}
	return strings.Join(all, "; ")
}

// named lists the best, and says which of them broke a limit.
func named(all []entry, b Best) string {
	names := slices.Clone(b.Policies)
	for i, p := range names {
		if !find(all, p).keeps() {
			names[i] += " (over the limit)"
		}
	}
	return list(names, "and")
}

// frontWords says what is on the front, and by whom the others are beaten.
func frontWords(all []entry, c Choice) string {
	if len(c.Front) == 0 {
		return ""
	}
	write := writeCost(all)
	s := "On the Pareto front of writing and planning everything: " + list(c.Front, "and") + "."
	var beaten []string
	for _, e := range all {
		if e.Problem != "" || slices.Contains(c.Front, e.label) || !positive(write(e)) || !positive(everything(e)) {
			continue
		}
		for _, f := range c.Front {
			if dominates(find(all, f), e, write, everything) {
				beaten = append(beaten, fmt.Sprintf("%s (%s writes %s and reads %s)", e.label, f,
					share(write(find(all, f)), write(e)), share(everything(find(all, f)), everything(e))))
				break
			}
		}
	}
	if len(beaten) > 0 {
		s += " Beaten at both: " + list(beaten, "and") + "."
	}
	return s
}

// share writes how a compares with b, which is at least as large.
func share(a, b float64) string {
	switch {
	case a == b:
		return "as much"
	case b/a >= 1.995:
		return digits(b/a) + " times less"
	case (b-a)/b < 0.0005:
		return "a little less"
	default:
		return fmt.Sprintf("%.1f %% less", (b-a)/b*100)
	}
}

// trait is a figure that a choice may cost.
type trait struct {
	name string
	of   func(entry) float64
	text func(float64) string
}

// traitsOf are the traits that decide nothing but matter.
func traitsOf(all []entry) []trait {
	ts := []trait{
		{"99th percentile of a commit", func(e entry) float64 { return float64(e.CommitBytes.P99) }, bytesText},
		{"largest commit", func(e entry) float64 { return float64(e.CommitBytes.Max) }, bytesText},
		{"largest root", func(e entry) float64 { return float64(e.RootBytes.Max) }, bytesText},
		{"objects a commit", func(e entry) float64 { return e.Objects }, digits},
		{"retained bytes", func(e entry) float64 { return float64(e.RetainedBytes) }, bytesText},
		{"leaves opened to plan everything", func(e entry) float64 { return e.Everything.LeavesOpened }, numberText},
		{"leaves opened to plan one partition", func(e entry) float64 { return e.OnePartition.LeavesOpened }, numberText},
	}
	var near []float64
	for _, e := range all {
		for _, r := range e.Contention {
			near = append(near, r.CommitsPerSecond)
		}
	}
	if len(near) == 0 {
		return ts
	}
	// One other commit a second is a busy table.
	rate := slices.MinFunc(near, func(a, b float64) int { return cmp.Compare(math.Abs(math.Log(a)), math.Abs(math.Log(b))) })
	attempts := attemptColumns([]float64{rate})[0]
	return append(ts, trait{"attempts beside " + strconv.FormatFloat(rate, 'g', -1, 64) + " commits a second",
		func(e entry) float64 { v, _ := attempts.of(e); return v }, numberText})
}

// elsewhere says what the choice costs at what it was not chosen for.
func elsewhere(all []entry, chosen entry) string {
	var parts []string
	for _, t := range traitsOf(all) {
		least, by := 0.0, ""
		for _, e := range all {
			if v := t.of(e); e.keeps() && positive(v) && (by == "" || v < least) {
				least, by = v, e.label
			}
		}
		if v := t.of(chosen); positive(v) && by != "" && v >= 1.05*least {
			parts = append(parts, fmt.Sprintf("%s %s, %s times that of %s", t.name, t.text(v), digits(v/least), by))
		}
	}
	if len(parts) == 0 {
		return "What it costs elsewhere: nothing; none that keeps the limits is 5 % better at anything counted here."
	}
	return "What it costs elsewhere: " + strings.Join(parts, "; ") + "."
}

// turnWords says how the cheapest depends on how much is read.
func turnWords(all []entry, c Choice) string {
	if len(c.Turns) == 0 {
		return ""
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !e.keeps() })
	what := "plan of everything"
	if !slices.ContainsFunc(kept, func(e entry) bool { return !positive(onePartition(e)) }) {
		what = "plan of one partition"
	}
	if len(c.Turns) == 1 {
		return fmt.Sprintf("However many %s come to a commit, %s costs least.", plans(what), c.Turns[0].Policy)
	}
	var parts []string
	for i, t := range c.Turns {
		switch {
		case i+1 == len(c.Turns):
			parts = append(parts, t.Policy+" beyond")
		case i == 0:
			parts = append(parts, fmt.Sprintf("%s costs least up to %s", t.Policy, plansText(c.Turns[1].Plans, what)))
		default:
			parts = append(parts, fmt.Sprintf("%s up to %s", t.Policy, plansText(c.Turns[i+1].Plans, what)))
		}
	}
	return "If a byte that a plan reads counts like one that a commit writes: " + list(parts, "and") + "."
}

// plansText writes how many plans come to a commit.
func plansText(v float64, what string) string {
	if v < 0.5 {
		return fmt.Sprintf("one %s in %s commits", what, numberText(1/v))
	}
	return fmt.Sprintf("%s %s a commit", digits(v), plans(what))
}

func plans(what string) string { return strings.Replace(what, "plan", "plans", 1) }

// growthWords says how the cost of the choice grows with the table.
func growthWords(chosen entry) string {
	if len(chosen.Points) < 2 || chosen.Exponents == (Exponents{}) {
		return ""
	}
	doubled := func(exponent float64) string {
		return fmt.Sprintf("%+.1f %%", (math.Exp2(exponent)-1)*100)
	}
	x := chosen.Exponents
	return fmt.Sprintf("Whenever its files double: bytes of a commit %s, root %s, leaves %s, retained bytes %s.", doubled(x.CommitBytes), doubled(x.RootBytes),
		doubled(x.Leaves), doubled(x.Retained))
}

// brokenWords says who broke which limit.
func brokenWords(c Choice) []string {
	var s, roots []string
	for _, b := range c.Broken {
		if b.LargestRoot > 0 {
			roots = append(roots, fmt.Sprintf("%s (%s)", b.Policy, bytesText(float64(b.LargestRoot))))
		}
	}
	if len(roots) > 0 {
		s = append(s, "Roots above "+bytesText(RootLimit)+": "+list(roots, "and")+".")
	}
	for _, b := range c.Broken {
		if b.Problem != "" {
			s = append(s, fmt.Sprintf("The policy %q did not come to the end, and its figures are left out of the choice. It stopped after %s: %s.", b.Policy, plural(b.Commits, "commit"),
				strings.TrimSuffix(b.Problem, ".")))
		}
	}
	return s
}

// list joins words as people do.
func list(parts []string, last string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:len(parts)-1], ", ") + " " + last + " " + parts[len(parts)-1]
	}
}
