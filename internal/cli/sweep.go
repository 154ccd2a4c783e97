package cli

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/maintain"
)

// sweepColumns are the columns of what expire and orphans print: one line for each snapshot, ref or object.
var sweepColumns = []string{"outcome", "kind", "name", "size_bytes"}

// The outcomes. What is due would go without --dry-run, or with --delete; what remains was not come to; what is outside
// lies where the table deletes nothing.
const (
	outcomeExpired    = "expired"
	outcomeDeleted    = "deleted"
	outcomeFailed     = "failed"
	outcomeDue        = "due"
	outcomeRemains    = "remains"
	outcomeMismatched = "kept"
	outcomeOutside    = "outside"
)

// isEmpty reports whether a run that failed has come to nothing worth telling.
func isEmpty(s maintain.Sweep) bool {
	return len(s.Deleted)+len(s.Failed)+len(s.Remaining)+len(s.Mismatched)+len(s.Outside) == 0
}

// printSweep prints what became of objects. Those that the run did not come to get the outcome rest.
func printSweep(out *table, s maintain.Sweep, rest string) {
	for _, o := range s.Deleted {
		printObject(out, outcomeDeleted, o)
	}
	for _, f := range s.Failed {
		printObject(out, outcomeFailed, f.Object)
	}
	for _, o := range s.Remaining {
		printObject(out, rest, o)
	}
	for _, m := range s.Mismatched {
		printObject(out, outcomeMismatched, maintain.Object{Kind: maintain.OtherObject, Location: m.Object})
	}
	for _, o := range s.Outside {
		printObject(out, outcomeOutside, o)
	}
}

func printObject(out *table, outcome string, o maintain.Object) {
	size := nullCell
	if o.SizeBytes > 0 {
		size = numberCell(o.SizeBytes)
	}
	out.row(textCell(outcome), textCell(o.Kind.String()), textCell(o.Location), size)
}

// noticeSweep sums up what became of objects.
func (a *app) noticeSweep(verb string, objects []maintain.Object) {
	var kinds []string
	for _, total := range maintain.Totals(objects) {
		kinds = append(kinds, count(total.Objects, total.Kind.String(), total.Kind.String()+"s"))
	}
	if len(kinds) > 0 {
		a.notice("%s %s", verb, strings.Join(kinds, ", "))
	}
}

// undeleted returns the error of a run that could not delete everything.
func undeleted(s maintain.Sweep) error {
	if len(s.Failed) == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be deleted, the first is %w", count(len(s.Failed), "object", "objects"), s.Failed[0].Err)
}
