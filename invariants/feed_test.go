package invariants_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

// difference compares the live files of both trees of a sample, by walks over all of them.
func (s *sample) difference(t *rapid.T) []string {
	before, after := s.liveFiles(t, *s.parent), s.liveFiles(t, *s.tree)
	var all []string
	for location, b := range before {
		a, there := after[location]
		switch {
		case !there || a.fileSequence != b.fileSequence:
			all = append(all, "removed "+location)
		case a.deletes != b.deletes:
			all = append(all, "deletes "+location)
		}
	}
	for location, a := range after {
		if b, there := before[location]; !there || a.fileSequence != b.fileSequence {
			all = append(all, "added "+location)
		}
	}
	slices.Sort(all)
	return all
}

type liveState struct {
	fileSequence int64
	deletes      string
}

func (s *sample) liveFiles(t *rapid.T, of tree.Tree) map[string]liveState {
	live := make(map[string]liveState)
	for l, err := range tree.Live(t.Context(), of, tree.Full, s.leaves) {
		if err != nil {
			t.Skip(err) // a bitmap or a pointer that cannot be read has rules of its own
		}
		live[l.Location] = liveState{l.Entry.Tracking.FileSequenceNumber.Val, fmt.Sprint(l.Entry.DeletionVector, columns(l.Entry))}
	}
	return live
}

// columns prints the columns of a row that nobody knows, if they are not null.
func columns(e tree.Entry) string {
	text := ""
	for _, f := range e.Foreign {
		if slices.ContainsFunc(f.Cells, func(c tree.ForeignCell) bool { return c.Def > 0 }) {
			text += fmt.Sprint(f.Type.ID, f.Cells)
		}
	}
	return text
}

// feed is the change feed as the engine reads it, from statuses and positions. What is not consistent is no feed.
func (s *sample) feed(t *rapid.T) ([]string, error) {
	var all []string
	for c, err := range tree.Changes(t.Context(), *s.parent, *s.tree, tree.Full, s.leaves) {
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("%s %s", c.Kind, c.Location))
	}
	slices.Sort(all)
	return all, nil
}

// TestFeedFollows shows why no rule compares the change feed of a snapshot with the difference of the live files of its
// parent and itself: that both are equal follows from the rules that are there. Snapshots are spoiled at random; where
// feed and difference differ an error is found, or X-READDED, a warning that says just that.
func TestFeedFollows(t *testing.T) {
	samples := feedSamples()
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s := samples[name]()
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				s.spoilAtRandom(t)
			}
			want := s.difference(t)
			got, err := s.feed(t)
			if err == nil && slices.Equal(got, want) {
				return
			}
			found := s.violations(invariants.AllLeaves)
			if !slices.ContainsFunc(found, func(v invariants.Violation) bool { return v.Severity == invariants.Error || v.ID == "X-READDED" }) {
				t.Errorf("feed %q, %v; difference %q:%s", got, err, want, messages(found))
			}
		}))
	}
}

// feedSamples are all snapshots that are in order and have a parent.
func feedSamples() map[string]func() *sample {
	all := map[string]func() *sample{"fold": nextFold, "loose": nextLoose, "idle": nextIdle}
	for _, c := range slices.Concat(cleanCases, cleanChanges) {
		if s := c.sample(); s.parent != nil && s.parent.Origin.SnapshotID != 0 && !s.upgraded {
			all[c.name] = c.sample
		}
	}
	return all
}

// rows yields the rows of the child, those of its leaves too.
func (s *sample) rows() iter.Seq[*tree.Entry] {
	return func(yield func(*tree.Entry) bool) {
		for i := range s.tree.Rows {
			if !yield(&s.tree.Rows[i]) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.leaves)) {
			if rows := s.leaves[name]; name != tableLocation+"/"+l1 { // which the parent has too
				for i := range rows {
					if !yield(&rows[i]) {
						return
					}
				}
			}
		}
	}
}

// spoilAtRandom changes one row of the child.
func (s *sample) spoilAtRandom(t *rapid.T) {
	rows := slices.Collect(s.rows())
	if len(rows) == 0 {
		return
	}
	e := rapid.SampledFrom(rows).Draw(t, "row")
	statuses := []tree.Status{tree.Existing, tree.Added, tree.Deleted, tree.Replaced, tree.Modified}
	positions := rapid.SliceOfNDistinct(rapid.ByteRange(0, 2), 0, 3, rapid.ID[byte])
	bitmap := func(name string) []byte {
		of := positions.Draw(t, name)
		if slices.Sort(of); len(of) == 0 {
			return nil
		}
		return set(of...)
	}
	switch kind := rapid.IntRange(0, 8).Draw(t, "kind"); {
	case kind == 0:
		e.Tracking.Status = rapid.SampledFrom(statuses).Draw(t, "status")
	case kind == 1:
		e.Tracking.SnapshotID = some(rapid.SampledFrom([]int64{parentID, childID}).Draw(t, "snapshot"))
	case kind == 2:
		e.Tracking.FileSequenceNumber = some(rapid.Int64Range(1, 2).Draw(t, "file sequence"))
	case kind == 3:
		e.Location = rapid.SampledFrom(rows).Draw(t, "location").Location
	case kind == 4 && e.Manifest.Valid:
		e.Manifest.Val.DV, e.Tracking.ModifiedSnapshotID = bitmap("dv"), some(childID)
	case kind == 5 && e.Manifest.Valid:
		e.Tracking.DeletedPositions, e.Tracking.ReplacedPositions = bitmap("deleted"), bitmap("replaced")
	case kind == 6 && !e.Manifest.Valid:
		*e = withDV(*e, rapid.Int64Range(1, 3).Draw(t, "deleted rows"))
	case kind == 7:
		e.DeletionVector = none[tree.DeletionVector]()
	case kind == 8:
		s.tree.Rows = append(s.tree.Rows, *e)
	}
}
