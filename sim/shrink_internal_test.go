package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// lossy is a codec that loses the last row of each third leaf.
type lossy struct {
	*Codec
	leaves int
}

func (c *lossy) PutLeaf(ctx context.Context, objects store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	if c.leaves++; c.leaves%3 == 0 {
		rows = rows[:len(rows)-1]
	}
	return c.Codec.PutLeaf(ctx, objects, name, s, rows)
}

// newLossyWorld returns a world with that codec.
func newLossyWorld(c Config) (*World, error) {
	w, err := NewWorld(c)
	if err != nil {
		return nil, err
	}
	w.codec = &lossy{Codec: w.codec.(*Codec)}
	for _, x := range w.writers {
		x.forget()
	}
	return w, nil
}

// TestShrinkPlanted: whatever run finds the planted defect becomes a handful of actions that find it by the same check.
func TestShrinkPlanted(t *testing.T) {
	for _, p := range Profiles() {
		c := Config{Seed: 5, Writers: 6, Profile: p, Commits: 100, Faults: 0.2, DataFiles: true}
		w, err := newLossyWorld(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) == 0 {
			t.Fatalf("%s: the planted defect is not found", p.Name)
		}
		checkShrunk(t, r.Trace, 20, newLossyWorld)
	}
}

// checkShrunk makes a trace smaller, which must find the same with at most so many actions, each of which is needed.
func checkShrunk(t *testing.T, long Trace, most int, newWorld func(Config) (*World, error)) Trace {
	t.Helper()
	short, err := shrink(t.Context(), long, newWorld)
	if err != nil {
		t.Fatal(err)
	}
	check := long.Expect[0].Check
	t.Logf("%s, seed %d: %d actions of %d writers became %d of %d: %s %s", long.Config.Profile.Name, long.Config.Seed,
		len(long.Actions), long.Config.Writers, len(short.Actions), short.Config.Writers, check, short.Actions)
	if len(short.Actions) > most {
		t.Errorf("%d actions are left, want %d at most: %s", len(short.Actions), most, short.Actions)
	}
	s := &shrinker{newWorld: newWorld}
	_, wasEarly, err := s.replay(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	found := func(actions []Action) bool {
		r, early, err := s.replay(t.Context(), Trace{Config: short.Config, Actions: actions})
		return err == nil && finds(r, check) && (early || !wasEarly)
	}
	if !found(short.Actions) {
		t.Errorf("the smaller trace does not find %s", check)
	}
	for i := range short.Actions {
		if found(slices.Delete(slices.Clone(short.Actions), i, i+1)) {
			t.Errorf("action %d, %s, is not needed", i+1, short.Actions[i])
		}
	}
	return short
}

// TestShrinkMisuse: what is found at the end, and what several writers must do together, becomes smaller too. A clean-up that
// spares nothing deletes what a commit under way has written; that the trace asks for it is the misuse.
func TestShrinkMisuse(t *testing.T) {
	long := longMisuse(t)
	short := checkShrunk(t, long, 12, NewWorld)
	if short.Config.Writers != 2 {
		t.Errorf("%d writers are left, want 2", short.Config.Writers)
	}
}

// longMisuse returns a long trace with such a clean-up in it.
func longMisuse(t *testing.T) Trace {
	t.Helper()
	r, err := Run(t.Context(), Config{Seed: 3, Writers: 3, Commits: 40, Faults: 0.1})
	if err != nil || len(r.Violations) > 0 {
		t.Fatal(err, r.Violations)
	}
	trace := r.Trace
	texts := slices.Concat(slices.Repeat([]string{"step 1", "step 2"}, 10), []string{"start 1 add 5000-5002 records=10", "step 1"},
		[]string{"start 2 clean-up 0"}, slices.Repeat([]string{"step 2"}, 40), []string{"step 1"})
	for _, text := range texts {
		a, err := ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		trace.Actions = append(trace.Actions, a)
	}
	r, err = Replay(t.Context(), trace, true, nil)
	if err != nil || len(r.Violations) == 0 {
		t.Fatalf("the misuse is not found: %v", err)
	}
	return r.Trace
}

// TestShrinkNothing: a trace that finds nothing, or something else than it says, is not made smaller.
func TestShrinkNothing(t *testing.T) {
	r, err := Run(t.Context(), Config{Commits: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Shrink(t.Context(), r.Trace); !errors.Is(err, ErrNothingFound) {
		t.Errorf("got %v", err)
	}
	other := longMisuse(t)
	other.Expect = []Violation{{Check: checkIdle}}
	if _, err := Shrink(t.Context(), other); !errors.Is(err, ErrNothingFound) {
		t.Errorf("got %v", err)
	}
}

// TestShrinkInterrupted: what was reached when the time is over still finds the same.
func TestShrinkInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	worlds := 0
	long := longMisuse(t)
	short, err := shrink(ctx, long, func(c Config) (*World, error) {
		if worlds++; worlds == 8 {
			cancel()
		}
		return NewWorld(c)
	})
	if !errors.Is(err, context.Canceled) || len(short.Actions) == 0 || len(short.Actions) > len(long.Actions) {
		t.Fatalf("%d of %d actions, %v", len(short.Actions), len(long.Actions), err)
	}
	if r, err := Replay(t.Context(), short, false, nil); err != nil || !finds(r, long.Expect[0].Check) {
		t.Errorf("it finds %v, %v", r.Violations, err)
	}
}

// TestPanicIsFound: a panic of the engine is a finding, and a trace that leads to one can be made smaller.
func TestPanicIsFound(t *testing.T) {
	newWorld := func(c Config) (*World, error) {
		w, err := NewWorld(c)
		if err == nil {
			w.codec = &explosive{Codec: w.codec.(*Codec)}
			for _, x := range w.writers {
				x.forget()
			}
		}
		return w, err
	}
	w, err := newWorld(Config{Seed: 1, Commits: 50})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.run(t.Context(), nil)
	if err != nil || !finds(r, checkPanic) || !strings.Contains(r.Violations[0].Message, "boom, at ") {
		t.Fatalf("%v, %v", r.Violations, err)
	}
	if !strings.Contains(r.Violations[0].Message, "shrink_internal_test.go:") {
		t.Errorf("%s does not say where", r.Violations[0])
	}
	checkShrunk(t, r.Trace, 6, newWorld)
}

// explosive is a codec that panics when it writes a leaf.
type explosive struct{ *Codec }

func (c *explosive) PutLeaf(context.Context, store.Objects, string, manifestio.Schema, []tree.Entry) (int64, error) {
	panic("boom")
}
func TestMerged(t *testing.T) {
	read, err := ReadTrace(strings.NewReader("firn sim trace 1\nconfig {\"Writers\":9}\nstart 7\nstart 3\nstep 7\ntick 0 5\nland\nstart 9\nstep 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to, writers int
		want              string
	}{
		{0, 0, 3, "start 2; start 1; step 2; tick 0 5; land; start 3; step 1"},
		{9, 3, 2, "start 2; start 1; step 2; tick 0 5; land; start 1; step 1"},
		{7, 9, 2, "start 2; start 1; step 2; tick 0 5; land; start 2; step 1"},
	} {
		got := read.merged(c.from, c.to)
		var words []string
		for _, a := range got.Actions {
			words = append(words, a.String())
		}
		if text := strings.Join(words, "; "); text != c.want || got.Config.Writers != c.writers {
			t.Errorf("%d to %d: %d writers: %s, want %d: %s", c.from, c.to, got.Config.Writers, text, c.writers, c.want)
		}
	}
}
