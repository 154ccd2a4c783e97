package sim

import (
	"context"
	"errors"
	"fmt"
)

// Report is what a run found and what it did.
type Report struct {
	Seed   uint64 `json:"seed"`
	Counts Counts `json:"counts"`
	// Largest are the largest things that were written.
	Largest Largest `json:"largest"`
	// Actions counts the actions of the scheduler.
	Actions int `json:"actions"`
	// Violations are what the engine did wrong; the run ends with the first action that has any.
	Violations []Violation `json:"violations"`
	// TraceHash sums up the actions, the roots of the retained snapshots, and the names and sizes of all objects.
	TraceHash string `json:"trace_hash"`
	// FeedHash sums up what the snapshots changed, in their order, and LiveHash the files that are live at the end, with
	// their deleted rows: what runs of the same actions have in common, whatever the policy and the codec.
	FeedHash string `json:"feed_hash"`
	LiveHash string `json:"live_hash"`
	// Trace is the run as it can be done again; one of more than 300,000 actions has no trace, and its Actions are nil.
	Trace Trace `json:"-"`
}

// Run makes one run. An error says that the configuration is wrong, or that the simulator itself failed; what the
// engine did wrong is in the report.
func Run(ctx context.Context, c Config) (Report, error) { return Watch(ctx, c, nil) }

// Watch is [Run]; see, unless it is nil, is shown the world after each action.
func Watch(ctx context.Context, c Config, see func(*World, Action) error) (Report, error) {
	w, err := NewWorld(c)
	if err != nil {
		return Report{}, err
	}
	return w.run(ctx, see)
}

// run makes a run in a new world.
func (w *World) run(ctx context.Context, see func(*World, Action) error) (Report, error) {
	defer w.abandon()
	s := &session{world: w, hash: newHash()}
	if err := s.fill(ctx); err != nil {
		return Report{}, err
	}
	g := NewWorkload(w, seeded(w.config.Seed))
	// What fills the table does not count. A run that makes no headway ends: each program is at most some hundred actions.
	commits, steps := w.stats.Commits+int64(w.config.Commits), int64(w.steps)+maxActions*int64(w.config.Commits)
	for s.good() && w.stats.Commits < commits && int64(w.steps) < steps {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		a := g.Next()
		if err := s.do(ctx, a); err != nil {
			return Report{}, err
		}
		if err := shown(w, a, see); err != nil {
			return Report{}, err
		}
	}
	return s.finish(ctx)
}

// maxActions bounds the actions of a run, for each commit that is asked for.
const maxActions = 1000

// session is a run on its way.
type session struct {
	world *World
	hash  hash
	// actions are all steps so far, nil beyond [maxTraced].
	actions []Action
	steps   int
}

// maxTraced bounds the actions that are kept: a longer run cannot be made smaller, and is made again from its seed.
const maxTraced = maxShrinkActions

// good reports whether nothing was found yet.
func (s *session) good() bool { return len(s.world.violations) == 0 }

// do does an action and keeps it.
func (s *session) do(ctx context.Context, a Action) error {
	if s.steps++; s.steps <= maxTraced {
		s.actions = append(s.actions, a)
	} else {
		s.actions = nil
	}
	s.hash.add(a)
	if err := s.world.guarded(func() error { return s.world.Do(ctx, a) }); err != nil && s.good() {
		return err
	}
	s.hash.add(s.world.metadata.LastSequenceNumber)
	return nil
}

// maxFilling bounds the files of a commit that fills the table. So many go into leaves by the estimates of a policy alone, and a table whose
// rows take more than estimated begins with leaves, which teach it what a row takes.
const maxFilling = 5000

