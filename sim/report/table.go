package report

import (
	"slices"
	"strconv"
)

// column is a figure of a policy in tables and CSV.
type column struct {
	// name heads it in CSV, title in tables; unit says more.
	name, title, unit string
	// of is the figure; ok is false where it was not counted.
	of   func(e entry) (v float64, ok bool)
	text func(float64) string
	// short says that the column is in the table for terminals too.
	short string
}

func always(f func(entry) float64) func(entry) (float64, bool) {
	return func(e entry) (float64, bool) { return f(e), true }
}

// counted leaves out zeros that mean that nothing was counted.
func counted(f func(entry) float64) func(entry) (float64, bool) {
	return func(e entry) (float64, bool) { v := f(e); return v, v != 0 }
}

func whole(v float64) string { return countText(int64(v)) }

// columns are all figures of a policy that are single numbers.
func columns() []column {
	cs := []column{
		{"commits", "commits", "of writers", always(func(e entry) float64 { return float64(e.Commits) }), whole, ""},
		{"maintenance_commits", "maintenance", "commits", always(func(e entry) float64 { return float64(e.Maintenance) }), whole, ""},
		{"files", "files", "at the end", always(func(e entry) float64 { return float64(e.Files) }), whole, ""},
		{"objective_bytes", "write cost", "bytes and requests a commit", counted(func(e entry) float64 { return e.Objective }), bytesText, "write cost"},
	}
	cs = append(cs, spreadColumns("commit_bytes", "commit", func(e entry) Spread { return e.CommitBytes })...)
	cs = append(cs, spreadColumns("maintenance_bytes", "maintenance", func(e entry) Spread { return e.MaintenanceBytes })...)
	cs = append(cs, spreadColumns("rewritten_bytes", "rewritten", func(e entry) Spread { return e.RewrittenBytes })...)
	cs = append(cs, spreadColumns("root_bytes", "root", func(e entry) Spread { return e.RootBytes })...)
	cs = append(cs,
		column{"leaves", "leaves", "at the end", always(func(e entry) float64 { return float64(e.Leaves) }), whole, "leaves"},
		column{"objects_per_commit", "objects", "a commit", counted(func(e entry) float64 { return e.Objects }), digits, "objects"},
		column{"retained_bytes", "retained", "bytes of all snapshots kept", counted(func(e entry) float64 { return float64(e.RetainedBytes) }), bytesText, "retained"},
		column{"retained_snapshots", "snapshots", "kept", always(func(e entry) float64 { return float64(e.Window) }), whole, ""},
		column{"ratio_to_bound", "× bound", "beyond the roots' fixed price", counted(func(e entry) float64 { return e.RatioToBound }), digits, "× bound"},
	)
	cs = append(cs, scanColumns("plan_of_everything", "everything", "plan all", "", func(e entry) Scan { return e.Everything })...)
	cs = append(cs, scanColumns("plan_of_one_partition", "one partition", "plan one", "opened", func(e entry) Scan { return e.OnePartition })...)
	cs = append(cs, scanColumns("lookup_of_one_file", "one file", "lookup", "", func(e entry) Scan { return e.Lookup })...)
	for _, x := range []struct {
		name, title string
		of          func(Exponents) float64
	}{
		{"commit_bytes", "commit", func(x Exponents) float64 { return x.CommitBytes }},
		{"root_bytes", "root", func(x Exponents) float64 { return x.RootBytes }},
		{"leaves", "leaves", func(x Exponents) float64 { return x.Leaves }},
		{"retained_bytes", "retained", func(x Exponents) float64 { return x.Retained }},
	} {
		cs = append(cs, column{"growth_exponent_" + x.name, "growth of " + x.title, "exponent",
			always(func(e entry) float64 { return x.of(e.Exponents) }), digits, ""})
	}
	return cs
}

func spreadColumns(name, title string, of func(entry) Spread) []column {
	short := map[string]string{"commit_bytes_p99": "p99", "commit_bytes_max": "largest", "root_bytes_max": "root"}
	var cs []column
	for _, p := range []struct {
		name, unit string
		of         func(Spread) float64
	}{
		{"mean", "mean bytes", func(s Spread) float64 { return s.Mean }},
		{"p50", "median bytes", func(s Spread) float64 { return float64(s.P50) }},
		{"p99", "99th percentile", func(s Spread) float64 { return float64(s.P99) }},
		{"max", "largest", func(s Spread) float64 { return float64(s.Max) }},
	} {
		cs = append(cs, column{name + "_" + p.name, title, p.unit, always(func(e entry) float64 { return p.of(of(e)) }), bytesText, short[name+"_"+p.name]})
	}
	return cs
}

func scanColumns(name, title, short, opened string, of func(entry) Scan) []column {
	has := func(f func(Scan) float64) func(entry) (float64, bool) {
		return func(e entry) (float64, bool) { return f(of(e)), of(e) != Scan{} }
	}
	return []column{
		{name + "_leaves_opened", title, "leaves opened", has(func(s Scan) float64 { return s.LeavesOpened }), numberText, opened},
		{name + "_bytes_read", title, "bytes read", has(func(s Scan) float64 { return s.BytesRead }), bytesText, short},
	}
}

// rates are the rates at which contention was counted, over all workloads, in order.
func rates(ws ...Workload) []float64 {
	var all []float64
	for _, w := range ws {
		for _, r := range w.Policies {
			for _, c := range r.Contention {
				all = append(all, c.CommitsPerSecond)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// attemptColumns are the expected attempts at each of the rates.
func attemptColumns(rates []float64) []column {
	var cs []column
	for _, rate := range rates {
		s := strconv.FormatFloat(rate, 'g', -1, 64)
		cs = append(cs, column{"attempts_at_" + s + "_per_second", "attempts", "beside " + s + " commits/s", func(e entry) (float64, bool) {
			for _, c := range e.Contention {
				if c.CommitsPerSecond == rate {
					return c.Attempts, true
				}
			}
			return 0, false
		}, numberText, ""})
	}
	return cs
}
