package sim

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync"

	"github.com/firn-io/firn/store/fault"
)

// Bounds say what an exploration enumerates: all programs of so many writers that do so many operations each, all
// interleavings of each, and all ways to disturb them by at most so many faults.
//
// With one operation each the programs are all multisets of kinds, one kind for each writer. With more they are all multisets of
// as many kinds as there are operations: each writer does all of them, and each begins with another one.
type Bounds struct {
	Name       string `json:"name,omitempty"`
	Writers    int    `json:"writers"`
	Operations int    `json:"operations"`
	// Faults is 0 to 2. Two faults of a run are in different pieces of it, from one call of the catalog to the next.
	Faults int `json:"faults"`
	// Kinds are the kinds of changes by name, see [ChangeKinds]; nil for all.
	Kinds []string `json:"kinds,omitempty"`
	// Full runs the programs without the reduction too, see [Explore].
	Full bool `json:"full,omitempty"`
	// Workers are programs that are explored at once; by default one for each processor.
	Workers int `json:"-"`
	// Progress, if set, is told how many programs are done. It is called by one goroutine at a time.
	Progress func(done, total int) `json:"-"`
	// further are outcomes besides those of [fault.Outcomes]: a test sees with those of an unsound store that something is
	// found.
	further map[fault.Op][]fault.Outcome
}

// ExploreReport is what an exploration found.
type ExploreReport struct {
	Bounds   Bounds `json:"bounds"`
	Programs int64  `json:"programs"`
	// Runs are the interleavings that were looked at, one for all that nobody can tell apart, with and without a fault; and
	// Orders are all orders of the same calls of the catalog, which they stand for.
	Runs   int64 `json:"runs"`
	Orders int64 `json:"orders"`
	// Undisturbed are the runs without a fault, and ClosedForm how many there are of each program by the formula if all its
	// operations commit, see [ClosedForm].
	Undisturbed int64  `json:"undisturbed"`
	ClosedForm  string `json:"closed_form"`
	// Places are the places of a fault in them: each outcome of each call of each of them, see [fault.Outcomes].
	Places int64 `json:"places"`
	// Executions are the times that production code ran from one call of the catalog to the next, Replayed those that were
	// made again to come to where others branch off, and States the states of the table that were checked.
	Executions int64 `json:"executions"`
	Replayed   int64 `json:"replayed"`
	States     int64 `json:"states"`
	// Positions are the different positions of all writers.
	Positions int64 `json:"positions"`
	// FullRuns are those without reduction.
	FullRuns   int64            `json:"full_runs,omitempty"`
	Violations []FoundViolation `json:"violations"`
	PerProgram []ProgramReport  `json:"per_program"`
}

// ProgramReport is what the exploration of one program found.
type ProgramReport struct {
	// Program are the kinds that each writer does.
	Program     []string `json:"program"`
	Runs        int64    `json:"runs"`
	Undisturbed int64    `json:"undisturbed"`
	ClosedForm  string   `json:"closed_form"`
	Places      int64    `json:"places"`
	Orders      int64    `json:"orders"`
	Executions  int64    `json:"executions"`
	Replayed    int64    `json:"replayed"`
	States      int64    `json:"states"`
	Positions   int64    `json:"positions"`
	// Outcomes counts the different ends: what is live, the history of the table, and who was told what.
	Outcomes int64 `json:"outcomes"`
	// FullRuns are the runs without reduction, a choice before each call of any store, and FullOutcomes the different
	// outcomes that they have; 0 if none were asked for.
	FullRuns     int64            `json:"full_runs,omitempty"`
	FullOutcomes int64            `json:"full_outcomes,omitempty"`
	Violations   []FoundViolation `json:"violations,omitempty"`
}

// FoundViolation is a violation with the run that shows it.
type FoundViolation struct {
	Violation
	Program []string `json:"program"`
	// Trace is the run, for [Replay].
	Trace Trace `json:"-"`
}

