package sim

import (
	"errors"
	"slices"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store/fault"
)

// Counts are what a run did.
type Counts struct {
	// Commits are the snapshots that were made, and Attempts the metadata files that were written for them and for others
	// that lost.
	Commits  int64 `json:"commits"`
	Attempts int64 `json:"attempts"`
	// Programs are those that ended, by how: committed, nothing, conflict, exhausted, refused, unknown, crashed or failed.
	Programs map[string]int64 `json:"programs"`
	// Verbs are the steps of programs that were committed, and Rules what conflicts were fitted or refused by.
	Verbs map[string]int64 `json:"verbs"`
	Rules map[string]int64 `json:"rules"`
	// Faults are the disturbed calls, by operation and outcome.
	Faults map[string]int64 `json:"faults"`
}

func newCounts() Counts {
	return Counts{
		Programs: make(map[string]int64), Verbs: make(map[string]int64),
		Rules: make(map[string]int64), Faults: make(map[string]int64),
	}
}

// Add adds the counts of another run.
func (c *Counts) Add(o Counts) {
	c.Commits += o.Commits
	c.Attempts += o.Attempts
	for _, pair := range []struct{ to, from map[string]int64 }{
		{c.Programs, o.Programs}, {c.Verbs, o.Verbs}, {c.Rules, o.Rules}, {c.Faults, o.Faults},
	} {
		for key, n := range pair.from {
			pair.to[key] += n
		}
	}
}

// confirm notes that a writer was told that its program was committed.
func (w *World) confirm(r *run) {
	for _, op := range r.program.Ops {
		w.stats.Verbs[op.Verb.String()]++
	}
	for _, e := range r.result.Events {
		w.stats.Rules[string(e.Rule)]++
	}
	if id := r.result.SnapshotID; id != 0 && !r.result.NoOp {
		w.expected = append(w.expected, id)
	}
}

// refute notes that a writer was told that its program was not committed and never will be.
func (w *World) refute(r *run) {
	for _, id := range r.snapshots {
		w.denied[id] = true
	}
}

// checkTold holds what writers were told against the snapshots that became the table's.
func (w *World) checkTold() {
	for _, id := range w.expected {
		if !w.committed[id] {
			w.violate(Violation{Check: checkTold, Snapshot: id, Message: "its writer was told that it was committed, and it was not"})
		}
	}
	w.expected = w.expected[:0]
	var wrong []int64
	for id := range w.denied {
		if w.committed[id] {
			wrong = append(wrong, id)
		}
	}
	slices.Sort(wrong)
	for _, id := range wrong {
		w.violate(Violation{Check: checkTold, Snapshot: id, Message: "its writer was told that it was not committed, and it was"})
		delete(w.denied, id)
	}
}

// tally counts a program that ended, by how.
func (w *World) tally(r *run) {
	end := "failed"
	switch err := r.err; {
	case err == nil && (r.result.NoOp || r.result.MetadataLocation == ""):
		end = "nothing"
	case err == nil:
		end = "committed"
	case errors.Is(err, fault.ErrCrashed):
		end = "crashed"
	case errors.Is(err, commit.ErrUnknown):
		end = "unknown"
	case errors.Is(err, commit.ErrConflict):
		end = "conflict"
		var conflict *commit.ConflictError
		if errors.As(err, &conflict) {
			w.stats.Rules[string(conflict.Rule)]++
		}
	case errors.Is(err, commit.ErrExhausted):
		end = "exhausted"
	case errors.Is(err, commit.ErrRefused):
		end = "refused"
	}
	w.stats.Programs[end]++
}

// tallyFaults counts the calls of a program that were disturbed.
func (w *World) tallyFaults(calls []fault.Call) {
	for _, c := range calls {
		if c.Outcome != "" {
			w.stats.Faults[c.Op.String()+" "+string(c.Outcome)]++
		}
	}
}
