package adaptive

import (
	"math"
	"slices"
	"strconv"

	"github.com/firn-io/firn/policy"
)

// learnCommits is how many commits it takes until the rate has mostly become another one.
const learnCommits = 32

// filesPerCommit returns how many files commits add, as the geometric mean that follows them: a single large commit among small
// ones hardly moves it.
func filesPerCommit(in policy.Input) float64 {
	rate, known := 0.0, false
	for _, s := range slices.Backward(in.History) {
		if v, err := strconv.ParseFloat(s.Summary[summaryRate], 64); err == nil && v >= 1 && !math.IsInf(v, 0) {
			rate, known = math.Log(v), true
			break
		}
	}
	var now int64
	for _, item := range in.New {
		now += item.Count
	}
	switch {
	case now > 0 && known:
		rate += (math.Log(float64(now)) - rate) / learnCommits
	case now > 0:
		rate = math.Log(float64(now))
	}
	return math.Exp(rate)
}

// wait leaves something to a maintenance commit, and says so to the next commit.
func (a *adaptation) wait(reason string) {
	a.Plan.Deferred = append(a.Plan.Deferred, reason)
	a.Plan.Summary[summaryWaiting] = "1"
}

// waited reports whether the last commit of the policy already waited for maintenance. Other engines, whose snapshots say nothing of
// that, may have committed since.
func (a *adaptation) waited() bool { return a.lastSummary()[summaryWaiting] != "" }

// lastSummary returns the summary of the newest snapshot in which the policy has noted anything.
func (a *adaptation) lastSummary() map[string]string { return a.last().Summary }

// last returns the newest snapshot in which the policy has noted anything.
func (a *adaptation) last() policy.Snapshot {
	for _, s := range slices.Backward(a.In.History) {
		if _, ours := s.Summary[summaryRate]; ours {
			return s
		}
	}
	return policy.Snapshot{}
}
