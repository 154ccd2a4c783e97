package compare_test

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim/compare"
	"github.com/firn-io/firn/sim/report"
)

// all are all policies, or those named.
func all(t *testing.T, names ...string) []compare.Choice {
	t.Helper()
	if len(names) == 0 {
		names = append(choose.Names(), compare.PeerNames()...)
	}
	var choices []compare.Choice
	for _, name := range names {
		c, err := compare.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		choices = append(choices, c)
	}
	return choices
}

func workloads(t *testing.T, files int64, names ...string) []compare.Workload {
	t.Helper()
	var all []compare.Workload
	for _, name := range names {
		w, err := compare.WorkloadByName(name, files)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	return all
}

// TestComparison holds what every result must say, of all workloads under all policies.
func TestComparison(t *testing.T) {
	c := compare.Config{Workloads: workloads(t, 10, compare.WorkloadNames()...), Policies: all(t), Columns: 20, Pace: 1, Commits: 1000, Seed: 1, Window: 100}
	got, err := compare.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range got.Workloads {
		want := len(choose.Names()) // peers know of appends alone
		if w.Name == "stream" {
			want = len(c.Policies)
		}
		if (w.Name == "stream") != (len(w.Bound) > 0) || len(w.Policies) != want || w.About == "" {
			t.Errorf("%s: %d points of the bound, %d policies", w.Name, len(w.Bound), len(w.Policies))
		}
		for _, r := range w.Policies {
			holds(t, w, r)
		}
	}
	c.Workers = 1
	again, err := compare.Run(t.Context(), c)
	if err != nil || !reflect.DeepEqual(got, again) {
		t.Error("another number of workers gives another comparison", err)
	}
	data, err := json.Marshal(got)
	var back report.Comparison
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || !reflect.DeepEqual(got, back) {
		t.Error("a comparison is not what it was after JSON", err)
	}
}

// holds checks one result.
func holds(t *testing.T, w report.Workload, r report.Result) {
	t.Helper()
	wrong := func(is bool, what string) {
		if is {
			t.Errorf("%s, %s: %s: %+v", w.Name, r.Policy, what, r)
		}
	}
	wrong(r.Commits != 1000 || r.Problem != "" || r.Files <= 0, "not to the end")
	last := r.Points[len(r.Points)-1]
	wrong(last.Commits != r.Commits || last.Files != r.Files || last.CommitBytes != r.CommitBytes.Mean || last.RetainedBytes != r.RetainedBytes, "the last point")
	for _, s := range []report.Spread{r.CommitBytes, r.RootBytes, r.RewrittenBytes} {
		wrong(s.P50 > s.P99 || s.P99 > s.Max || s.Mean < 0, "a spread")
	}
	wrong(r.CommitBytes.Mean < r.RootBytes.Mean, "commits write their roots")
	wrong(r.Objects < 1 || r.Objective < r.CommitBytes.Mean, "objects")
	wrong(r.Everything.LeavesOpened < r.OnePartition.LeavesOpened || r.Everything.BytesRead < r.Lookup.BytesRead, "scans")
	wrong(r.RetainedBytes < last.ScanBytes, "less is retained than the last snapshot reaches")
	for _, a := range r.Contention {
		wrong(a.Attempts < 1 || math.IsInf(a.Attempts, 0), "attempts")
	}
	wrong(len(r.Timeline) == 0 || r.Timeline[len(r.Timeline)-1].Commit != r.Commits, "timeline")
	for i := range r.Timeline[1:] {
		wrong(r.Timeline[i+1].Commit < r.Timeline[i].Commit, "the order of the timeline")
	}
	if peer := strings.HasPrefix(r.Policy, "v3-"); peer {
		wrong(r.RatioToBound != 0 || r.Objects < 2 || r.Leaves == 0, "a peer")
	} else if w.Bound != nil {
		beyond := w.Bound[len(w.Bound)-1].CommitBytes
		wrong(r.RatioToBound < 0.99 || r.CommitBytes.Mean < beyond*0.99, "below the bound")
	}
}

// TestStream holds the figures of a stream to what is known of the policies: those that the theory gives, and orders between them.
func TestStream(t *testing.T) {
	got, err := compare.Run(t.Context(), compare.Config{
		Workloads: workloads(t, 10, "stream"), Policies: all(t, "never", "sqrt", "tiered", "adaptive"), Columns: 20, Pace: 1, Commits: 5000,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := make(map[string]report.Result)
	for _, result := range got.Workloads[0].Policies {
		r[result.Policy] = result
	}
	// The square root of all files is the root beyond its fixed price, which is a good part of it in so small a table.
	for name, want := range map[string]float64{"never": 1, "sqrt": 0.35} {
		if e := r[name].Exponents.RootBytes; math.Abs(e-want) > 0.15 {
			t.Errorf("%s: the root grows with the power %.2f, want about %.2f", name, e, want)
		}
	}
	if e := r["adaptive"]; e.Exponents.CommitBytes > 0.25 || e.RatioToBound > 1.15 || e.RatioToBound < 1 || e.OnePartition.LeavesOpened > 3 {
		t.Errorf("adaptive: %+v", e.Exponents)
	}
	if n := r["never"]; n.Leaves != 0 || n.Objects != 1 || n.Contention[4].Attempts < r["tiered"].Contention[4].Attempts {
		t.Errorf("never: %+v", n)
	}
}

// TestChoose holds what can be chosen to what is said of it.
func TestChoose(t *testing.T) {
	c, err := compare.Choose("tiered:batch=14:ratio=2")
	if err != nil || c.Name != "tiered:batch=14:ratio=2" || len(c.Settings) != 2 || c.Settings["firn.policy.batch"] != "14" || c.Policy.Name() != "tiered" {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"best": "no policy", "tiered:batch": "no setting", "tiered:colour=1": "no setting", "tiered:batch=0": "batch", "": "no policy",
		"tired:colour=1": "no policy|no setting", "tiered:rows=3": "of batch, ratio, leaf-rows", "sqrt:rows=3": "has none",
		"tiered:": "no setting", "sqrt:": "no setting", "v3-fast-append:": "no settings", "tiered:batch=5:ratio=3:batch=6": `"batch=6" comes twice`,
	} {
		_, err := compare.Choose(text)
		for part := range strings.SplitSeq(want, "|") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q", text, err, part)
			}
		}
	}
}

// TestValidate: all that is wrong is said at once.
func TestValidate(t *testing.T) {
	err := compare.Config{Model: "guess", Columns: -1, Pace: -1, Commits: -1, Window: -1, Partitions: -1, RequestBytes: -1}.Validate()
	for _, part := range []string{"guess", "no workload", "no policy", "columns", "pace", "commits", "snapshots", "partitions", "request"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %q", err, part)
		}
	}
	twice := compare.Config{Workloads: workloads(t, 1, "stream", "stream"), Policies: all(t, "never", "never")}
	if err := twice.Validate(); err == nil || strings.Count(err.Error(), "twice") != 2 {
		t.Error(err)
	}
	peer := compare.Config{Workloads: workloads(t, 1, "cdc", "stream"), Policies: all(t, "v3-merge-append")}
	if err := peer.Validate(); err == nil || !strings.Contains(err.Error(), `no policy can be run on the workload "cdc"`) || strings.Contains(err.Error(), `"stream"`) {
		t.Error(err)
	}
	peer.Model = compare.Parquet
	if err := peer.Validate(); err == nil || !strings.Contains(err.Error(), "known to the model counting alone") {
		t.Error(err)
	}
	for model, want := range map[compare.Model]bool{compare.Counting: true, compare.Simulator: true, compare.Parquet: false} {
		many := compare.Config{Model: model, Workloads: workloads(t, 100, "stream"), Policies: all(t, "never"), Commits: 10_000}
		if err := many.Validate(); (err == nil) != want {
			t.Errorf("%s: %v", model, err)
		}
		many.Commits++
		if err := many.Validate(); (err == nil) != (model == compare.Counting) {
			t.Errorf("%s: %v", model, err)
		}
	}
	for _, files := range []int64{0, -1, 1 << 40} {
		if _, err := compare.WorkloadByName("stream", files); err == nil {
			t.Errorf("%d files a commit", files)
		}
	}
	if _, err := compare.WorkloadByName("stroem", 1); err == nil {
		t.Error("a workload that is not there")
	}
}

