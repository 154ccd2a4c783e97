package soak

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/dv"
)

// entry is what a commit did to one file.
type entry struct {
	location       string
	added, removed bool
	// deleted are the rows that were deleted in addition.
	deleted dv.Vector
}

// record is a snapshot that a writer was told of.
type record struct {
	snapshotID, sequenceNumber int64
	entries                    []entry
}

// ledger is what the writers were told, all of them together.
type ledger struct {
	mu        sync.Mutex
	records   []record
	kinds     map[string]int
	conflicts map[commit.Rule]int
	events    map[commit.Rule]int
	attempts  []int
	exhausted int
	unknown   int
	noOps     int
	leftover  []string
}

// note takes in how a commit ended.
func (l *ledger) note(kind string, r commit.Result, entries []entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kinds == nil {
		l.kinds, l.conflicts, l.events = make(map[string]int), make(map[commit.Rule]int), make(map[commit.Rule]int)
	}
	var conflict *commit.ConflictError
	switch {
	case errors.As(err, &conflict):
		l.conflicts[conflict.Rule]++
	case errors.Is(err, commit.ErrExhausted):
		l.exhausted++
	case errors.Is(err, commit.ErrUnknown):
		l.unknown++
	case err == nil && r.NoOp:
		l.noOps++
	case err == nil:
		l.kinds[kind]++
		l.attempts = append(l.attempts, r.Attempts)
		l.leftover = append(l.leftover, r.Leftover...)
		for _, e := range r.Events {
			l.events[e.Rule]++
		}
		if r.SnapshotID != 0 {
			l.records = append(l.records, record{r.SnapshotID, r.SequenceNumber, entries})
		}
	}
}

// replay returns what is live after all records, in the order of their sequence numbers: the deleted rows by location.
// A step that a table cannot take is an error.
func (l *ledger) replay() (map[string]dv.Vector, error) {
	slices.SortFunc(l.records, func(a, b record) int { return int(a.sequenceNumber - b.sequenceNumber) })
	live := make(map[string]dv.Vector)
	for i, r := range l.records {
		if r.sequenceNumber != int64(i+1) {
			return nil, fmt.Errorf("snapshot %d has sequence number %d, it is the %d. that a writer was told of", r.snapshotID, r.sequenceNumber, i+1)
		}
		for _, e := range r.entries {
			old, there := live[e.location]
			switch {
			case e.added == there:
				return nil, fmt.Errorf("snapshot %d: %s: added %t, live before %t", r.snapshotID, e.location, e.added, there)
			case e.removed:
				delete(live, e.location)
			case e.added:
				live[e.location] = dv.Vector{}
			default:
				if live[e.location] = old.Union(e.deleted); live[e.location].Cardinality() == fileRows {
					delete(live, e.location) // a file without rows goes
				}
			}
		}
	}
	return live, nil
}

// Report says what a run took.
type Report struct {
	// Kinds counts the commits by what they did.
	Kinds map[string]int
	// Attempts are those of each commit.
	Attempts []int
	// Exhausted counts transactions that were given up and committed again, Conflicts those that ended by a rule, and
	// Unknown those whose outcome had to be asked for. NoOps had nothing to do.
	Exhausted, Unknown, NoOps int
	Conflicts, Events         map[commit.Rule]int
	// PeakBytes is the most that the store held at once, FinalBytes what it holds at the end, and Puts how many objects
	// were written.
	PeakBytes, FinalBytes int64
	Puts                  int
	// Live counts the files at the end, Snapshots the retained snapshots, and Orphans the objects that clean-up removed
	// when all writers had stopped.
	Live, Snapshots, Orphans int
}

func (r *run) report() Report {
	l := &r.log
	return Report{
		Kinds: l.kinds, Attempts: l.attempts, Exhausted: l.exhausted, Unknown: l.unknown, NoOps: l.noOps,
		Conflicts: l.conflicts, Events: l.events,
		PeakBytes: r.meter.peak, FinalBytes: r.meter.now, Puts: r.meter.puts,
		Live: r.live, Snapshots: r.snapshots, Orphans: r.orphans,
	}
}

// String returns the report as people read it.
func (r Report) String() string {
	var b strings.Builder
	total, most, sum := 0, 0, 0
	for _, n := range r.Attempts {
		total, most, sum = total+1, max(most, n), sum+n
	}
	fmt.Fprintf(&b, "commits %d: %s\n", total, counts(r.Kinds))
	fmt.Fprintf(&b, "attempts per commit: mean %.2f, most %d; exhausted and committed again %d; outcome asked for %d; nothing to do %d\n",
		float64(sum)/float64(max(total, 1)), most, r.Exhausted, r.Unknown, r.NoOps)
	fmt.Fprintf(&b, "conflicts: %s\nfitted: %s\n", counts(r.Conflicts), counts(r.Events))
	fmt.Fprintf(&b, "objects written %d; store at most %d bytes, %d at the end; live files %d, snapshots %d; orphans removed at the end %d",
		r.Puts, r.PeakBytes, r.FinalBytes, r.Live, r.Snapshots, r.Orphans)
	return b.String()
}

func counts[K ~string](m map[K]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
