package sim

import (
	"slices"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/tree"
)

// Workload chooses actions: who goes on, with which program, and what disturbs it. Its choices are functions of its source
// and of what the world looks like.
type Workload struct {
	world   *World
	random  choices
	profile Profile
	// next is the number of the next new file.
	next int64
	// removed are some files that are live no more.
	removed []int64
	columns int
	pace    pace
}

// NewWorkload returns the workload of a world, by its profile.
func NewWorkload(w *World, from Source) *Workload {
	return &Workload{world: w, profile: w.config.Profile, next: w.config.Files + 1, random: choices{from}, columns: w.config.Profile.Columns}
}

// percent is true in so many of a hundred cases.
func (g *Workload) percent(share int) bool { return g.random.IntN(100) < share }

// pick returns an index by its weight, -1 if there is no weight.
func (g *Workload) pick(weights ...int) int {
	sum := 0
	for _, n := range weights {
		sum += n
	}
	if sum == 0 {
		return -1
	}
	at := g.random.IntN(sum)
	for i, n := range weights {
		if at -= n; at < 0 {
			return i
		}
	}
	return -1
}

// Next returns the next action.
func (g *Workload) Next() Action {
	w := g.world
	if len(w.transit.Pending()) > 0 && g.percent(10) {
		return Action{Kind: Land}
	}
	x := g.who()
	if x.run == nil {
		if g.random.below(w.config.Faults / 4) {
			return Action{Kind: Tick, Writer: x.number, Millis: g.random.Int64N(4001) - 2000}
		}
		return Action{Kind: Start, Writer: x.number, Program: g.program(x)}
	}
	a := Action{Kind: Step, Writer: x.number}
	if g.percent(g.profile.Creeping) {
		a.Kind = Creep
	}
	if !g.random.below(w.config.Faults) {
		return a
	}
	if g.percent(15) {
		a.Kind = Crash
		if g.percent(50) {
			a.Kind = Fall
		}
		return a
	}
	a.Fault = g.fault(x.run.at.Op)
	return a
}

// Faults that a store may put into a call besides [fault.Outcomes]: late and slow calls, and objects that are torn as they
// are written under a name that nobody knows yet, or as they are read.
var further = map[fault.Op][]fault.Outcome{
	fault.Swap: {fault.Late, fault.Late, fault.Slow, fault.LandSlow}, fault.Put: {fault.Late, fault.HalfFail},
	fault.Get: {fault.Half, fault.Missing}, fault.GetRange: {fault.Half, fault.Missing}, fault.Load: {fault.Slow},
	fault.List: {fault.Break},
}

// fault draws a fault of the call before which a program stands, or of one that may come soon.
func (g *Workload) fault(at fault.Op) fault.Fault {
	f := fault.Fault{Op: at, Nth: 1}
	if !g.world.config.HeadFaults && g.percent(60) {
		ops := []fault.Op{fault.Put, fault.Put, fault.Get, fault.GetRange, fault.Delete, fault.List, fault.Load, fault.Swap}
		f.Op = ops[g.random.IntN(len(ops))]
		f.Nth = 1 + g.random.IntN(3)
	}
	outcomes := append(fault.Outcomes(f.Op), further[f.Op]...)
	f.Outcome = outcomes[g.random.IntN(len(outcomes))]
	switch f.Outcome {
	case fault.Late:
		f.Number = g.random.IntN(6)
	case fault.Slow, fault.LandSlow:
		f.Number = 1 + g.random.IntN(5000)
	}
	return f
}

// program draws the next program of a writer.
func (g *Workload) program(x *writer) Program {
	if len(x.open) > 0 && g.percent(50) {
		return Program{Ops: []Op{{Verb: Ask}}}
	}
	p := g.profile
	var program Program
	if branches := g.branches(); len(branches) > 0 && g.percent(p.OnBranch) {
		program.Branch = branches[g.random.IntN(len(branches))]
	}
	s := g.scene(program.Branch)
	kind := g.pick(p.weights()...)
	switch kind {
	case 1:
		program.Unchecked = g.percent(p.Unchecked)
		for range 2 + g.random.IntN(3) {
			program.Ops = g.extend(program.Ops, s)
		}
		return program
	case 7:
		program.Snapshot = g.percent(30)
	case 10:
		program.Maintenance = true
		program.Own = p.Own > 0 && g.percent(p.Own) // without a share nothing is drawn, as in traces of before
		return program
	case 11:
		return program
	}
	op := g.op(kind, s)
	program.Unchecked = kind != again && g.percent(p.Unchecked)
	if !op.Verb.changesFiles() {
		program = Program{}
	}
	program.Ops = []Op{op}
	return program
}

