package tree_test

import (
	"errors"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

var statuses = []tree.Status{tree.Existing, tree.Added, tree.Deleted, tree.Replaced, tree.Modified}

// transitions are all ways of a data file's entry, by the status that they lead to.
var transitions = map[tree.Status]func(tree.Entry) (tree.Entry, error){
	tree.Existing: tree.Carry,
	tree.Modified: func(e tree.Entry) (tree.Entry, error) { return tree.Modify(e, 9) },
	tree.Deleted:  func(e tree.Entry) (tree.Entry, error) { return tree.Delete(e, 9) },
	tree.Replaced: func(e tree.Entry) (tree.Entry, error) { return tree.Replace(e, 9) },
}

// Rules 6.5 and 6.6: every pair of statuses, and what each transition sets.
func TestTransitionsOfFiles(t *testing.T) {
	for to, transition := range transitions {
		for _, from := range statuses {
			e := explicit(from, "f", 3)
			e.Tracking.ModifiedSnapshotID = some[int64](4)
			e.Tracking.FirstRowID = some[int64](100)
			got, err := transition(e)
			if !from.Live() {
				var refused *tree.TransitionError
				if !errors.As(err, &refused) || refused.From != from || refused.To != to {
					t.Errorf("%s to %s: %v", from, to, err)
				}
				continue
			}
			want := e
			want.Tracking.Status = to
			switch to {
			case tree.Modified:
				want.Tracking.ModifiedSnapshotID = some[int64](9)
			case tree.Deleted, tree.Replaced:
				want.Tracking.SnapshotID = some[int64](9)
			}
			if diff := cmp.Diff(want, got, compareValues); err != nil || diff != "" {
				t.Errorf("%s to %s: %v (-want +got):\n%s", from, to, err, diff)
			}
		}
	}
}

// compareValues lets go-cmp look at values, which have no exported fields.
var compareValues = cmp.Comparer(func(a, b tree.Value) bool { return a == b })

func TestFilesOfTheSameSnapshot(t *testing.T) {
	for name, e := range map[string]tree.Entry{"committed": explicit(tree.Added, "f", 9), "not committed": bare("f", 1)} {
		got, err := tree.Modify(e, 9)
		if err != nil || got.Tracking.Status != tree.Added || got.Tracking.ModifiedSnapshotID != some[int64](9) {
			t.Errorf("%s: modified is %+v, %v", name, got.Tracking, err)
		}
		if _, err := tree.Delete(e, 9); err == nil {
			t.Errorf("%s: an entry that never was leaves a tombstone", name)
		}
		if _, err := tree.Replace(e, 9); err == nil {
			t.Errorf("%s: an entry that never was leaves an old state", name)
		}
	}
}

func TestTransitionsNeedExplicitNumbers(t *testing.T) {
	for _, change := range []func(*tree.Tracking){
		func(tr *tree.Tracking) { tr.SnapshotID = none },
		func(tr *tree.Tracking) { tr.SequenceNumber = none },
		func(tr *tree.Tracking) { tr.FileSequenceNumber = none },
	} {
		e := explicit(tree.Existing, "f", 3)
		change(&e.Tracking)
		for to, transition := range transitions {
			if _, err := transition(e); err == nil {
				t.Errorf("%+v becomes %s", e.Tracking, to)
			}
		}
	}
	_, err := tree.Carry(bare("f", 1))
	wantError(t, err, "tree: entry f: ADDED cannot become EXISTING: its snapshot_id is null")
}

// tight returns statistics with a tight bound for column 1, and none for column 2.
func tight() tree.Stats {
	return tree.Stats{
		{FieldID: 1, Lower: tree.Long(1), Upper: tree.Long(5), Tight: some(true), ValueCount: some[int64](10)},
		{FieldID: 2, NullCount: some[int64](3)},
	}
}

// Rules 7.11, 9.2, 9.5, 9.8: a masked pointer keeps its numbers, its counts and its loosened bounds.
func TestMask(t *testing.T) {
	e := pointer(tree.Added, "m.parquet", 3, 8)
	e.Tracking.FirstRowID = some[int64](100)
	e.Manifest.Val.AddedFiles = 8
	e.Manifest.Val.DV = bits(7)
	e.Stats = tight()
	got, err := tree.Mask(e, 9, tree.Masks{Deleted: set(0, 2), Replaced: set(5), Moved: set(1)})
	if err != nil {
		t.Fatal(err)
	}
	want := e
	want.Tracking.Status = tree.Modified
	want.Tracking.ModifiedSnapshotID = some[int64](9)
	want.Tracking.DeletedPositions, want.Tracking.ReplacedPositions = bits(0, 2), bits(5)
	want.Manifest.Val.DV = bits(0, 1, 2, 5, 7)
	want.Stats = tight()
	want.Stats[0].Tight.Val = false
	if diff := cmp.Diff(want, got, compareValues); diff != "" {
		t.Errorf("masked pointer (-want +got):\n%s", diff)
	}
	if !e.Stats[0].Tight.Val {
		t.Error("the statistics of the old pointer were changed")
	}

	carried, err := tree.Carry(got)
	want.Tracking.Status = tree.Existing
	want.Tracking.DeletedPositions, want.Tracking.ReplacedPositions = nil, nil
	if diff := cmp.Diff(want, carried, compareValues); err != nil || diff != "" {
		t.Errorf("carried pointer: %v (-want +got):\n%s", err, diff)
	}

	moved, err := tree.Mask(pointer(tree.Added, "m.parquet", 9, 3), 9, tree.Masks{Moved: set(1)})
	if err != nil || moved.Tracking.Status != tree.Added || moved.Tracking.DeletedPositions != nil ||
		moved.Tracking.ReplacedPositions != nil {
		t.Errorf("a leaf of the same snapshot is %+v, %v", moved.Tracking, err)
	}
}

func TestMaskRefuses(t *testing.T) {
	e := pointer(tree.Existing, "m", 3, 8)
	e.Manifest.Val.DV = bits(7)
	broken := e
	broken.Manifest.Val.DV = []byte{1}
	dead := pointer(tree.Deleted, "m", 3, 8)
	one := tree.Masks{Deleted: set(1)}
	tests := []struct {
		e    tree.Entry
		m    tree.Masks
		want string
	}{
		{e, tree.Masks{}, "tree: entry m: EXISTING cannot become MODIFIED: the mask is empty"},
		{e, tree.Masks{Deleted: set(1, 7)}, "tree: entry m: EXISTING cannot become MODIFIED: position 7 is masked already"},
		{e, tree.Masks{Moved: set(8)}, "tree: entry m: EXISTING cannot become MODIFIED: position 8 is beyond its 8 rows"},
		{e, tree.Masks{Deleted: set(1), Replaced: set(1)},
			"tree: entry m: EXISTING cannot become MODIFIED: a position is masked for two reasons (rules 9.3)"},
		{explicit(tree.Existing, "f", 3), one,
			"tree: entry f: EXISTING cannot become MODIFIED: only a manifest can be masked"},
		{dead, one, "tree: entry m: DELETED cannot become MODIFIED: it is not live (rules 6.5)"},
	}
	for _, test := range tests {
		_, err := tree.Mask(test.e, 9, test.m)
		wantError(t, err, test.want)
	}
	var corrupt *tree.CorruptError
	if _, err := tree.Mask(broken, 9, one); !errors.As(err, &corrupt) {
		t.Errorf("a broken deletion vector: %v", err)
	}
}

// Rules 9.9 and Q12: a pointer dies by a mask of the same snapshot only, and is never replaced.
func TestTransitionsOfManifests(t *testing.T) {
	e := pointer(tree.Existing, "m", 3, 2)
	last, err := tree.Mask(e, 9, tree.Masks{Deleted: set(0), Replaced: set(1)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Delete(last, 9)
	want := last
	want.Tracking.Status, want.Tracking.SnapshotID = tree.Deleted, some[int64](9)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("emptied pointer: %v (-want +got):\n%s", err, diff)
	}
	for name, err := range map[string]error{
		"deleted without a mask":           second(tree.Delete(e, 9)),
		"deleted after an older mask":      second(tree.Delete(last, 10)),
		"deleted after moving rows":        second(tree.Delete(movedAway(t, e), 9)),
		"replaced":                         second(tree.Replace(last, 9)),
		"modified other than by a mask":    second(tree.Modify(e, 9)),
		"carried after it had become dead": second(tree.Carry(got)),
	} {
		var refused *tree.TransitionError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func movedAway(t *testing.T, e tree.Entry) tree.Entry {
	t.Helper()
	moved, err := tree.Mask(e, 9, tree.Masks{Moved: set(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

func second[T any](_ T, err error) error { return err }

// Rules 16.2, 16.3: a timestamp that is understood is written down before its row moves to another tree.
func TestPin(t *testing.T) {
	base := tree.Tree{TimestampMillis: 5, HasSnapshotTimestamps: true}
	own := explicit(tree.Existing, "f", 3)
	own.Tracking.SnapshotTimestampMicros = some[int64](3)
	tests := []struct {
		base tree.Tree
		e    tree.Entry
		want iceberg.Optional[int64]
	}{
		{base, explicit(tree.Added, "f", 3), some[int64](5000)},
		{base, own, some[int64](3)},
		{tree.Tree{TimestampMillis: 5}, explicit(tree.Added, "f", 3), none},
	}
	for _, test := range tests {
		if got := test.base.Pin(test.e).Tracking.SnapshotTimestampMicros; got != test.want {
			t.Errorf("pinned timestamp is %v, want %v", got, test.want)
		}
	}
}
