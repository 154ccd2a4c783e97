package tree_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

// parentOf returns the tree of snapshot 8 with these root rows, childOf that of snapshot 9.
func parentOf(rows ...tree.Entry) tree.Tree {
	o := origin
	o.SnapshotID = 8
	return tree.Tree{Origin: o, Root: "root8", Rows: rows}
}

func childOf(rows ...tree.Entry) tree.Tree {
	return tree.Tree{Origin: origin, Root: "root9", ParentSnapshotID: some[int64](8), Rows: rows}
}

// told prints each change in a line: kind, location, and where both states stand.
func told(changes []tree.Change) []string {
	var lines []string
	for _, c := range changes {
		line := c.Kind.String() + " " + c.Location
		if l := c.Before.Val; c.Before.Valid {
			line += fmt.Sprintf(" from %s %s of %d", l.Entry.Tracking.Status, in(l), l.Origin.SnapshotID)
		}
		if l := c.After.Val; c.After.Valid {
			line += fmt.Sprintf(" to %s %s of %d", l.Entry.Tracking.Status, in(l), l.Origin.SnapshotID)
		}
		lines = append(lines, line)
	}
	return lines
}

func in(l tree.Located) string {
	if l.Manifest == "" {
		return fmt.Sprintf("root row %d", l.Position)
	}
	return fmt.Sprintf("%s row %d", l.Manifest, l.Position)
}

func changed(status tree.Status, location string, snapshotID, modified int64) tree.Entry {
	e := explicit(status, location, snapshotID)
	e.Tracking.ModifiedSnapshotID = some(modified)
	return e
}

// masked returns the pointer after a mask by snapshot 9.
func masked(t *testing.T, e tree.Entry, m tree.Masks) tree.Entry {
	t.Helper()
	e, err := tree.Mask(e, 9, m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// One child that does everything: every change is told once, and nothing else is.
func TestChanges(t *testing.T) {
	m1, m2, m3 := pointer(tree.Added, "m1", 8, 5), pointer(tree.Existing, "m2", 7, 2), pointer(tree.Existing, "m3", 7, 1)
	emptied, err := tree.Delete(masked(t, m2, tree.Masks{Deleted: set(0), Replaced: set(1)}), 9)
	if err != nil {
		t.Fatal(err)
	}
	oldDeltas := masked(t, m3, tree.Masks{Deleted: set(0)})
	oldDeltas.Tracking.ModifiedSnapshotID = some[int64](8) // not cleared when it was carried (rules 9.6)
	oldDeltas.Tracking.Status = tree.Existing
	parent := parentOf(m1, m2, m3)
	child := childOf(
		masked(t, m1, tree.Masks{Deleted: set(0, 4), Replaced: set(1), Moved: set(2)}),
		emptied,
		oldDeltas,
		pointer(tree.Added, "m4", 9, 6),
		explicit(tree.Existing, "moved", 8),
		explicit(tree.Added, "new", 9),
		explicit(tree.Added, "new to another snapshot", 7), // a root that was reused (rules 14.9)
		explicit(tree.Deleted, "loose gone", 9),
		explicit(tree.Deleted, "stale tombstone", 8),
		explicit(tree.Replaced, "loose", 9),
		changed(tree.Modified, "loose", 2, 9),
		changed(tree.Modified, "modified before", 2, 8),
		changed(tree.Modified, "b", 8, 9),
	)
	reader := &leaves{rows: map[string][]tree.Entry{
		"m1": {bare("a", 1), bare("b", 1), bare("moved", 1), bare("kept", 1), bare("empty", 0)},
		"m2": {bare("c", 1), bare("d", 1)},
		"m3": {bare("e", 1)},
		"m4": {bare("pushed down and new", 1), changed(tree.Modified, "d", 7, 9), explicit(tree.Existing, "x", 2),
			explicit(tree.Deleted, "gone with its leaf", 9), explicit(tree.Deleted, "stale too", 4), bare("empty too", 0)},
	}}
	got, err := collect(tree.Changes(context.Background(), parent, child, tree.Full, reader))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"removed s3://b/t/a from ADDED s3://b/t/m1 row 0 of 8",
		"deletes s3://b/t/b from ADDED s3://b/t/m1 row 1 of 8 to MODIFIED root row 12 of 9",
		"removed s3://b/t/c from ADDED s3://b/t/m2 row 0 of 8",
		"deletes s3://b/t/d from ADDED s3://b/t/m2 row 1 of 8 to MODIFIED s3://b/t/m4 row 1 of 9",
		"removed s3://b/t/gone with its leaf from DELETED s3://b/t/m4 row 3 of 9",
		"deletes s3://b/t/loose from REPLACED root row 9 of 9 to MODIFIED root row 10 of 9",
		"removed s3://b/t/loose gone from DELETED root row 7 of 9",
		"added s3://b/t/new to ADDED root row 5 of 9",
		"added s3://b/t/pushed down and new to ADDED s3://b/t/m4 row 0 of 9",
	}
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"m1", "m2", "m4"}, reader.opened); diff != "" {
		t.Errorf("leaves that were opened (-want +got):\n%s", diff)
	}
	if first := got[0].Before.Val.Entry.Tracking; first.SequenceNumber != some[int64](8) {
		t.Errorf("the old state did not inherit from the parent's pointer: %+v", first)
	}
	for range tree.Changes(context.Background(), parent, child, tree.Full, reader) {
		break
	}
}