// extend adds a step that does not touch a file twice.
func (g *Workload) extend(ops []Op, s *scene) []Op {
	op := g.op(g.pick(3, 0, 2, 1, 1, 3, 1), s)
	for _, earlier := range ops {
		for _, n := range earlier.Files {
			if slices.Contains(op.Files, n) {
				return ops
			}
		}
	}
	return append(ops, op)
}

// mostSchemas and mostSpecs are how many a workload makes. A table never forgets any, and each commit writes and checks all.
const mostSchemas, mostSpecs = 16, 8

// again is the place of [Profile.Again] among the weights: the one program that adds files which may be live.
const again = 9

// op draws a step of the kind that has this place in [Profile.weights]. Without a victim it adds a file instead.
func (g *Workload) op(kind int, s *scene) Op {
	p := g.profile
	op := Op{Hint: g.percent(p.Hinted)}
	if m := &g.world.metadata; (kind == 14 || kind == 17) && (len(m.Schemas) >= mostSchemas || len(m.Specs) >= mostSpecs) {
		kind = 0
	}
	switch kind {
	case 12:
		return Op{Verb: Expire, Number: p.Retain}
	case 13:
		return g.cleanUp()
	case 14:
		return g.schema()
	case 15:
		return g.branch()
	case 16:
		return Op{Verb: Caps, Number: 4 + g.random.Int64N(40)}
	case 17:
		return Op{Verb: Respec, Number: g.random.Int64N(int64(len(specs)))}
	case 19:
		return Op{Verb: Choose, Name: choose.Names()[g.random.IntN(len(choose.Names()))]}
	case 18:
		return Op{Verb: RollBack, Number: 1 + g.random.Int64N(3)}
	case 8:
		return Op{Verb: Restore, Number: g.random.Int64N(5)}
	case 9:
		// A data file that somebody may be about to delete must not come back under its name.
		if len(g.removed) > 0 && !g.world.config.DataFiles {
			n := g.removed[len(g.removed)-1-g.random.IntN(min(len(g.removed), 3))] // others want it too
			return Op{Verb: Add, New: Range{n, n}, Records: 10}
		}
	case 2, 3, 4, 5, 6, 7:
		if s.empty() {
			break
		}
		return g.onVictims(op, kind, s)
	}
	if p.MostFiles > 0 && !s.empty() && int64(s.model.files.Len()) >= p.MostFiles {
		return g.onVictims(op, 2, s)
	}
	return Op{Verb: Add, New: g.fresh(p.MinFiles + g.random.Int64N(p.MaxFiles-p.MinFiles+1)), Records: 10}
}

// fresh returns so many new files.
func (g *Workload) fresh(count int64) Range {
	r := Range{g.next, g.next + count - 1}
	g.next += count
	return r
}

// onVictims draws a step on files that are live.
func (g *Workload) onVictims(op Op, kind int, s *scene) Op {
	count := 1 + g.random.IntN(3)
	switch kind {
	case 2:
		op.Verb, op.Files = Remove, g.victims(s, count)
		g.removed = append(g.removed, op.Files...)
		if len(g.removed) > 20 {
			g.removed = g.removed[len(g.removed)-20:]
		}
	case 3:
		op.Verb, op.Files, op.New, op.Records = Replace, g.victims(s, count), g.fresh(1), 10
	case 4:
		op.Verb, op.Files, op.New, op.Records = Compact, g.victims(s, 1+count), g.fresh(1), 20
	case 5:
		op.Verb, op.Files, op.Merge, op.Keep = Delete, g.victims(s, count), g.percent(50), g.percent(20)
		op.Rows = g.rows(s, op.Files)
	case 6:
		op.Verb, op.Files = Refresh, g.victims(s, 1)
	case 7:
		n := g.victims(s, 1)[0]
		op = Op{Verb: Where, Lower: n, Upper: n + 1 + g.random.Int64N(5)}
		if g.percent(20) {
			op.Verb = Depend
		}
	}
	return op
}

