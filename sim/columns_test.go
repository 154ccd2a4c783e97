package sim

import (
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// met is what runs met of columns and partitions.
type met struct {
	specs, columns     map[int]bool
	nulls, nullTuples  int
	oldSpecs, oldStats int
}

// meet makes a run, takes in what stands in the trees of its world after each action, and returns the last one of main.
func (m *met) meet(t *testing.T, c Config) (world *World, main tree.Tree) {
	t.Helper()
	if m.specs == nil {
		*m = met{specs: make(map[int]bool), columns: make(map[int]bool)}
	}
	r, err := Watch(t.Context(), c, func(w *World, _ Action) error {
		world = w
		for _, head := range w.Heads() {
			if head.Branch == metadata.MainBranch {
				main = head.Tree
			}
			for i := range head.Tree.Rows {
				m.look(w, &head.Tree.Rows[i])
			}
		}
		return nil
	})
	if err != nil || len(r.Violations) > 0 {
		t.Fatal(err, r.Violations)
	}
	return world, main
}

func (m *met) look(w *World, e *tree.Entry) {
	if e.Content.IsManifest() {
		return
	}
	if m.specs[int(e.SpecID.Val)] = true; e.SpecID.Valid && len(e.Partition) == 0 {
		m.nullTuples++
	}
	if int(e.SpecID.Val) != w.metadata.DefaultSpecID {
		m.oldSpecs++
	}
	for _, f := range e.Stats {
		if m.columns[f.FieldID] = true; f.Lower.IsNull() {
			m.nulls++
		}
		if !w.columnsNow().current.has(f.FieldID) {
			m.oldStats++
		}
	}
}

// TestColumnsAndSpecs: the profiles that say so have files of several specs, with null partitions among them, and statistics
// of several columns, with columns of nulls and dropped ones among them.
func TestColumnsAndSpecs(t *testing.T) {
	nullTuples := 0
	for _, name := range []string{"mixed", "adversarial"} {
		for _, parquet := range []bool{false, true} {
			var m met
			for seed := range uint64(2) {
				c := Config{Seed: 3 + seed, Commits: 100, Parquet: parquet}
				c.Profile, _ = ProfileByName(name)
				c.Profile.Schema, c.Profile.Specs = 3*c.Profile.Schema, 3*c.Profile.Specs
				m.meet(t, c)
			}
			if len(m.specs) < 3 || len(m.columns) < 3 || m.nulls == 0 || m.oldSpecs == 0 || m.oldStats == 0 {
				t.Errorf("%s, Parquet %t: %+v", name, parquet, m)
			}
			nullTuples += m.nullTuples
		}
	}
	if nullTuples == 0 {
		t.Error("no file has a partition of nulls")
	}
}

// TestMeasuredColumns: files have statistics of as many columns as a profile says, those that are refreshed and written again too.
func TestMeasuredColumns(t *testing.T) {
	for _, c := range []struct{ measured, columns int }{{0, 11}, {1, 1}, {3, 3}, {60, 11}} {
		run := Config{Seed: 5, Commits: 60, Policy: "adaptive"}
		run.Profile, _ = ProfileByName("cdc")
		run.Profile.Columns, run.Profile.Measured, run.Profile.Refresh = 10, c.measured, 20
		var m met
		m.meet(t, run)
		if len(m.columns) != c.columns {
			t.Errorf("measured %d: statistics of the columns %v, want %d of them", c.measured, m.columns, c.columns)
		}
	}
}

// TestOtherStatsAndPartition: an entry with a bound, a count or a partition value that is not that of its file, without the
// statistics of a column or of another spec is not the file of the model.
func TestOtherStatsAndPartition(t *testing.T) {
	c := Config{Seed: 5, Commits: 20, Policy: "never"}
	c.Profile, _ = ProfileByName("batch")
	c.Profile.Spec = 4
	var m met
	w, head := m.meet(t, c)
	for i := range head.Rows {
		e := head.Rows[i]
		if e.Content.IsManifest() || !alive(e.Tracking.Status) || len(e.Partition) != 2 || len(e.Stats) != 3 {
			continue
		}
		right, err := w.row(t.Context(), head, &e)
		if err != nil || right.file.stats < 0 || right.file.spec != e.SpecID.Val || right.file.columns != 0b1110 {
			t.Fatalf("%+v, %v", right, err)
		}
		for name, spoil := range map[string]func(*tree.Entry){
			"a bound":         func(e *tree.Entry) { e.Stats[1].Upper = tree.Date(9999) },
			"no bound":        func(e *tree.Entry) { e.Stats[2].Lower = tree.Value{} },
			"a count":         func(e *tree.Entry) { e.Stats[1].NullCount = iceberg.Optional[int64]{Val: 1, Valid: true} },
			"no column":       func(e *tree.Entry) { e.Stats = e.Stats[:2] },
			"no statistics":   func(e *tree.Entry) { e.Stats = nil },
			"a value":         func(e *tree.Entry) { e.Partition[0].Value = tree.Int(77) },
			"another field":   func(e *tree.Entry) { e.Partition[0].FieldID += 10 },
			"no value":        func(e *tree.Entry) { e.Partition = e.Partition[1:] },
			"another spec":    func(e *tree.Entry) { e.SpecID.Val++ },
			"no spec":         func(e *tree.Entry) { e.SpecID.Valid = false },
			"no spec at all":  func(e *tree.Entry) { e.SpecID.Valid, e.Partition = false, nil },
			"an unknown spec": func(e *tree.Entry) { e.SpecID.Val = 99 },
		} {
			spoilt := e
			spoilt.Stats = append(tree.Stats(nil), e.Stats...)
			spoilt.Partition = append(tree.Tuple(nil), e.Partition...)
			spoil(&spoilt)
			if other, err := w.row(t.Context(), head, &spoilt); err != nil || right.file.same(other.file) {
				t.Errorf("%s: %+v is taken for %+v (%v)", name, other, right, err)
			}
		}
		return
	}
	t.Error("no loose file has two partition values and three columns")
}
