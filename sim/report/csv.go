package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

// CSV writes a line for each workload and policy, with all figures that are single numbers. What was not counted is empty. Foreign words
// that a spreadsheet would take for a formula get an apostrophe in front.
func CSV(w io.Writer, c Comparison) error {
	figures := append(columns(), attemptColumns(rates(c.Workloads...))...)
	head := []string{"workload", "policy", "settings", "problem", "model", "columns", "pace", "seed", "root_fixed_bytes", "request_bytes"}
	for _, f := range figures {
		head = append(head, f.name)
	}
	head = append(head, "on_pareto_front", "chosen", "breaks_a_limit")
	lines := [][]string{head}
	for i, all := range entries(c) {
		choice := choose(all)
		for _, e := range all {
			settings := ""
			if len(e.Settings) > 0 {
				data, err := json.Marshal(e.Settings)
				if err != nil {
					return err
				}
				settings = clean(string(data))
			}
			line := []string{harmless(c.Workloads[i].Name), harmless(e.Policy), settings, harmless(e.Problem), harmless(c.Model), strconv.Itoa(c.Columns),
				strconv.FormatInt(c.Pace, 10), strconv.FormatUint(c.Seed, 10), strconv.FormatInt(c.RootFixedBytes, 10), strconv.FormatInt(c.RequestBytes, 10)}
			for _, f := range figures {
				cell := ""
				if v, ok := f.of(e); ok {
					cell = strconv.FormatFloat(v, 'f', -1, 64)
				}
				line = append(line, cell)
			}
			line = append(line, strconv.FormatBool(slices.Contains(choice.Front, e.label)), strconv.FormatBool(choice.Policy == e.label),
				strconv.FormatBool(!e.keeps()))
			lines = append(lines, line)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// PointsCSV writes a line for each workload, policy and point on the way, and one for each point of a bound, whose policy is empty.
func PointsCSV(w io.Writer, c Comparison) error {
	lines := [][]string{{"workload", "policy", "settings", "commits", "files", "commit_bytes", "root_bytes", "leaves", "scan_bytes", "retained_bytes"}}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, wl := range c.Workloads {
		for _, b := range wl.Bound {
			lines = append(lines, []string{harmless(wl.Name), "", "", whole(b.Commits), whole(b.Files), strconv.FormatFloat(b.CommitBytes, 'f', -1, 64), "", "", "", ""})
		}
		for _, r := range wl.Policies {
			for _, p := range r.Points {
				lines = append(lines, []string{harmless(wl.Name), harmless(r.Policy), harmless(r.settings()), whole(p.Commits), whole(p.Files),
					strconv.FormatFloat(p.CommitBytes, 'f', -1, 64), whole(p.RootBytes), whole(p.Leaves), whole(p.ScanBytes), whole(p.RetainedBytes)})
			}
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// harmless keeps a spreadsheet from running foreign words.
func harmless(s string) string {
	s = clean(s)
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r") {
		return "'" + s
	}
	return s
}