// TestCanceled: a comparison ends when it is told to.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := compare.Run(ctx, compare.Config{Workloads: workloads(t, 1, "stream"), Policies: all(t, "never")})
	if err == nil {
		t.Error("no error")
	}
}

// TestTrace reads traces, and says what is wrong with others.
func TestTrace(t *testing.T) {
	want := []count.Change{{Added: 3}, {Removed: 1, Modified: 2}}
	for _, text := range []string{
		`[{"added": 3}, {"removed": 1, "modified": 2}]`, "\ufeff {\"added\":3}\n{\"removed\":1,\"modified\":2}\n",
		"added,removed,modified\n3,,\n0,1,2\n", "modified,comment,added,removed\n0,x,3,0\n2,y,0,1\n",
	} {
		if got, err := compare.ReadTrace(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "no commit", "[]": "no commit", "[{]": "commit 1", `[{"added": -1}, {"removed": -2}]`: "commit 2", `[{"add": 1}]`: "unknown field",
		`[{"added": 1}] 7`: "follows", "removed\n1\n": "column added", "added\nx\n": "no number", "added,removed\n1\n": "wrong number of fields",
		`[{"added": 1}`: "does not end", "[": "does not end", `{"added": 1.5}`: "added is no whole number: number 1.5", "added,removed,added\n1,2,3\n": "two columns added", `[{"added": 1000000000001}]`: "want 0 to",
	} {
		if got, err := compare.ReadTrace(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
	w := compare.OfTrace("mine", want)
	got, err := compare.Run(t.Context(), compare.Config{Workloads: []compare.Workload{w}, Policies: all(t, "adaptive")})
	if err != nil {
		t.Fatal(err)
	}
	if r := got.Workloads[0].Policies[0]; r.Commits != 2 || r.Files != 2 {
		t.Errorf("%+v", r)
	}
}

// TestPartitionsStayTogether: in a table by time that commits really make, plans of one partition open as few leaves as in the counting
// model: what the manifests teach does not mix leaves of other days.
func TestPartitionsStayTogether(t *testing.T) {
	stream, err := compare.WorkloadByName("stream", 10)
	if err != nil {
		t.Fatal(err)
	}
	adaptive, err := compare.Choose("adaptive:leaf-bytes=1048576")
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare.Run(t.Context(), compare.Config{
		Model: compare.Simulator, Workloads: []compare.Workload{stream}, Policies: []compare.Choice{adaptive}, Columns: 20, Pace: 1, Commits: 4000, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Workloads[0].Policies[0]; r.OnePartition.LeavesOpened > 1.4 || r.Lookup.LeavesOpened > 1.2 || r.Leaves < 8 {
		t.Errorf("%d leaves, of which a partition is in %.2f, a file in %.2f", r.Leaves, r.OnePartition.LeavesOpened, r.Lookup.LeavesOpened)
	}
}
