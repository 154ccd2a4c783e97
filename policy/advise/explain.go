// Package advise tells what a policy would do with a table now, what each policy would have cost it so far, and what one costs a table
// that grows. Nothing is written.
package advise

import (
	"fmt"
	"math"
	"strconv"

	"github.com/firn-io/firn/policy"
)

// Line is one step of a plan, with the root of the commit without it and those after it, and with it.
type Line struct {
	policy.Step
	// Rows is what the new leaf has, or all of them have together.
	Rows          int64
	Before, After policy.Shape
}

// Explanation is what a policy would do in a commit.
type Explanation struct {
	// Now is the root as it is, and After the root of the commit.
	Now, After policy.Shape
	Lines      []Line
	// Thinning is what pointers lose, and Thick the root of the commit if they did not.
	Thinning policy.Thinning
	Thick    policy.Shape
	// Deferred is what the plan leaves to a maintenance commit.
	Deferred []string
	// Stays is what a leaf of the data files that stay loose would write and save: a step that the plan does not take. It has no rows
	// where none stay.
	Stays Line
}

// Explain asks a policy about an input and checks its plan. Bytes of roots are estimated by the prices that the table teaches, in
// proportion to the size of its root as it is, if that is known. What a policy does not say of its steps, their cost, is
// worked out.
func Explain(p policy.Policy, in policy.Input) (Explanation, error) {
	plan, err := p.Plan(in)
	if err == nil {
		err = plan.Validate(in)
	}
	if err != nil {
		return Explanation{}, fmt.Errorf("policy %s: %w", p.Name(), err)
	}
	e := Explanation{Thinning: plan.Thinning, Deferred: plan.Deferred}
	in.Prices = in.LearnedPrices()
	old := in
	old.New, old.Tombstones = nil, nil
	if e.Now, err = old.Shape(nil, nil); err != nil {
		return e, err
	}
	estimated := e.Now.Bytes
	before, err := in.Shape(nil, nil)
	if err != nil {
		return e, err
	}
	e.After = scaled(before, in.RootBytes, estimated)
	for i, step := range plan.Steps {
		after, err := in.Shape(plan.Steps[:i+1], nil)
		if err != nil {
			return e, err
		}
		line := Line{Step: step, Before: e.After, After: scaled(after, in.RootBytes, estimated)}
		for _, ref := range step.Members {
			item, err := in.Item(ref)
			if err != nil {
				return e, err
			}
			line.Rows += item.Count
			if step.Term == 0 {
				line.PaidBytes += writtenBytes(in, ref, item.Count)
			}
		}
		if step.Term == 0 {
			line.SavedBytes = before.Bytes - after.Bytes
			line.PaidBytes += int64(max(1, step.Leaves)) * in.Prices.LeafFixedBytes
		}
		e.Lines, e.After, before = append(e.Lines, line), line.After, after
	}
	thin, err := in.Shape(plan.Steps, plan.Thinning.Pointers)
	if err != nil {
		return e, err
	}
	if e.Thinning.SavedBytes == 0 {
		e.Thinning.SavedBytes = before.Bytes - thin.Bytes
	}
	e.Thick, e.After = e.After, scaled(thin, in.RootBytes, estimated)
	e.Now = scaled(e.Now, in.RootBytes, estimated)
	if len(in.History) == 0 && e.Now.Pointers+e.Now.Loose == 0 { // a table without snapshots has no root
		e.Now.Bytes = 0
	}
	e.Stays = stays(in, e.After)
	return e, nil
}

// writtenBytes estimates what a member of a step takes in its leaf.
func writtenBytes(in policy.Input, ref policy.Ref, rows int64) int64 {
	if ref.Source == policy.FromPointers {
		return in.Prices.RowBytes(in.Pointers[ref.Index], rows)
	}
	return rows * in.Prices.LeafEntryBytes
}

// stays prices a leaf of all files that are loose in a root.
func stays(in policy.Input, root policy.Shape) Line {
	l := Line{Rows: root.Loose, Before: root, After: root}
	if l.Rows > 0 {
		l.Kind, l.Written = policy.Push, -1
		l.PaidBytes = in.Prices.LeafFixedBytes + l.Rows*in.Prices.LeafEntryBytes
		l.SavedBytes = l.Rows*in.Prices.LooseBytes - in.Prices.PointerBytes
	}
	return l
}

// scaled returns a root with its size as that of the known one is to its estimate.
func scaled(s policy.Shape, known, estimated int64) policy.Shape {
	if known > 0 && estimated > 0 {
		s.Bytes = int64(math.Round(float64(s.Bytes) * float64(known) / float64(estimated)))
	}
	return s
}

// mostCommits is over how many commits [FilesPerCommit] looks back.
const mostCommits = 32

// FilesPerCommit returns how many files commits of a table add: what its newest snapshot that says so knows, else the geometric mean of
// what the last snapshots say that they added, else 1.
func FilesPerCommit(history []policy.Snapshot) int64 {
	sum, n := 0.0, 0
	for i := len(history) - 1; i >= 0; i-- {
		summary := history[i].Summary
		if rate, err := strconv.ParseFloat(summary["firn.policy.files-per-commit"], 64); err == nil && rate >= 1 && rate < math.MaxInt32 {
			return int64(math.Round(rate))
		}
		if added, err := strconv.ParseInt(summary[addedFiles], 10, 64); err == nil && added > 0 && n < mostCommits {
			sum, n = sum+math.Log(float64(added)), n+1
		}
	}
	if n == 0 {
		return 1
	}
	return int64(math.Round(math.Exp(sum / float64(n))))
}