// fill makes the table what it is before the workload begins: its columns, its partition spec and its files. What filling left
// in the history is let go, so that the checks of the end are of the workload.
func (s *session) fill(ctx context.Context) error {
	const most = maxFilling
	var programs []Program
	alone := func(o Op) { programs = append(programs, Program{Ops: []Op{o}, Unchecked: o.Verb == Add}) }
	c := s.world.config
	for range c.Profile.Columns {
		alone(Op{Verb: AddColumn})
	}
	if c.Profile.Spec > 0 {
		alone(Op{Verb: Respec, Number: c.Profile.Spec})
	}
	for n := int64(1); n <= c.Files; n += most {
		alone(Op{Verb: Add, New: Range{n, min(n+most-1, c.Files)}, Records: 10})
	}
	if c.Files > most {
		alone(Op{Verb: Expire, Number: 1})
	}
	for _, p := range programs {
		if !s.good() {
			return nil
		}
		if err := s.alone(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// alone runs a program of the first writer, in one go and undisturbed.
func (s *session) alone(ctx context.Context, p Program) error {
	if err := s.do(ctx, Action{Kind: Start, Writer: 1, Program: p}); err != nil {
		return err
	}
	r := s.world.writers[0].run
	for s.world.writers[0].run != nil {
		if err := s.do(ctx, Action{Kind: Step, Writer: 1}); err != nil {
			return err
		}
	}
	if r != nil && r.err != nil && s.good() {
		return fmt.Errorf("filling the table: %s: %w", p, r.err)
	}
	return nil
}

// finish makes the checks of the end.
func (s *session) finish(ctx context.Context) (Report, error) {
	w := s.world
	var live string
	if s.good() {
		if err := w.guarded(func() error { return w.drain(ctx) }); err != nil && s.good() {
			return Report{}, err
		}
		live = w.liveHash()
		if err := w.guarded(func() error { return w.Finish(ctx) }); err != nil && s.good() {
			return Report{}, fmt.Errorf("at the end: %w", err)
		}
	}
	s.hash.add(w.metadata.Properties)
	s.hash.add(w.metadata.NextRowID)
	for _, snapshot := range w.metadata.Snapshots {
		s.hash.addTree(w.trees[snapshot.ID])
	}
	for _, name := range w.objects.Names() {
		info, err := w.objects.Stat(ctx, name)
		if err != nil {
			return Report{}, err
		}
		s.hash.add(name)
		s.hash.add(info.SizeBytes)
	}
	return Report{
		Seed: w.config.Seed, Counts: w.stats, Largest: w.largest, Actions: w.steps, Violations: w.violations, TraceHash: s.hash.String(),
		FeedHash: w.feeds.String(), LiveHash: live,
		Trace: Trace{Config: w.config, Actions: s.actions, Expect: w.violations},
	}, nil
}

// ErrDiverged says that an action of a trace cannot be done where the replay has come to.
var ErrDiverged = errors.New("the trace does not replay")

// Replay does the actions of a trace again; see, unless it is nil, is shown the world after each of them. Actions that cannot
// be done in the state at hand are [ErrDiverged], unless lax, which passes over them.
func Replay(ctx context.Context, t Trace, lax bool, see func(*World, Action) error) (Report, error) {
	w, err := NewWorld(t.Config)
	if err != nil {
		return Report{}, err
	}
	return w.replay(ctx, t.Actions, lax, see)
}

// replay does actions in a new world.
func (w *World) replay(ctx context.Context, actions []Action, lax bool, see func(*World, Action) error) (Report, error) {
	defer w.abandon()
	s := &session{world: w, hash: newHash()}
	for i, a := range actions {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		if !s.good() {
			break
		}
		if lax && (a.Writer > len(w.writers) || w.can(a) != nil) {
			continue
		}
		if err := s.do(ctx, a); err != nil {
			return Report{}, fmt.Errorf("%w: action %d: %w", ErrDiverged, i+1, err)
		}
		if err := shown(w, a, see); err != nil {
			return Report{}, err
		}
	}
	return s.finish(ctx)
}

// shown shows the world, unless there is nobody to see it.
func shown(w *World, a Action, see func(*World, Action) error) error {
	if see == nil {
		return nil
	}
	return see(w, a)
}
