package sim

import (
	"context"
	"slices"

	"github.com/firn-io/firn/store/fault"
)

// explorer explores one program: what each writer does.
type explorer struct {
	programs [][]Program
	start    *state
	setup    []Action
	names    []string
	further  map[fault.Op][]fault.Outcome
	openings map[opening]*stand
	stands   []*stand
	report   ProgramReport
	// trail are the moves to where the exploration is, and found is what it found.
	trail []trod
	found []FoundViolation
}

// trod is a move that was made, with the operation of the writer.
type trod struct {
	move
	operation int
}

// newExplorer returns the explorer of a program on the table of a world, and the position to begin with.
func newExplorer(ctx context.Context, b Bounds, w *World, setup []Action, program [][]kind) (*explorer, position, error) {
	start, err := startState(ctx, w)
	if err != nil {
		return nil, position{}, err
	}
	x := &explorer{start: start, setup: setup, openings: make(map[opening]*stand), names: namesOf(program), further: b.further}
	p := position{state: start, faults: int8(b.Faults)}
	for i, own := range program {
		var programs []Program
		for n, k := range own {
			programs = append(programs, k.program(i+1, n))
		}
		x.programs = append(x.programs, programs)
	}
	for i := range x.programs {
		p.at[i] = x.firstStand(i + 1)
	}
	return x, p, nil
}

// explore explores a program on the table of a world.
func explore(ctx context.Context, b Bounds, w *World, setup []Action, program [][]kind) (ProgramReport, error) {
	x, p, err := newExplorer(ctx, b, w, setup, program)
	if err != nil {
		return ProgramReport{}, err
	}
	defer x.close()
	ends := make(map[ending]bool)
	outcomes := make(map[string]Trace)
	reduced := &walker{explorer: x, reduced: true, known: make(map[position]tally), end: func(p position) {
		e := ending{p.state, p.told}
		if b.Full && !ends[e] {
			outcomes[x.outcome(p)] = x.trace()
		}
		ends[e] = true
	}}
	runs, err := reduced.count(ctx, p)
	if err != nil {
		return ProgramReport{}, err
	}
	r := &x.report
	r.Program, r.Violations = x.names, x.found
	r.Runs, r.Undisturbed, r.Places = runs.clean+runs.faulty, runs.clean, runs.places
	r.ClosedForm = ClosedForm(b.Writers, b.Operations).String()
	r.Positions, r.Outcomes = int64(len(reduced.known)), int64(len(ends))
	if len(x.found) > 0 {
		return *r, nil
	}
	orders := &walker{explorer: x, known: make(map[position]tally)}
	all, err := orders.count(ctx, p)
	if err != nil {
		return *r, err
	}
	r.Orders = all.clean + all.faulty
	if b.Full {
		err = x.compare(ctx, b.Faults, outcomes)
		r.Violations = x.found
	}
	return *r, err
}

// outcomes are what a fault can make of a call.
func (x *explorer) outcomes(op fault.Op) []fault.Outcome {
	return slices.Concat(fault.Outcomes(op), x.further[op])
}

// close ends the writers that stand where nobody went on.
func (x *explorer) close() {
	for _, s := range x.stands {
		if s.ready != nil {
			s.ready.abandon()
		}
	}
}

// ending is how a run ended.
type ending struct {
	state *state
	told  [maxExplorers]uint16
}

// violate notes a violation with the run that led to it.
func (x *explorer) violate(v Violation) {
	t := x.trace()
	v.Step = len(t.Actions)
	t.Expect = []Violation{v}
	x.found = append(x.found, FoundViolation{Violation: v, Program: x.names, Trace: t})
}

// trace is the run to where the exploration is, as [Replay] does it.
func (x *explorer) trace() Trace {
	t := Trace{Config: x.start.world.config, Actions: append([]Action(nil), x.setup...)}
	begun := make(map[author]bool)
	for _, m := range x.trail {
		a := author{m.writer, m.operation}
		if !begun[a] {
			begun[a] = true
			t.Actions = append(t.Actions, Action{Kind: Start, Writer: m.writer, Program: x.programs[m.writer-1][m.operation]})
		}
		step := Action{Kind: Step, Writer: m.writer}
		if m.fault != (fault.Fault{}) {
			step.Fault = m.fault
		}
		t.Actions = append(t.Actions, step)
	}
	return t
}
