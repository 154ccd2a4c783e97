package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store/fault"
)

// label is what a writer is answered when it goes on: the state that a load names, or whether a swap succeeds, and the fault
// of one call up to the next call of the catalog.
type label struct {
	observes *state
	wins     bool
	fault    fault.Fault
}

// stand is where a writer stands: before a call of the catalog, or at the end of its last operation. It is decided by
// the labels that led there. Where a writer begins an operation it is decided by less, the state that it remembers; what
// led to one such stand serves for all.
type stand struct {
	number, writer, operation int
	// from and by are the last step to here, nil for the first stand of a writer.
	from *stand
	by   label
	// at is the call, the zero Op at the end, and made is what a swap is to swap in.
	at   fault.Op
	made *candidate
	// seen are the states that the catalog named so far, the last one first.
	seen []*state
	// ready is a writer that stands here, if there is one.
	ready *solo
	steps map[label]*step
}

// remembers is the state that the writer remembers where an operation begins, nil for none.
func (s *stand) remembers() *state {
	if len(s.seen) == 0 {
		return nil
	}
	return s.seen[0]
}

// step is what a writer does from one stand to the next.
type step struct {
	to *stand
	// calls are those that it made.
	calls []fault.Call
	// told is the end of the operation, if this is it, left what it wrote and is there, and stray what it deleted that
	// was not its own. disturbed says that there was a fault in the operation.
	told        told
	left, stray []string
	disturbed   bool
	err         error
}

// told is how an operation ended, as its program was told. The zero told is none.
type told uint8

const (
	toldCommitted told = iota + 1
	toldNothing
	toldConflict
	toldRefused
	toldExhausted
	toldUnknown
	toldCrashed
	toldSelfCheck
	toldFailed
)

var toldWords = [...]string{
	"", "committed", "nothing", "conflict", "refused", "exhausted", "unknown", "crashed", "self-check", "failed",
}

// String returns the end in a word.
func (t told) String() string { return toldWords[t] }

// never reports whether the program was told that it was not committed and never will be.
func (t told) never() bool {
	return t == toldNothing || t == toldConflict || t == toldRefused || t == toldExhausted || t == toldSelfCheck || t == toldFailed
}

// endOf says how a run ended.
func endOf(r *run) told {
	switch err := r.err; {
	case err == nil && (r.result.NoOp || r.result.MetadataLocation == "" && r.result.SnapshotID == 0):
		return toldNothing
	case err == nil:
		return toldCommitted
	case errors.Is(err, fault.ErrCrashed):
		return toldCrashed
	}
	for _, end := range []struct {
		err error
		is  told
	}{
		{commit.ErrUnknown, toldUnknown}, {commit.ErrConflict, toldConflict}, {commit.ErrExhausted, toldExhausted},
		{commit.ErrSelfCheck, toldSelfCheck}, {commit.ErrRefused, toldRefused},
	} {
		if errors.Is(r.err, end.err) {
			return end.is
		}
	}
	return toldFailed
}

// opening is where an operation begins: all that came before shows in what the writer remembers.
type opening struct {
	author
	remembers *state
}

// firstStand is where a writer begins.
func (x *explorer) firstStand(writer int) *stand {
	solo := newSolo(writer, x.programs[writer-1], x.start)
	return x.newStand(&stand{writer: writer, at: solo.run.at.Op, ready: solo})
}

func (x *explorer) newStand(s *stand) *stand {
	x.stands = append(x.stands, s)
	s.number, s.steps = len(x.stands), make(map[label]*step)
	return s
}

// step lets a writer go on from a stand. It runs the production code only for a step that was not made before.
func (x *explorer) step(from *stand, l label) (*step, error) {
	if known := from.steps[l]; known != nil {
		return known, nil
	}
	x.report.Executions++
	solo := from.ready
	if from.ready = nil; solo == nil {
		var err error
		if solo, err = x.again(from); err != nil {
			return nil, err
		}
	}
	ended, err := solo.goOn(l)
	if err != nil {
		return nil, err
	}
	taken := &step{calls: solo.calls}
	seen := from.seen
	if l.observes != nil && (len(seen) == 0 || seen[0] != l.observes) {
		seen = append([]*state{l.observes}, seen...)
	}
	if ended == nil {
		taken.to = x.newStand(&stand{
			writer: from.writer, operation: from.operation, from: from, by: l, at: solo.run.at.Op, seen: seen, ready: solo,
		})
		if taken.to.at == fault.Swap {
			taken.to.made = solo.candidate()
		}
	} else if err := x.end(solo, ended, from, l, taken, seen); err != nil {
		return nil, err
	}
	from.steps[l] = taken
	return taken, nil
}

// end notes how an operation ended, and finds where the next one begins.
func (x *explorer) end(solo *solo, ended *run, from *stand, l label, taken *step, seen []*state) error {
	taken.told, taken.left, taken.stray, taken.disturbed = endOf(ended), solo.left(), solo.stray, ended.disturbed
	taken.err = ended.err
	key := opening{author: author{from.writer, from.operation + 1}}
	if key.operation < len(x.programs[from.writer-1]) {
		if taken.told == toldCommitted && l.wins {
			won, err := x.publish(context.Background(), from.seen[0], author{from.writer, from.operation}, from.made, true)
			if err != nil {
				return err
			}
			_, same := won.made.like(from.made)
			own := &state{location: from.made.location}
			if key.remembers = solo.remembers(append([]*state{own}, seen...)); key.remembers == own {
				key.remembers = won
			}
			// A twin with other names is remembered by the writer that made it, which came here before.
			if key.remembers == won && !same && x.openings[key] == nil {
				return fmt.Errorf("state %d has no writer that remembers it", won.number)
			}
		} else {
			key.remembers = solo.remembers(seen)
		}
	}
	if known := x.openings[key]; known != nil {
		taken.to = known
		solo.abandon()
		return nil
	}
	solo.begin(key.remembers)
	taken.to = x.newStand(&stand{writer: from.writer, operation: key.operation, from: from, by: l})
	if !solo.finished {
		taken.to.at, taken.to.ready = solo.run.at.Op, solo
	}
	if key.remembers != nil {
		taken.to.seen = []*state{key.remembers}
	}
	x.openings[key] = taken.to
	return nil
}

// again brings a new writer to a stand.
func (x *explorer) again(to *stand) (*solo, error) {
	var path []*stand
	for at := to; at.from != nil; at = at.from {
		path = append(path, at)
	}
	solo := newSolo(to.writer, x.programs[to.writer-1], x.start)
	for _, at := range slices.Backward(path) {
		x.report.Replayed++
		ended, err := solo.goOn(at.by)
		if err != nil {
			return nil, err
		}
		if ended != nil {
			solo.begin(at.remembers())
		}
	}
	if solo.finished || solo.run.at.Op != to.at {
		return nil, fmt.Errorf("writer %d does not come to stand %d again", to.writer, to.number)
	}
	return solo, nil
}
