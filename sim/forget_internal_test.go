package sim

import "testing"

// TestForgets: what a world remembers does not grow with the commits behind it.
func TestForgets(t *testing.T) {
	p, err := ProfileByName("mixed")
	if err != nil {
		t.Fatal(err)
	}
	p.MostFiles, p.Expire, p.Retain, p.CleanUp = 40, 12, 3, 0
	most := make(map[string]int)
	const commits = 1200
	c := Config{Seed: 2, Profile: p, Commits: commits, Faults: 0.02, Policy: "adaptive", Properties: smallSettings()}
	r, err := Watch(t.Context(), c, func(w *World, _ Action) error {
		if w.stats.Commits%100 > 0 {
			return nil
		}
		codec := w.codec.(*Codec)
		objects := len(w.objects.Names())
		for name, n := range map[string]int{
			"trees": len(w.trees), "models": len(w.models), "intents": len(w.intents), "leaves": len(w.leaves), "denied": len(w.denied),
			"committed": len(w.committed), "parents": len(w.lineage.parents), "totals": len(w.lineage.totals),
			"sequences": len(w.lineage.sequences), "vectors beyond the store's": len(w.vectors) - objects,
			"owners beyond the store's": len(w.owners) - 2*objects, "droppers beyond the store's": len(w.droppers) - 2*objects,
			"manifests beyond the store's": len(codec.manifests) + len(codec.metadata) - objects,
		} {
			most[name] = max(most[name], n)
		}
		return nil
	})
	if err != nil || len(r.Violations) > 0 {
		t.Fatal(err, r.Violations)
	}
	for name, n := range most {
		t.Logf("%s: at most %d", name, n)
		if n > commits/2 {
			t.Errorf("%d %s after %d commits", n, name, commits)
		}
	}
}

// TestLongRunHasNoTrace: a run of very many actions keeps none of them.
func TestLongRunHasNoTrace(t *testing.T) {
	w, err := NewWorld(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{world: w, hash: newHash()}
	for _, steps := range []int{0, maxTraced} {
		s.steps = steps
		if err := s.do(t.Context(), Action{Kind: Tick, Millis: 1}); err != nil {
			t.Fatal(err)
		}
		if kept := s.actions != nil; kept != (steps == 0) {
			t.Errorf("after %d actions the next is kept: %t", steps, kept)
		}
	}
}