// A location that a mask takes out and a new row brings back is removed, then added (S19).
func TestChangesOfAReaddedLocation(t *testing.T) {
	m := pointer(tree.Existing, "m", 7, 1)
	child := childOf(masked(t, m, tree.Masks{Deleted: set(0)}), explicit(tree.Added, "a", 9))
	reader := &leaves{rows: map[string][]tree.Entry{"m": {bare("a", 1)}}}
	got, err := collect(tree.Changes(context.Background(), parentOf(m), child, tree.Full, reader))
	want := []string{"removed s3://b/t/a from ADDED s3://b/t/m row 0 of 8", "added s3://b/t/a to ADDED root row 1 of 9"}
	if diff := cmp.Diff(want, told(got)); err != nil || diff != "" {
		t.Errorf("changes: %v (-want +got):\n%s", err, diff)
	}
}

// A leaf is the same one whether a root names it in full or relative to where the table lies now.
func TestChangesResolvesPointers(t *testing.T) {
	m := pointer(tree.Existing, "s3://b/t/m", 7, 1)
	parent, child := parentOf(m), childOf(masked(t, m, tree.Masks{Deleted: set(0)}))
	child.Origin.TableLocation, child.Rows[0].Location = "s3://b", "t/m"
	reader := &leaves{rows: map[string][]tree.Entry{"s3://b/t/m": {bare("a", 1)}}}
	got, err := collect(tree.Changes(context.Background(), parent, child, tree.Full, reader))
	if err != nil || len(got) != 1 || got[0].Location != "s3://b/t/a" {
		t.Errorf("changes: %v, %v", told(got), err)
	}
}

