package cli

import (
	"context"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/policy/advise"
)

// planColumns are what is printed of each step of a plan.
var planColumns = []string{
	"step", "members", "rows", "reason", "term", "paid_bytes", "saved_bytes", "pays_after_commits",
	"root_bytes_before", "root_bytes_after", "leaves_before", "leaves_after",
}

// planTextColumns are what people read of it; the reason, the longest, comes last.
var planTextColumns = []string{"step", "members", "rows", "term", "paid", "saved", "pays_after", "root_after", "leaves_after", "reason"}

// stepCells are the cells of the columns of a step.
func (a *app) stepCells(l advise.Line) []cell {
	members, rows, reason := numberCell(int64(len(l.Members))), numberCell(l.Rows), nonEmpty(l.Reason)
	after, term := nullCell, nullCell
	if n, pays := l.PaysAfter(); pays {
		after = numberCell(n)
	}
	if l.Term != 0 {
		term = textCell(l.Term.String())
	}
	if a.format == formatText {
		return []cell{
			textCell(l.Kind.String()), members, rows, term, numberCell(l.PaidBytes), numberCell(l.SavedBytes), after,
			numberCell(l.After.Bytes), numberCell(l.After.Pointers), reason,
		}
	}
	return []cell{
		textCell(l.Kind.String()), members, rows, reason, term, numberCell(l.PaidBytes), numberCell(l.SavedBytes), after,
		numberCell(l.Before.Bytes), numberCell(l.After.Bytes), numberCell(l.Before.Pointers), numberCell(l.After.Pointers),
	}
}

// otherCells are those of what is no step: something that waits, or that nothing is done.
func (a *app) otherCells(word, reason string, before, after policy.Shape) []cell {
	null := nullCell
	if a.format == formatText {
		return []cell{textCell(word), null, null, null, null, null, null, numberCell(after.Bytes), numberCell(after.Pointers), nonEmpty(reason)}
	}
	return []cell{
		textCell(word), null, null, nonEmpty(reason), null, null, null, null,
		numberCell(before.Bytes), numberCell(after.Bytes), numberCell(before.Pointers), numberCell(after.Pointers),
	}
}

// thinCells are those of pointers that lose statistics.
func (a *app) thinCells(e advise.Explanation) []cell {
	cells := a.otherCells(wordThin, e.Thinning.Reason, e.Thick, e.After)
	cells[1] = numberCell(int64(len(e.Thinning.Pointers)))
	saved := 6
	if a.format == formatText {
		saved = 5
	}
	cells[saved] = numberCell(e.Thinning.SavedBytes)
	return cells
}

// The words that stand for a step where there is none.
const (
	wordDeferred = "deferred"
	// wordThin is for pointers that lose statistics.
	wordThin    = "thin"
	wordNothing = "nothing"
	// wordStays is for loose files that stay so, with what a leaf of them would cost.
	wordStays = "stays"
)

// planRows are the rows of a plan: its steps, and what is left to maintenance.
func (a *app) planRows(e advise.Explanation) [][]cell {
	var rows [][]cell
	for _, line := range e.Lines {
		rows = append(rows, a.stepCells(line))
	}
	if n := len(e.Thinning.Pointers); n > 0 {
		rows = append(rows, a.thinCells(e))
	}
	for _, reason := range e.Deferred {
		rows = append(rows, a.otherCells(wordDeferred, reason, e.After, e.After))
	}
	return rows
}

// shapeText tells of a root in words.
func shapeText(s policy.Shape) string {
	return fmt.Sprintf("root of %d bytes, %s, %s", s.Bytes, count(int(s.Pointers), "leaf", "leaves"), count(int(s.Loose), "loose file", "loose files"))
}

// asked is a table of which a policy can be asked what it would do.
type asked struct {
	txn   *commit.Txn
	input policy.Input
}

// ask reads the root of a branch.
func ask(ctx context.Context, t *commit.Table, o commit.TxnOptions) (asked, error) {
	x, err := t.Begin(ctx, o)
	if err != nil {
		return asked{}, err
	}
	input, err := x.PlanInput(ctx)
	return asked{txn: x, input: input}, err
}

// explain asks a policy what it would do in a commit that adds files.
func (q asked) explain(p policy.Policy, mode policy.Mode, files int64) (advise.Explanation, error) {
	in := q.input
	in.Mode = mode
	for i := range files {
		in.New = append(in.New, policy.Item{Key: fmt.Sprintf("new %d", i), Count: 1})
	}
	e, err := advise.Explain(p, in)
	if err != nil {
		return e, fmt.Errorf("%w: %w", errRefused, err)
	}
	return e, nil
}
