package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrNothingFound says that a trace that is to be made smaller finds nothing.
var ErrNothingFound = errors.New("the trace finds nothing")

// Shrink returns a smaller trace that finds the same as t: a violation of the same check, the first that t expects or
// else finds. It leaves out programs and actions, then writers, steps of programs, files, faults and numbers, as long as that
// helps or until a number of actions was tried. What it does is decided by the trace. When ctx ends it returns what it has got,
// and the error of ctx.
func Shrink(ctx context.Context, t Trace) (Trace, error) { return shrink(ctx, t, NewWorld) }

// maxShrinkActions bounds the actions that are tried to make a trace smaller, and worldActions is what a new world counts for.
const (
	maxShrinkActions = 300_000
	worldActions     = 20
)

// shrinker makes a trace smaller.
type shrinker struct {
	newWorld func(Config) (*World, error)
	// check is what every smaller trace must find.
	check string
	// early says that it must find it before the end: the checks of the end make commits of their own, and what is wrong
	// with these has other causes.
	early bool
	best  Trace
	// budget are the actions that may still be tried.
	budget int
}

func shrink(ctx context.Context, t Trace, newWorld func(Config) (*World, error)) (Trace, error) {
	s := &shrinker{newWorld: newWorld, budget: maxShrinkActions}
	r, early, err := s.replay(ctx, t)
	switch {
	case err != nil:
		return t, err
	case len(r.Violations) == 0:
		return t, ErrNothingFound
	}
	s.check = r.Violations[0].Check
	if len(t.Expect) > 0 {
		s.check = t.Expect[0].Check
	}
	if !finds(r, s.check) {
		return t, fmt.Errorf("%w of the check %s: %s", ErrNothingFound, s.check, r.Violations[0])
	}
	s.best, s.early = r.Trace, early
	for {
		before := s.best
		s.try(ctx, s.best.sequential())
		s.leaveOut(ctx, func(a Action) bool { return a.Kind == Start })
		s.leaveOut(ctx, func(Action) bool { return true })
		s.joinPrograms(ctx)
		s.fewerWriters(ctx)
		s.simplify(ctx)
		s.try(ctx, s.best.renumbered())
		if !smaller(s.best, before) {
			return s.best, ctx.Err()
		}
	}
}

// replay does a trace again, as far as it goes, and says whether what it found came of its actions, early, or showed at the end
// only.
func (s *shrinker) replay(ctx context.Context, t Trace) (r Report, early bool, err error) {
	w, err := s.newWorld(t.Config)
	if err != nil {
		return Report{}, false, err
	}
	r, err = w.replay(ctx, t.Actions, true, func(w *World, _ Action) error {
		early = len(w.violations) > 0
		return nil
	})
	return r, early, err
}

// finds reports whether a run found a violation of a check.
func finds(r Report, check string) bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Check == check })
}

// try takes a trace if it is smaller than the best one and finds the same.
func (s *shrinker) try(ctx context.Context, t Trace) bool {
	if s.budget <= 0 || ctx.Err() != nil || !smaller(t, s.best) {
		return false
	}
	r, early, err := s.replay(ctx, t)
	s.budget -= worldActions + max(r.Actions, 1)
	if err != nil || !finds(r, s.check) || s.early && !early {
		return false
	}
	s.best = r.Trace // without the actions that were passed over, and those after the violation
	return true
}

// smaller reports whether one trace is smaller than another: fewer actions, then fewer writers, then a shorter text.
func smaller(a, b Trace) bool {
	return cmp.Or(cmp.Compare(len(a.Actions), len(b.Actions)), cmp.Compare(a.Config.Writers, b.Config.Writers),
		cmp.Compare(a.length(), b.length())) < 0
}

// length is how long the actions are as text.
func (t Trace) length() int {
	n := 0
	for _, a := range t.Actions {
		n += len(a.String())
	}
	if t.Config.DataFiles {
		n++ // a world without them is the simpler one
	}
	return n
}

// leaveOut leaves out actions that pick chooses: halves of them, then smaller parts, from the end. Without its start the
// steps of a program are passed over.
func (s *shrinker) leaveOut(ctx context.Context, pick func(Action) bool) {
	for size := len(s.picked(pick)); size > 0; size /= 2 {
		for end := len(s.picked(pick)); end > 0; end -= size {
			all := s.picked(pick)
			end = min(end, len(all))
			if end == 0 {
				break
			}
			out := all[max(end-size, 0):end]
			t := s.best
			t.Actions = nil
			for i, a := range s.best.Actions {
				if _, dropped := slices.BinarySearch(out, i); !dropped {
					t.Actions = append(t.Actions, a)
				}
			}
			s.try(ctx, t)
		}
	}
}

// picked returns the indexes of the actions that pick chooses.
func (s *shrinker) picked(pick func(Action) bool) []int {
	var all []int
	for i, a := range s.best.Actions {
		if pick(a) {
			all = append(all, i)
		}
	}
	return all
}

// joinPrograms makes one transaction of two that follow each other.
func (s *shrinker) joinPrograms(ctx context.Context) {
	isStart := func(a Action) bool { return a.Kind == Start && a.Program.transaction() }
	for n := 0; ; {
		starts := s.picked(isStart)
		if n+1 >= len(starts) {
			return
		}
		i, j := starts[n], starts[n+1]
		t := s.best
		t.Actions = slices.Delete(slices.Clone(t.Actions), j, j+1)
		into := &t.Actions[i].Program
		into.Ops = slices.Concat(into.Ops, s.best.Actions[j].Program.Ops)
		if !s.try(ctx, t) {
			n++
		}
	}
}

// sequential returns the trace as one writer would go through it, one program after the other.
func (t Trace) sequential() Trace {
	var starts []int
	steps := make(map[int][]Action) // by the index of the start
	under := make(map[int]int)      // which start a writer's steps belong to
	for i, a := range t.Actions {
		if a.Kind == Start {
			starts = append(starts, i)
			under[a.Writer] = i
		}
		a.Writer = min(a.Writer, 1)
		if start, known := under[t.Actions[i].Writer]; known && a.Kind != Land {
			steps[start] = append(steps[start], a)
		}
	}
	t.Actions, t.Config.Writers = nil, 1
	for _, i := range starts {
		t.Actions = append(t.Actions, steps[i]...)
	}
	return t
}

// fewerWriters gives the actions of a writer to one before it, and the numbers that are free to those behind.
func (s *shrinker) fewerWriters(ctx context.Context) {
	for from := s.best.Config.Writers; from > 1; from-- {
		for to := 1; to < from; to++ {
			if s.try(ctx, s.best.merged(from, to)) {
				break
			}
		}
	}
	s.try(ctx, s.best.merged(0, 0))
}

// merged returns the trace with the actions of one writer given to another, and with no more writers than act, in the same
// order: at the end of a run they go on in that order.
func (t Trace) merged(from, to int) Trace {
	t.Actions = slices.Clone(t.Actions)
	var act []int
	for i := range t.Actions {
		a := &t.Actions[i]
		if a.Writer == from {
			a.Writer = to
		}
		if at, known := slices.BinarySearch(act, a.Writer); a.Writer > 0 && !known {
			act = slices.Insert(act, at, a.Writer)
		}
	}
	for i := range t.Actions {
		if a := &t.Actions[i]; a.Writer > 0 {
			at, _ := slices.BinarySearch(act, a.Writer)
			a.Writer = at + 1
		}
	}
	t.Config.Writers = max(len(act), 1)
	return t
}
