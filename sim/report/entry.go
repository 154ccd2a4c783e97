package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// known are the policies that look the same in every report; others take what is left in the order in which they come.
var known = []string{"adaptive", "tiered", "leveled", "sqrt", "when-full", "cap", "never", "merge-append"}

// entry is a result with the name and the looks that it has throughout a report.
type entry struct {
	*Result
	// label is the policy's name, with its settings where the name alone does not tell it from another.
	label string
	// look decides about colour, symbol and dashes.
	look int
}

// settings writes the settings of a result, sorted, without the prefix that all of them share.
func (r *Result) settings() string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(r.Settings)) {
		all = append(all, strings.TrimPrefix(k, "firn.policy.")+"="+r.Settings[k])
	}
	return strings.Join(all, ", ")
}

// keeps says whether the policy came to the end and kept its roots within [RootLimit].
func (r *Result) keeps() bool { return r.Problem == "" && r.RootBytes.Max <= RootLimit }

// entries are the results of each workload, under their names.
func entries(c Comparison) [][]entry {
	crowded := false
	for _, w := range c.Workloads {
		seen := map[string]bool{}
		for _, r := range w.Policies {
			crowded = crowded || seen[r.Policy]
			seen[r.Policy] = true
		}
	}
	looks, free := map[string]int{}, len(known)
	all := make([][]entry, len(c.Workloads))
	for i, w := range c.Workloads {
		times := map[string]int{}
		for j := range w.Policies {
			r := &w.Policies[j]
			e := entry{Result: r, label: clean(r.Policy)}
			if s := r.settings(); crowded && s != "" {
				e.label += " (" + clean(s) + ")"
			}
			times[e.label]++
			if n := times[e.label]; n > 1 {
				e.label += fmt.Sprintf(" #%d", n)
			}
			look, ok := looks[e.label]
			if !ok {
				if look = slices.Index(known, e.label); look < 0 {
					look = free
					free++
				}
				looks[e.label] = look
			}
			e.look = look
			all[i] = append(all[i], e)
		}
	}
	return all
}
