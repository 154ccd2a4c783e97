package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/store/fault"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// checkReduction is the check that the reduced runs of a program end as all its runs do.
const checkReduction = "reduction"

// full runs a program without any reduction, in a [World] like that of [Run]: the scheduler chooses before each call of any
// store who goes on, and what disturbs that call. Every run begins anew and runs to its end.
type full struct {
	*explorer
	faults int
	runs   int64
	// ends are the outcomes with a run of each.
	ends map[string]Trace
}

// choice is a place of a run where the scheduler chose one of several.
type choice struct{ taken, of int }

// all makes all runs, in the order of their choices.
func (f *full) all(ctx context.Context) error {
	var path []choice
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if path, err = f.run(ctx, path); err != nil || len(f.found) > 0 {
			return err
		}
		f.runs++
		for len(path) > 0 && path[len(path)-1].taken+1 == path[len(path)-1].of {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return nil
		}
		path[len(path)-1].taken++
	}
}

// run makes the run that begins with such choices, and the first ones from there on. It returns all of them.
func (f *full) run(ctx context.Context, path []choice) ([]choice, error) {
	w, err := f.world(ctx)
	if err != nil {
		return nil, err
	}
	r := &fullRun{full: f, world: w, runs: make(map[*run]author), ends: make(map[author]*run), faults: f.faults}
	defer r.close()
	for i := range f.programs {
		if err := r.begin(ctx, i+1, 0); err != nil {
			return nil, err
		}
	}
	for at := 0; ; at++ {
		options := r.options()
		if len(options) == 0 {
			break
		}
		if at == len(path) {
			path = append(path, choice{of: len(options)})
		}
		if err := r.do(ctx, options[path[at].taken]); err != nil {
			return nil, err
		}
		if len(w.violations) > 0 {
			f.found = append(f.found, FoundViolation{Violation: w.violations[0], Program: f.names, Trace: r.trace()})
			return nil, nil
		}
	}
	outcome := r.outcome()
	if _, known := f.ends[outcome]; !known {
		f.ends[outcome] = r.trace()
	}
	return path, nil
}

// world makes a world in the state to begin with.
func (f *full) world(ctx context.Context) (*World, error) {
	from := f.start.world
	manifests := make(map[string]item)
	w := from.fork(f.start.shelf, make(map[int64]intent))
	w.snapshotIDs, w.uuids = from.snapshotIDs, from.uuids
	w.catalog.Catalog = new(mem.Catalog)
	w.codec = shelfCodec{
		find: func(name string) (item, bool) {
			if i, there := manifests[name]; there {
				return i, true
			}
			return f.start.shelf.find(name)
		},
		put: func(name string, i item) { manifests[name] = i },
	}
	for name, i := range f.start.shelf.items {
		if err := w.objects.Put(ctx, name, i.data); err != nil {
			return nil, err
		}
	}
	if err := w.catalog.Swap(ctx, tableID, "", f.start.location); err != nil {
		return nil, err
	}
	w.catalog.landed = nil
	for n := range f.programs {
		w.writers = append(w.writers, w.newWriter(n+1))
	}
	return w, nil
}

// fullRun is one run on its way.
type fullRun struct {
	*full
	world   *World
	faults  int
	actions []Action
	// runs and ends are the operations by their runs, and the other way round.
	runs map[*run]author
	ends map[author]*run
}

// close ends what a run that was broken off leaves under way.
func (r *fullRun) close() {
	for _, x := range r.world.writers {
		if x.run != nil {
			x.calls.Crash()
			x.run.stop()
		}
	}
}

func (r *fullRun) trace() Trace {
	return Trace{Config: r.world.config, Actions: slices.Concat(r.setup, r.actions)}
}

// begin starts an operation of a writer, if there is one more.
func (r *fullRun) begin(ctx context.Context, writer, operation int) error {
	programs := r.programs[writer-1]
	if operation == len(programs) {
		return nil
	}
	if err := r.do(ctx, Action{Kind: Start, Writer: writer, Program: programs[operation]}); err != nil {
		return err
	}
	begun := r.world.writers[writer-1].run
	r.runs[begun], r.ends[author{writer, operation}] = author{writer, operation}, begun
	return nil
}

