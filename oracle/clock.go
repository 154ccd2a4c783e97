package oracle

import (
	"fmt"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
)

// inTheFuture is the rule about clocks that are ahead (IV19).
var inTheFuture = Rule{
	ID: "M-FUTURE", Statement: "No snapshot is of a time that lies more than a minute ahead of the checker's clock.",
	SpecRule: "rules 14.3, B50", Firmness: invariants.Derived, Severity: Warning, Scope: invariants.ScopeMetadata,
	Symptom: "A writer's clock was ahead. Each later snapshot of the branch is lifted above that time, so that time travel finds the wrong one.",
	Advice:  "Set the clock of the writer right. The table mends itself when time has caught up.",
}

// futureSlackMillis is how far clocks may differ.
const futureSlackMillis = 60_000

// checkClock reports snapshots of the future, if the options tell the time.
func checkClock(target Target, m metadata.Table, r *report) {
	for _, s := range m.Snapshots {
		if now := r.options.NowMillis; now == 0 || s.TimestampMillis <= now+futureSlackMillis {
			continue
		}
		f := Finding{
			Rule: inTheFuture.ID, Severity: inTheFuture.Severity, Snapshot: s.ID, Object: target.Metadata, Row: -1,
			Field:    "snapshots.timestamp-ms",
			Expected: fmt.Sprintf("%d or less, the time of the check", r.options.NowMillis), Found: fmt.Sprint(s.TimestampMillis),
		}
		f.Message = fmt.Sprintf("%s: snapshot %d: %s: expected %s, found %s", f.Rule, s.ID, f.Field, f.Expected, f.Found)
		if !r.put(f) {
			return
		}
	}
}
