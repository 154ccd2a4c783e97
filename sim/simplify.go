package sim

import (
	"context"
	"slices"

	"github.com/firn-io/firn/dv"
	"github.com/firn-io/firn/store/fault"
)

// simplify makes single actions simpler, and the world.
func (s *shrinker) simplify(ctx context.Context) {
	t := s.best
	t.Config.DataFiles = false
	s.try(ctx, t)
	for i := 0; i < len(s.best.Actions); i++ {
		for again := true; again; {
			again = false
			for _, a := range simpler(s.best.Actions[i]) {
				t := s.best
				t.Actions = slices.Clone(t.Actions)
				t.Actions[i] = a
				if s.try(ctx, t) {
					again = i < len(s.best.Actions)
					break
				}
			}
		}
	}
}

// simpler returns simpler forms of an action, the simplest first.
func simpler(a Action) []Action {
	var all []Action
	add := func(change func(*Action)) {
		b := a
		change(&b)
		all = append(all, b)
	}
	switch a.Kind {
	case Start:
		for _, p := range simplerPrograms(a.Program) {
			add(func(b *Action) { b.Program = p })
		}
	case Step, Creep:
		add(func(b *Action) { b.Fault = fault.Fault{} })
		add(func(b *Action) { b.Kind = Step })
		add(func(b *Action) { b.Fault.Number = 0 })
		add(func(b *Action) { b.Fault.Nth = min(b.Fault.Nth, 1) })
	case Crash:
		add(func(b *Action) { b.Kind = Fall })
	case Tick:
		add(func(b *Action) { b.Millis /= 10 })
	}
	return all
}

// simplerPrograms returns simpler forms of a program.
func simplerPrograms(p Program) []Program {
	var all []Program
	add := func(change func(*Program)) {
		q := p
		q.Ops = slices.Clone(p.Ops)
		change(&q)
		all = append(all, q)
	}
	add(func(q *Program) { q.Branch = "" })
	add(func(q *Program) { q.Snapshot = false })
	add(func(q *Program) { q.Maintenance, q.Own = false, false })
	add(func(q *Program) { q.Own = false })
	for i, o := range p.Ops {
		if p.transaction() {
			add(func(q *Program) { q.Ops = slices.Delete(q.Ops, i, i+1) })
		}
		if i > 0 && joinable(p.Ops[i-1], o) {
			add(func(q *Program) {
				q.Ops[i-1].New.Last = o.New.Last
				q.Ops = slices.Delete(q.Ops, i, i+1)
			})
		}
		for _, simple := range simplerOps(o) {
			add(func(q *Program) { q.Ops[i] = simple })
		}
	}
	return all
}

// joinable reports whether two steps add files one behind the other.
func joinable(a, b Op) bool {
	return a.Verb == Add && b.Verb == Add && a.New.Last+1 == b.New.First && a.Records == b.Records
}

// simplerOps returns simpler forms of a step.
func simplerOps(o Op) []Op {
	var all []Op
	add := func(change func(*Op)) {
		q := o
		change(&q)
		all = append(all, q)
	}
	add(func(q *Op) { q.Hint, q.Merge, q.Keep = false, false, false })
	add(func(q *Op) { q.Hint = false })
	add(func(q *Op) { q.Merge = false })
	add(func(q *Op) { q.Keep = false })
	for _, files := range parts(o.Files) {
		add(func(q *Op) { q.Files = files })
	}
	for _, rows := range parts(slices.Collect(o.Rows.All())) {
		if v, err := dv.Of(rows...); err == nil {
			add(func(q *Op) { q.Rows = v })
		}
	}
	for _, last := range []int64{o.New.First, (o.New.First + o.New.Last) / 2, o.New.Last - 1} {
		if last >= o.New.First {
			add(func(q *Op) { q.New.Last = last })
		}
	}
	add(func(q *Op) { q.Upper = min(q.Upper, q.Lower+1) })
	if o.Records > 1 {
		add(func(q *Op) { q.Records = 1 })
	}
	for _, n := range []int64{0, 1, o.Number / 10} {
		add(func(q *Op) { q.Number = n })
	}
	return all
}

// parts returns the halves of a list of two or more, and if it is short the list without each member.
func parts[T any](list []T) [][]T {
	if len(list) < 2 {
		return nil
	}
	all := [][]T{list[:len(list)/2], list[len(list)/2:]}
	const short = 8
	for i := range list {
		if len(list) <= short && len(list) > 2 {
			all = append(all, slices.Delete(slices.Clone(list), i, i+1))
		}
	}
	return all
}

// renumbered returns the trace with the files that it names numbered from 1 without gaps: which file comes before which
// stays the same, and so what a filter means.
func (t Trace) renumbered() Trace {
	named := make(map[int64]bool)
	t.eachFile(func(n int64) int64 { named[n] = true; return n })
	all := make([]int64, 0, len(named))
	for n := range named {
		all = append(all, n)
	}
	slices.Sort(all)
	return t.eachFile(func(n int64) int64 {
		i, _ := slices.BinarySearch(all, n)
		return int64(i + 1)
	})
}

// eachFile returns the trace with all numbers of files replaced.
func (t Trace) eachFile(replace func(int64) int64) Trace {
	t.Actions = slices.Clone(t.Actions)
	for i := range t.Actions {
		p := &t.Actions[i].Program
		p.Ops = slices.Clone(p.Ops)
		for j := range p.Ops {
			p.Ops[j].eachFile(replace)
		}
	}
	return t
}

func (o *Op) eachFile(replace func(int64) int64) {
	s := verbs[o.Verb]
	if s.files {
		o.Files = slices.Clone(o.Files)
		for i, n := range o.Files {
			o.Files[i] = replace(n)
		}
	}
	if s.news {
		first := replace(o.New.First)
		for n := o.New.First + 1; n < o.New.Last; n++ {
			replace(n)
		}
		o.New = Range{first, max(replace(o.New.Last), first)}
	}
	if s.limits {
		o.Lower, o.Upper = replace(o.Lower), replace(o.Upper)
	}
}
