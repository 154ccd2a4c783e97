package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/firn-io/firn/store/fault"
)

// The most writers of an exploration, and operations of each.
const (
	maxExplorers  = 4
	maxOperations = 4
)

// position is where all writers stand and what the catalog names. What can come after it is a function of it.
type position struct {
	state *state
	at    [maxExplorers]*stand
	// told are the ends of the operations so far, four bits for each.
	told [maxExplorers]uint16
	// faults are those that may still come.
	faults int8
	// last is the writer that looked at the catalog last since it was swapped, and bound the one that must look next; 0 for
	// none. Both are 0 without reduction.
	last, bound int8
}

// with returns the position after the end of an operation.
func (p position) with(writer, operation int, t told) position {
	p.told[writer-1] |= uint16(t) << (4 * operation)
	return p
}

// toldOf is the end of an operation.
func (p position) toldOf(writer, operation int) told {
	return told(p.told[writer-1] >> (4 * operation) & 15)
}

// move is what the scheduler may do: let a writer go on from its call of the catalog to the next.
type move struct {
	writer int
	label  label
	// lands says that a swap takes place, with the answer of the label.
	lands bool
	// fault is the one of the label, as the store sees it.
	fault fault.Fault
}

// answers are what a program is told of a call of the catalog that had its effect and is disturbed afterwards: the same as
// of one that had none.
var answers = map[fault.Outcome]fault.Outcome{
	fault.LandFail: fault.Fail, fault.LandUnknown: fault.Unknown, fault.LandConflict: fault.Conflict, fault.LandCrash: fault.Crash,
}

// moves returns what a writer may do.
//
// The reduction lets one order stand for all that nobody can tell apart. Looks at the catalog commute with each other, as far
// as no swap takes place between them: they are made in the order of the writers. A swap that does not take place is answered
// in the same way whenever it is made: it is made right before the look that follows it, and the one in which the program
// crashes right after the look before it. A swap that comes too late anyway is not disturbed in ways that give the same
// answer.
func (x *explorer) moves(p position, writer int, reduced bool) ([]move, error) {
	at := p.at[writer-1]
	if at.at == "" || p.bound != 0 && int(p.bound) != writer {
		return nil, nil
	}
	first := move{writer: writer}
	fresh := at.at == fault.Swap && at.made.old == p.state.location
	if at.at == fault.Load {
		first.label.observes = p.state
	}
	first.label.wins, first.lands = fresh, fresh
	moves := []move{first}
	if p.faults > 0 {
		disturbed, err := x.disturbed(first, at, fresh, reduced)
		if err != nil {
			return nil, err
		}
		moves = append(moves, disturbed...)
	}
	if reduced && writer < int(p.last) {
		moves = slices.DeleteFunc(moves, func(m move) bool { return !m.lands })
	}
	return moves, nil
}