func (r *fullRun) do(ctx context.Context, a Action) error {
	x := r.world.writers[a.Writer-1]
	before := x.run
	r.actions = append(r.actions, a)
	err := r.world.Do(ctx, a)
	if len(r.world.violations) > 0 {
		return nil // the run ends here
	}
	if err != nil {
		return err
	}
	if a.Fault != (fault.Fault{}) {
		r.faults--
	}
	if before == nil || x.run != nil {
		return nil
	}
	return r.begin(ctx, a.Writer, r.runs[before].operation+1)
}

// options are what the scheduler can do.
func (r *fullRun) options() []Action {
	var options []Action
	for _, x := range r.world.writers {
		if x.run == nil {
			continue
		}
		options = append(options, Action{Kind: Creep, Writer: x.number})
		if r.faults == 0 {
			continue
		}
		for _, o := range r.outcomes(x.run.at.Op) {
			options = append(options, Action{
				Kind: Creep, Writer: x.number, Fault: fault.Fault{Op: x.run.at.Op, Nth: 1, Outcome: o},
			})
		}
	}
	return options
}

// outcome says how the run ended.
func (r *fullRun) outcome() string {
	w := r.world
	makers := make(map[int64]author)
	for begun, a := range r.runs {
		for _, id := range begun.snapshots {
			makers[id] = a
		}
	}
	var history []author
	current, _ := w.catalog.Load(context.Background(), tableID)
	for _, entry := range w.metadata.MetadataLog {
		if a, ours := r.runs[w.owners[tree.Resolve(tableLocation, entry.File)]]; ours {
			history = append(history, a)
		}
	}
	if a, ours := r.runs[w.owners[current]]; ours {
		history = append(history, a)
	}
	return describe(w, history, func(id int64) (author, bool) { a, ours := makers[id]; return a, ours }, func(a author) told {
		return endOf(r.ends[a])
	}, r.programs)
}

// outcome says how the runs that come to an ending end.
func (x *explorer) outcome(p position) string {
	var history []author
	for s := p.state; s.parent != nil; s = s.parent {
		history = append(history, s.author)
	}
	slices.Reverse(history)
	return describe(p.state.world, history, authorOf, func(a author) told { return p.toldOf(a.writer, a.operation) }, x.programs)
}

// authorOf is who made a snapshot of an exploration, see solo.env.
func authorOf(snapshot int64) (author, bool) {
	return author{int(snapshot / firstSnapshotID), int(snapshot % firstSnapshotID / (firstSnapshotID / 10))}, snapshot >= firstSnapshotID
}

// describe says how a run ended, in terms that do not depend on ids: whose changes became the table's, in order, who was told
// what, and what is live.
func describe(w *World, history []author, maker func(int64) (author, bool), told func(author) told, programs [][]Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "history %v; told", history)
	for i := range programs {
		for n := range programs[i] {
			fmt.Fprintf(&b, " %s", told(author{i + 1, n}))
		}
	}
	name := func(id int64) string {
		if a, ours := maker(id); ours {
			return fmt.Sprint(a)
		}
		return strconv.FormatInt(id, 10)
	}
	current, _ := w.metadata.Current()
	fmt.Fprintf(&b, "; columns %d; live", w.metadata.LastColumnID)
	w.models[current.ID].files.Scan(func(n int64, f file) bool {
		fmt.Fprintf(&b, "; %d: %s by %s, modified by %s", n, file{
			records: f.records, size: f.size, sequence: f.sequence, fileSequence: f.fileSequence, deleted: f.deleted,
			stats: f.stats, firstRowID: f.firstRowID,
		}, name(f.snapshot), name(f.modified))
		return true
	})
	return b.String()
}

// compare runs the program without reduction and holds the outcomes against those of the reduced runs.
func (x *explorer) compare(ctx context.Context, faults int, reduced map[string]Trace) error {
	f := &full{explorer: x, faults: faults, ends: make(map[string]Trace)}
	if err := f.all(ctx); err != nil {
		return err
	}
	x.report.FullRuns, x.report.FullOutcomes = f.runs, int64(len(f.ends))
	for _, side := range []struct {
		of, in map[string]Trace
		lacks  string
	}{{f.ends, reduced, "the reduction has no run that ends so"}, {reduced, f.ends, "only the reduction has a run that ends so"}} {
		for _, end := range slices.Sorted(maps.Keys(side.of)) {
			if _, known := side.in[end]; !known && len(x.found) == 0 {
				x.found = append(x.found, FoundViolation{
					Violation: Violation{Check: checkReduction, Message: side.lacks + ": " + end}, Program: x.names, Trace: side.of[end],
				})
			}
		}
	}
	return nil
}