// ExploreSets returns the named explorations: (a) three writers with one operation each and a fault, for every multiset of
// kinds; (b) two with two and a fault, (c) three with two and none, for every pair of kinds. Those whose names begin with full
// run tiny programs without the reduction too.
func ExploreSets() []Bounds {
	return []Bounds{
		{Name: "a", Writers: 3, Operations: 1, Faults: 1},
		{Name: "b", Writers: 2, Operations: 2, Faults: 1},
		{Name: "c", Writers: 3, Operations: 2},
		{Name: "full-one", Writers: 1, Operations: 1, Faults: 1, Full: true},
		{Name: "full-two", Writers: 2, Operations: 1, Full: true, Kinds: []string{"schema", "empty", "remove", "maintain", "where"}},
		{Name: "full-fault", Writers: 2, Operations: 1, Faults: 1, Full: true, Kinds: []string{"schema"}},
	}
}

// Validate reports all that is wrong.
func (b Bounds) Validate() error {
	var problems []error
	if b.Writers < 1 || b.Writers > maxExplorers {
		problems = append(problems, fmt.Errorf("%d writers: want 1 to %d", b.Writers, maxExplorers))
	}
	if b.Operations < 1 || b.Operations > maxOperations {
		problems = append(problems, fmt.Errorf("%d operations: want 1 to %d", b.Operations, maxOperations))
	}
	if b.Faults < 0 || b.Faults > 2 {
		problems = append(problems, fmt.Errorf("%d faults: want 0 to 2", b.Faults))
	}
	if b.Full && b.Faults > 1 {
		problems = append(problems, errors.New("full runs have at most 1 fault"))
	}
	if b.Workers < 0 || b.Workers > maxWorkers {
		problems = append(problems, fmt.Errorf("%d workers: want 1 to %d", b.Workers, maxWorkers))
	}
	_, err := kindsByName(b.Kinds)
	return errors.Join(append(problems, err)...)
}

// programs returns the kinds of each writer of each program.
func (b Bounds) programs() ([][][]kind, error) {
	all, err := kindsByName(b.Kinds)
	if err != nil {
		return nil, err
	}
	size := b.Operations
	if size == 1 {
		size = b.Writers
	}
	var programs [][][]kind
	for _, set := range multisets(all, size) {
		var program [][]kind
		for w := range b.Writers {
			var own []kind
			for n := range b.Operations {
				own = append(own, set[(n+w)%size])
			}
			program = append(program, own)
		}
		programs = append(programs, program)
	}
	return programs, nil
}

// multisets returns all multisets of a size, in order.
func multisets(of []kind, size int) [][]kind {
	if size == 0 {
		return [][]kind{nil}
	}
	var all [][]kind
	for i, k := range of {
		for _, rest := range multisets(of[i:], size-1) {
			all = append(all, append([]kind{k}, rest...))
		}
	}
	return all
}

// Explore enumerates the runs of small programs and checks each state of the table that comes of them.
//
// Writers meet only in the catalog: objects are written once, and none of the kinds deletes what others read. So what a
// writer does is a function of the answers that the catalog gave it, and each piece of it, from one call of the catalog to the
// next, runs once for all the runs that it is part of; [ExploreReport.Runs] counts paths through what was found. Each
// call of each piece is disturbed with each of [fault.Outcomes], at most [Bounds.Faults] of them in a run. In a state of the table the
// four checks of package sim are made, once, since a state never changes; at the end of an operation, what its
// program was told and which objects it left are held against the table. The whole history, and the other checks of the end
// of a run of [Run], are not made. Of the orders that nobody can tell apart one is looked at.
//
// With [Bounds.Full] each program also runs in a world like that of [Run], with a choice before each call of any store and
// nothing shared between runs. That the outcomes are the same, what is live, whose commits came in which order and who was
// told what, holds the reduction against what it stands for. Two writers that make a and b calls up to their swaps and are
// not disturbed have a+b over a such runs, if the winner makes no call after its swap.
func Explore(ctx context.Context, b Bounds) (ExploreReport, error) {
	if err := b.Validate(); err != nil {
		return ExploreReport{}, err
	}
	programs, err := b.programs()
	if err != nil {
		return ExploreReport{}, err
	}
	workers := b.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	reports := make([]ProgramReport, len(programs))
	if err := inParallel(ctx, workers, len(programs), b.Progress, func(ctx context.Context, next func() (int, bool)) error {
		w, setup, err := startWorld(ctx, b.Writers)
		if err != nil {
			return err
		}
		for i, more := next(); more; i, more = next() {
			if reports[i], err = explore(ctx, b, w, setup, programs[i]); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(namesOf(programs[i]), " | "), err)
			}
		}
		return nil
	}); err != nil {
		return ExploreReport{}, err
	}
	return b.sum(reports), nil
}