func TestChangesOfTheFirstAndOfAnEmptySnapshot(t *testing.T) {
	first := childOf(explicit(tree.Added, "a", 9))
	first.ParentSnapshotID = none
	got, err := collect(tree.Changes(context.Background(), tree.Tree{}, first, tree.Full, &leaves{}))
	if err != nil || len(got) != 1 || got[0].Kind != tree.FileAdded {
		t.Errorf("first snapshot: %v, %v", told(got), err)
	}
	m := pointer(tree.Added, "m", 8, 3)
	idle, err := tree.Carry(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err = collect(tree.Changes(context.Background(), parentOf(m), childOf(idle), tree.Full, &leaves{}))
	if err != nil || got != nil {
		t.Errorf("idle snapshot: %v, %v", told(got), err)
	}
}

// What does not tell its changes consistently is refused rather than told in part.
func TestChangesRefuses(t *testing.T) {
	m := pointer(tree.Existing, "m", 7, 3)
	one := masked(t, m, tree.Masks{Deleted: set(0)})
	overlap, lacking, beyond, unreadable, unmasked := one, one, one, one, one
	overlap.Tracking.ReplacedPositions = bits(0)
	lacking.Tracking.DeletedPositions = bits(0, 1)
	beyond.Tracking.ReplacedPositions = bits(3)
	unreadable.Tracking.DeletedPositions = []byte{7}
	unmasked.Manifest.Valid = false
	halfEmptied, silent := one, m
	halfEmptied.Tracking.Status, halfEmptied.Tracking.SnapshotID = tree.Deleted, some[int64](9)
	silent.Tracking.Status, silent.Tracking.SnapshotID = tree.Deleted, some[int64](9)
	replaced := masked(t, m, tree.Masks{Replaced: set(0)})
	twice := m
	twice.Manifest.Val.DV = bits(0)
	hidden := explicit(tree.Added, "f", 9)
	hidden.Content = tree.PositionDeletes

	root := func(text string) string { return "tree: manifest root9: " + text }
	tests := map[string]struct {
		parent, child tree.Tree
		want          string
	}{
		"overlap": {parentOf(m), childOf(overlap),
			"tree: manifest m: replaced_positions: position 0 is deleted too (rules 9.3)"},
		"not masked": {parentOf(m), childOf(lacking),
			"tree: manifest m: manifest_info.dv: lacks position 1 of a delta bitmap (rules 9.4)"},
		"beyond": {parentOf(m), childOf(beyond),
			"tree: manifest m: replaced_positions: position 3 is beyond the manifest's 3 rows (rules 9.10, Q27)"},
		"unreadable": {parentOf(m), childOf(unreadable), ""},
		"no info": {parentOf(m), childOf(unmasked),
			"tree: manifest m: manifest_info: null in a pointer to a manifest (rules 2.1.3)"},
		"no such manifest": {parentOf(), childOf(one),
			"tree: manifest m: the parent has no such manifest to take files from (rules 9.9)"},
		"masked before": {parentOf(twice), childOf(one),
			"tree: manifest m: row 0: deleted or replaced, but it was not live in the parent"},
		"half emptied": {parentOf(m), childOf(halfEmptied),
			"tree: manifest m: row 1: its manifest is DELETED, but no bitmap has it (rules 9.9)"},
		"DELETED without positions": {parentOf(m), childOf(silent),
			"tree: manifest m: row 0: its manifest is DELETED, but no bitmap has it (rules 9.9)"},
		"replaced only": {parentOf(m), childOf(replaced),
			root("file s3://b/t/a is replaced and has no MODIFIED state (rules 6.3)")},
		"modified only": {parentOf(), childOf(changed(tree.Modified, "f", 3, 9)),
			root("file s3://b/t/f is MODIFIED and has no replaced state (rules 6.3)")},
		"replaced twice": {parentOf(), childOf(explicit(tree.Replaced, "f", 9), explicit(tree.Replaced, "f", 9)),
			root("file s3://b/t/f has two replaced states (rules 6.3)")},
		"added twice": {parentOf(), childOf(explicit(tree.Added, "f", 9), explicit(tree.Added, "f", 9)),
			root("file s3://b/t/f is added and added in one snapshot")},
		"content":   {parentOf(), childOf(hidden), root("row 0: content_type: POSITION_DELETES in a root (rules 5)")},
		"lost leaf": {parentOf(), childOf(pointer(tree.Added, "lost", 9, 1)), "there is no leaf lost"},
	}
	reader := &leaves{rows: map[string][]tree.Entry{"m": {bare("a", 1), bare("b", 1), bare("c", 1)}}}
	for name, test := range tests {
		_, err := collect(tree.Changes(context.Background(), test.parent, test.child, tree.Full, reader))
		if err == nil || test.want != "" && err.Error() != test.want {
			t.Errorf("%s: %v", name, err)
		}
		var corrupt *tree.CorruptError
		if name != "lost leaf" && !errors.As(err, &corrupt) {
			t.Errorf("%s: no CorruptError: %v", name, err)
		}
	}
}

func TestChangesRefusesStrangers(t *testing.T) {
	grandchild, orphan := childOf(), childOf()
	grandchild.ParentSnapshotID = some[int64](7)
	orphan.ParentSnapshotID = none
	for want, child := range map[string]tree.Tree{
		"tree: snapshot 8 is not the parent of snapshot 9, which is 7": grandchild,
		"tree: snapshot 9 has no parent, so snapshot 8 is not it":      orphan,
	} {
		_, err := collect(tree.Changes(context.Background(), parentOf(), child, tree.Full, &leaves{}))
		wantError(t, err, want)
	}
}
