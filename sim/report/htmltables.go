package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// policyCell names a row after its policy.
func policyCell(e entry) cellView {
	return cellView{Head: true, Swatch: swatch(e.look), Text: e.label}
}

// none is the cell of what was not counted.
var none = cellView{Text: "–"}

// cheap are the columns in which less is better and the least is marked.
var cheap = map[string]bool{
	"objective_bytes": true, "commit_bytes_mean": true, "commit_bytes_p50": true, "commit_bytes_p99": true, "commit_bytes_max": true, "root_bytes_max": true,
	"objects_per_commit": true, "retained_bytes": true, "plan_of_everything_bytes_read": true, "plan_of_one_partition_bytes_read": true,
	"plan_of_one_partition_leaves_opened": true, "lookup_of_one_file_bytes_read": true,
}

// figuresTable has all figures of all policies of a workload.
func figuresTable(w Workload, all []entry) tableView {
	t := tableView{Caption: "All figures of " + clean(w.Name) + ". Headings sort; a tick marks the least of the policies that came to the end, an exclamation mark a root over the limit.",
		Head: []headView{{Title: "policy"}, {Title: "verdict", Words: true}}}
	figures := append(columns(), attemptColumns(rates(w))...)
	// What nobody has would only make the table wider.
	figures = slices.DeleteFunc(figures, func(f column) bool {
		return !slices.ContainsFunc(all, func(e entry) bool { v, ok := f.of(e); return ok && v != 0 })
	})
	// What the table for terminals has comes first: the rest is out of sight on most screens.
	slices.SortStableFunc(figures, func(a, b column) int { return cmp.Compare(min(1, len(b.short)), min(1, len(a.short))) })
	done := finished(all)
	least := map[string]float64{}
	for _, f := range figures {
		t.Head = append(t.Head, headView{Title: f.title, Unit: f.unit})
		if cheap[f.name] {
			least[f.name] = best(done, func(e entry) float64 { v, _ := f.of(e); return v }).Bytes
		}
	}
	choice := choose(all)
	for _, e := range all {
		name := policyCell(e)
		if s := clean(e.settings()); s != "" {
			name.Note = s
		}
		row := []cellView{name, {Words: true, Text: verdict(e, choice)}}
		for _, f := range figures {
			v, ok := f.of(e)
			if !ok {
				row = append(row, none)
				continue
			}
			c := figure(v, f.text(v))
			switch {
			case f.name == "root_bytes_max" && v > RootLimit:
				c.Class = "bad"
			case e.Problem == "" && v > 0 && v == least[f.name]:
				c.Class = "best"
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// verdict is what a policy came to, in a word or two.
func verdict(e entry, c Choice) string {
	switch {
	case e.label == c.Policy:
		return "chosen"
	case e.Problem != "":
		return "stopped"
	case !e.keeps():
		return "over limit"
	case slices.Contains(c.Front, e.label):
		return "on the front"
	default:
		return "beaten"
	}
}

// pointsTable has a figure of each policy at each point.
func pointsTable(w Workload, all []entry, caption string, of func(Point) float64, bound bool) tableView {
	t := tableView{Caption: caption + " after so many commits", Head: []headView{{Title: "commits"}}}
	at := map[int64]map[int]float64{}
	set := func(commits int64, i int, v float64) {
		if at[commits] == nil {
			at[commits] = map[int]float64{}
		}
		at[commits][i] = v
	}
	bound = bound && len(w.Bound) > 0
	columns := len(all)
	for i, e := range all {
		t.Head = append(t.Head, headView{Title: e.label})
		for _, p := range e.Points {
			set(p.Commits, i, of(p))
		}
	}
	if bound {
		t.Head = append(t.Head, headView{Title: "lower bound"})
		for _, b := range w.Bound {
			set(b.Commits, columns, b.CommitBytes)
		}
		columns++
	}
	for _, commits := range slices.Sorted(maps.Keys(at)) {
		row := []cellView{figure(float64(commits), countText(commits))}
		for i := range columns {
			if v, ok := at[commits][i]; ok {
				row = append(row, figure(v, bytesText(v)))
			} else {
				row = append(row, none)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// timelineTable has the commits of a timeline that did more than to write a root; the others would only make it long.
func timelineTable(tl timeline) tableView {
	t := tableView{Caption: "Commits that wrote leaves, and maintenance",
		Head: []headView{{Title: "policy"}, {Title: "commit"}, {Title: "by", Words: true}, {Title: "bytes"}, {Title: "root"}, {Title: "pushed", Unit: "leaves"}, {Title: "merged", Unit: "leaves"},
			{Title: "folded", Unit: "leaves"}}}
	for _, e := range tl.panels {
		for _, m := range lastMoments(e) {
			if !slices.ContainsFunc(events, func(ev event) bool { return ev.of(m) }) {
				continue
			}
			by := "writer"
			if m.Maintenance {
				by = "maintenance"
			}
			t.Rows = append(t.Rows, []cellView{{Head: true, Text: e.label}, figure(float64(m.Commit), countText(m.Commit)), {Words: true, Text: by},
				figure(float64(m.Bytes), bytesText(float64(m.Bytes))), figure(float64(m.RootBytes), bytesText(float64(m.RootBytes))),
				figure(float64(m.Pushed), strconv.Itoa(m.Pushed)), figure(float64(m.Merged), strconv.Itoa(m.Merged)), figure(float64(m.Folded), strconv.Itoa(m.Folded))})
		}
	}
	return t
}

// scatterTable has the dots of a scatter.
func scatterTable(s scatter) tableView {
	t := tableView{Caption: s.title, Head: []headView{{Title: "policy"}, {Title: "write cost", Unit: "a commit"}, {Title: "bytes read"}, {Title: "on the Pareto front", Words: true}}}
	for _, d := range s.dots {
		on := "no"
		if d.onFront {
			on = "yes"
		}
		t.Rows = append(t.Rows, []cellView{policyCell(d.entry), figure(d.at.x, s.x.text(d.at.x)), figure(d.at.y, s.y.text(d.at.y)), {Words: true, Text: on}})
	}
	return t
}

// retriesTable has the expected attempts at each rate.
func retriesTable(w Workload, all []entry) tableView {
	t := tableView{Caption: "Expected attempts of a commit beside so many others a second", Head: []headView{{Title: "policy"}}}
	cs := attemptColumns(rates(w))
	for _, rate := range rates(w) {
		t.Head = append(t.Head, headView{Title: numberText(rate), Unit: "commits a second"})
	}
	if len(cs) == 0 {
		return t
	}
	for _, e := range all {
		row := []cellView{policyCell(e)}
		for _, f := range cs {
			if v, ok := f.of(e); ok {
				row = append(row, figure(v, f.text(v)))
			} else {
				row = append(row, none)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