// sum sums up the reports of programs.
func (b Bounds) sum(reports []ProgramReport) ExploreReport {
	r := ExploreReport{
		Bounds: b, Programs: int64(len(reports)), ClosedForm: ClosedForm(b.Writers, b.Operations).String(), PerProgram: reports,
	}
	for _, p := range reports {
		r.Runs += p.Runs
		r.Orders += p.Orders
		r.Undisturbed += p.Undisturbed
		r.Places += p.Places
		r.Executions += p.Executions
		r.Replayed += p.Replayed
		r.States += p.States
		r.Positions += p.Positions
		r.FullRuns += p.FullRuns
		r.Violations = append(r.Violations, p.Violations...)
	}
	return r
}

// inParallel lets workers take the numbers below total. The first error ends all of them.
func inParallel(
	ctx context.Context, workers, total int, progress func(done, total int), work func(context.Context, func() (int, bool)) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	begun, done := 0, 0
	var group sync.WaitGroup
	for range min(workers, total) {
		group.Go(func() {
			busy := false
			err := work(ctx, func() (int, bool) {
				mu.Lock()
				defer mu.Unlock()
				if busy {
					if done++; progress != nil {
						progress(done, total)
					}
				}
				if busy = begun < total && ctx.Err() == nil; !busy {
					return 0, false
				}
				begun++
				return begun - 1, true
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// namesOf names the kinds of each writer.
func namesOf(program [][]kind) []string {
	var names []string
	for _, own := range program {
		var words []string
		for _, k := range own {
			words = append(words, k.name)
		}
		names = append(names, strings.Join(words, ", "))
	}
	return names
}

// ClosedForm returns the number of runs that differ for anybody, of so many writers with so many operations each, if no call
// is disturbed and all operations commit.
//
// A run is decided by the order in which the operations commit, and by the states at which each of them looked at the catalog
// before: any of those that came since the one before it of the same writer, and at last the one that it commits on. An operation that
// commits as the i-th of all, when the one before it of its writer was the p-th, can look at the i-p-1 states between in
// 2^(i-p-1) ways. Over the operations of a writer the exponents add up to the place of its last one, less their number. So, summed
// over all orders in which the operations of all writers can commit, the number of runs is the sum of 2^(l1+...+ln-n*m), where
// lw is the place of the last operation of writer w. With one operation each that is n! * 2^(n(n-1)/2).
func ClosedForm(writers, operations int) *big.Int {
	known := make(map[string]*big.Int)
	var count func(left []int, place int) *big.Int
	count = func(left []int, place int) *big.Int {
		key := fmt.Sprint(left)
		if n := known[key]; n != nil {
			return n
		}
		sum := new(big.Int)
		for w := range left {
			if left[w] == 0 {
				continue
			}
			left[w]--
			n := count(left, place+1)
			if left[w] == 0 {
				n = new(big.Int).Lsh(n, uint(place))
			}
			left[w]++
			sum.Add(sum, n)
		}
		if place > writers*operations {
			sum.SetInt64(1)
		}
		known[key] = sum
		return sum
	}
	left := make([]int, writers)
	for w := range left {
		left[w] = operations
	}
	return new(big.Int).Rsh(count(left, 1), uint(writers*operations))
}