// cleanUp draws a clean-up that spares what programs under way have written; while a call may still land there is none.
func (g *Workload) cleanUp() Op {
	w := g.world
	oldest := w.nowMillis
	for _, x := range w.writers {
		if x.run != nil {
			oldest = min(oldest, x.run.startMillis)
		}
		if len(x.open) > 0 || len(w.transit.Pending()) > 0 {
			return Op{Verb: Expire, Number: max(g.profile.Retain, 1)}
		}
	}
	const hour = 60 * 60 * 1000
	return Op{Verb: CleanUp, Number: w.nowMillis - oldest + hour}
}

func (g *Workload) schema() Op {
	if g.percent(20) {
		g.columns++
		return Op{Verb: Require}
	}
	if g.columns == 0 || g.percent(60) {
		g.columns++
		return Op{Verb: AddColumn}
	}
	g.columns--
	return Op{Verb: DropColumn}
}

// scene is a branch as a workload looks at it for victims.
type scene struct {
	tree  tree.Tree
	model model
	// places are the rows of the root where files of a class live, by class.
	places [5][]int
}

// scene looks at the head of a branch.
func (g *Workload) scene(branch string) *scene {
	w := g.world
	if branch == "" {
		branch = metadata.MainBranch
	}
	s := &scene{model: newModel()}
	ref, there := w.metadata.Ref(branch)
	if !there {
		return s
	}
	s.tree, s.model = w.trees[ref.SnapshotID], w.models[ref.SnapshotID]
	for i := range s.tree.Rows {
		if class := s.class(i); class >= 0 {
			s.places[class] = append(s.places[class], i)
		}
	}
	return s
}

func (s *scene) empty() bool { return s.model.files == nil || s.model.files.Len() == 0 }

// class returns in which class the files of a row are, in the order of [Victims], or -1 if it has no live ones.
func (s *scene) class(i int) int {
	e := &s.tree.Rows[i]
	const recent = 3 // snapshots
	switch {
	case !alive(e.Tracking.Status):
		return -1
	case !e.Content.IsManifest():
		if e.Tracking.FileSequenceNumber.Val > s.tree.SequenceNumber-recent {
			return 1
		}
		return 0
	}
	masked, err := masks(e)
	m := e.Manifest.Val
	live := int64(m.AddedFiles) + int64(m.ExistingFiles) + int64(m.ModifiedFiles) - int64(masked.Cardinality())
	switch {
	case err != nil || live <= 0:
		return -1
	case live == 1:
		return 4
	case masked.Cardinality() > 0:
		return 3
	}
	return 2
}

// victims draws different live files, fewer than asked for if luck has it.
func (g *Workload) victims(s *scene, count int) []int64 {
	var numbers []int64
	for range count {
		if n := g.victim(s); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	g.heat(numbers)
	return numbers
}

// victim draws a live file, by where it lives if there is such a place.
func (g *Workload) victim(s *scene) int64 {
	if n, hot := g.hotVictim(s); hot {
		return n
	}
	v := g.profile.Victims
	class := g.pick(v.LooseOld, v.LooseNew, v.Leaf, v.Masked, v.Last)
	if class >= 0 && len(s.places[class]) > 0 {
		i := s.places[class][g.random.IntN(len(s.places[class]))]
		if n, found := g.liveIn(s, &s.tree.Rows[i]); found {
			return n
		}
	}
	n, _, _ := s.model.files.GetAt(g.random.IntN(s.model.files.Len()))
	return n
}

// liveIn draws a live file of a row of the root.
func (g *Workload) liveIn(s *scene, e *tree.Entry) (int64, bool) {
	location := tree.Resolve(tableLocation, e.Location)
	if !e.Content.IsManifest() {
		return numberOf(location)
	}
	masked, err := masks(e)
	view := g.world.leaves[location]
	if err != nil || view == nil || len(view.rows) == 0 {
		return 0, false
	}
	start := g.random.IntN(len(view.rows))
	for i := range view.rows {
		at := (start + i) % len(view.rows)
		if view.rows[at].live && !masked.Contains(uint32(at)) {
			return view.rows[at].number, true
		}
	}
	return 0, false
}