// disturbed returns a move with each fault that each of its calls can have.
func (x *explorer) disturbed(first move, at *stand, fresh, reduced bool) ([]move, error) {
	var moves []move
	for _, o := range x.outcomes(at.at) {
		m := move{writer: first.writer, fault: fault.Fault{Op: at.at, Nth: 1, Outcome: o}}
		m.label.fault = m.fault
		answer, effect := answers[o]
		if effect {
			m.label.fault.Outcome = answer
		}
		m.lands = effect && fresh
		if reduced && at.at == fault.Swap && !fresh && (effect || o == fault.Conflict || o == fault.Crash) {
			continue
		}
		moves = append(moves, m)
	}
	x.trail = append(x.trail, trod{first, at.operation})
	undisturbed, err := x.step(at, first.label)
	x.trail = x.trail[:len(x.trail)-1]
	if err != nil {
		return nil, err
	}
	seen := make(map[fault.Op]int)
	for i, c := range undisturbed.calls {
		if seen[c.Op]++; i == 0 {
			continue
		}
		for _, o := range x.outcomes(c.Op) {
			m := first
			m.fault = fault.Fault{Op: c.Op, Nth: seen[c.Op], Outcome: o}
			m.label.fault = m.fault
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// apply makes a move.
func (x *explorer) apply(ctx context.Context, p position, m move, reduced bool) (position, error) {
	at := p.at[m.writer-1]
	taken, err := x.step(at, m.label)
	if err != nil {
		return p, err
	}
	by := author{m.writer, at.operation}
	if m.lands {
		if p.state, err = x.publish(ctx, p.state, by, at.made, taken.told == toldCommitted); err != nil {
			return p, err
		}
	}
	p.at[m.writer-1] = taken.to
	if m.fault != (fault.Fault{}) {
		p.faults--
	}
	if taken.told != 0 {
		p = p.with(m.writer, at.operation, taken.told)
		x.checkEnd(p.state, by, at, taken)
	}
	if reduced {
		p.last, p.bound = 0, 0
		if !m.lands {
			p.last = int8(m.writer)
		}
		if !m.lands && at.at == fault.Swap && taken.told == 0 {
			p.bound = int8(m.writer)
		}
	}
	return p, nil
}

// checkEnd holds what a program was told, and what it left behind, against the table.
func (x *explorer) checkEnd(s *state, by author, at *stand, taken *step) {
	landed := s.has(by)
	snapshot := int64(0)
	for ; s != nil && s.author != by; s = s.parent { // where it became the table's, if it did
	}
	complain := func(check, text string) { x.violate(Violation{Check: check, Snapshot: snapshot, Message: text}) }
	who := fmt.Sprintf("operation %d of writer %d", by.operation+1, by.writer)
	switch {
	case taken.told == toldSelfCheck || taken.told == toldFailed && !taken.disturbed:
		complain(checkSelf, fmt.Sprintf("%s: %v", who, taken.err))
	case taken.told == toldCommitted && !landed:
		complain(checkTold, who+" was told that it was committed, and it was not")
	case taken.told.never() && landed:
		complain(checkTold, who+" was told that it was not committed, and it was")
	}
	var needed []string
	if landed {
		if needed = s.made.names; taken.told == toldCommitted && at.at == fault.Swap {
			needed = at.made.names
		}
	}
	for _, name := range needed {
		if !slices.Contains(taken.left, name) {
			complain(checkReachable, name+" is referenced and is gone")
		}
	}
	for _, name := range taken.stray {
		complain(checkReachable, who+" deleted "+name+", which is not its own")
	}
	if taken.disturbed {
		return
	}
	for _, name := range taken.left {
		if !slices.Contains(needed, name) {
			complain(checkOrphans, name+" is not referenced, and no fault explains it")
		}
	}
}

// tally counts runs, those without a fault and those with, and the places of faults: the outcomes that each call of each run
// without a fault could have had.
type tally struct{ clean, faulty, places int64 }

// walker counts the runs from a position on: the paths to an end. What comes after a position is looked at once, however many
// runs lead to it.
type walker struct {
	*explorer
	reduced bool
	known   map[position]tally
	// end is told of each end that is found.
	end func(position)
}

func (k *walker) count(ctx context.Context, p position) (tally, error) {
	if t, known := k.known[p]; known {
		return t, nil
	}
	var sum tally
	ended := true
	for w := 1; w <= len(k.programs); w++ {
		moves, err := k.moves(p, w, k.reduced)
		if err != nil || len(k.found) > 0 {
			return sum, err
		}
		ended = ended && p.at[w-1].at == ""
		for _, m := range moves {
			k.trail = append(k.trail, trod{m, p.at[w-1].operation})
			next, err := k.apply(ctx, p, m, k.reduced)
			if err != nil {
				return sum, err
			}
			if len(k.found) > 0 {
				return sum, nil
			}
			t, err := k.count(ctx, next)
			if err != nil || len(k.found) > 0 {
				return sum, err
			}
			k.trail = k.trail[:len(k.trail)-1]
			if m.fault == (fault.Fault{}) {
				sum.clean += t.clean
				sum.faulty += t.faulty
				sum.places += t.places + t.clean*k.places(p.at[w-1].steps[m.label])
			} else {
				sum.faulty += t.clean + t.faulty
			}
		}
	}
	if ended {
		sum.clean++
		if k.end != nil {
			k.end(p)
		}
	}
	k.known[p] = sum
	return sum, nil
}

// places counts the outcomes that the calls of a step can have.
func (k *walker) places(s *step) int64 {
	n := 0
	for _, c := range s.calls {
		n += len(fault.Outcomes(c.Op))
	}
	return int64(n)
}
