package tree_test

import (
	"context"
	"errors"
	"testing"

	"github.com/firn-io/firn/tree"
	"github.com/google/go-cmp/cmp"
)

// S27: a leaf that mixes live rows and tombstones, some of them masked, has the right live set.
func TestLiveInDropsWhatIsNotLive(t *testing.T) {
	ref := pointer(tree.Modified, "m.parquet", 7, 7)
	ref.Manifest.Val.DV = bits(2, 4)
	hollow := bare("empty", 0)
	rows := sequence(bare("a", 10), explicit(tree.Deleted, "gone", 7), explicit(tree.Deleted, "gone and masked", 3),
		explicit(tree.Replaced, "old state", 7), bare("masked", 10), hollow, explicit(tree.Modified, "b", 3))
	got, err := collect(tree.LiveIn(origin, ref, tree.Projection{}, rows))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"s3://b/t/a", "s3://b/t/b"}, locations(got)); diff != "" {
		t.Errorf("live files (-want +got):\n%s", diff)
	}
	second := got[1]
	if second.Position != 6 || second.Manifest != "s3://b/t/m.parquet" || second.Origin != origin {
		t.Errorf("place of the second file: %+v", second)
	}
	ref.Tracking.Status = tree.Deleted
	if got, err := collect(tree.LiveIn(origin, ref, tree.Projection{}, rows)); err != nil || got != nil {
		t.Errorf("a DELETED pointer has live rows: %v, %v", locations(got), err)
	}
}

// S29 and rules 2.6.1: bitmaps and counts that do not fit the leaf are refused, never shortened.
func TestLiveInRefuses(t *testing.T) {
	leaf := func(change func(*tree.Entry)) tree.Entry {
		ref := pointer(tree.Existing, "m.parquet", 7, 2)
		change(&ref)
		return ref
	}
	withDV := func(dv []byte) tree.Entry { return leaf(func(e *tree.Entry) { e.Manifest.Val.DV = dv }) }
	miscounted := bits(0, 1)
	miscounted[1] = 1
	whole := bits(0, 1)
	child := pointer(tree.Added, "nested.parquet", 7, 1)
	deletes := explicit(tree.Added, "d.parquet", 7)
	deletes.Content = tree.PositionDeletes
	tests := map[string]struct {
		ref   tree.Entry
		row   tree.Entry
		field string
	}{
		"position beyond":   {withDV(bits(2)), bare("b", 1), "manifest_info.dv"},
		"cardinality":       {withDV(miscounted), bare("b", 1), "manifest_info.dv"},
		"truncated":         {withDV(whole[:len(whole)-1]), bare("b", 1), "manifest_info.dv"},
		"no bytes":          {withDV([]byte{}), bare("b", 1), "manifest_info.dv"},
		"no info":           {leaf(func(e *tree.Entry) { e.Manifest.Valid = false }), bare("b", 1), "manifest_info"},
		"too few rows":      {leaf(func(e *tree.Entry) { e.RecordCount = 3 }), bare("b", 1), "record_count"},
		"too many rows":     {leaf(func(e *tree.Entry) { e.RecordCount = 1 }), bare("b", 1), ""},
		"third level":       {leaf(func(*tree.Entry) {}), child, "content_type"},
		"deletes in a leaf": {leaf(func(*tree.Entry) {}), deletes, "content_type"},
		"data in a delete manifest": {leaf(func(e *tree.Entry) { e.Content = tree.DeleteManifest }), bare("b", 1),
			"content_type"},
	}
	for name, test := range tests {
		_, err := collect(tree.LiveIn(origin, test.ref, tree.Full, sequence(test.row, test.row)))
		var corrupt *tree.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Field != test.field || corrupt.Manifest != "m.parquet" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLiveInRefusesRowsOutOfOrder(t *testing.T) {
	rows := func(yield func(tree.Row, error) bool) {
		_ = yield(tree.Row{Position: 1, Entry: bare("a", 1)}, nil) && yield(tree.Row{Position: 0, Entry: bare("b", 1)}, nil)
	}
	_, err := collect(tree.LiveIn(origin, pointer(tree.Added, "m.parquet", 7, 2), tree.Full, rows))
	wantError(t, err, "tree: manifest m.parquet: row 1: the reader gave it in place of row 0")
}

func TestLiveWalksTheRootInOrder(t *testing.T) {
	hollow := explicit(tree.Added, "empty", 9)
	hollow.RecordCount = 0
	root := tree.Tree{Origin: origin, Root: "s3://b/t/root.parquet", Rows: []tree.Entry{
		explicit(tree.Added, "z", 9),
		pointer(tree.Existing, "m1.parquet", 5, 2),
		explicit(tree.Deleted, "gone", 9),
		hollow,
		pointer(tree.Deleted, "emptied.parquet", 5, 2),
		pointer(tree.Existing, "rowless.parquet", 5, 0),
		explicit(tree.Modified, "gs://elsewhere/a", 3),
		pointer(tree.Added, "m0.parquet", 9, 1),
	}}
	reader := &leaves{rows: map[string][]tree.Entry{
		"m1.parquet": {bare("y", 1), bare("x", 1)},
		"m0.parquet": {bare("w", 1)},
	}}
	got, err := collect(tree.Live(context.Background(), root, tree.Projection{}, reader))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"s3://b/t/z", "s3://b/t/y", "s3://b/t/x", "gs://elsewhere/a", "s3://b/t/w"}
	if diff := cmp.Diff(want, locations(got)); diff != "" {
		t.Errorf("live files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"m1.parquet", "m0.parquet"}, reader.opened); diff != "" {
		t.Errorf("leaves that were opened (-want +got):\n%s", diff)
	}
	if loose := got[3]; loose.Manifest != "" || loose.Position != 6 || !loose.Projection.AllStats {
		t.Errorf("a loose file is at %+v", loose)
	}
	for range tree.Live(context.Background(), root, tree.Full, reader) {
		break
	}
}

func TestLiveRefusesRootRows(t *testing.T) {
	tests := map[string]func(*tree.Entry){
		"content_type":         func(e *tree.Entry) { e.Content = tree.EqualityDeletes },
		"snapshot_id":          func(e *tree.Entry) { e.Tracking.SnapshotID = none },
		"sequence_number":      func(e *tree.Entry) { e.Tracking.SequenceNumber = none },
		"file_sequence_number": func(e *tree.Entry) { e.Tracking.FileSequenceNumber = none },
		"record_count":         func(e *tree.Entry) { e.RecordCount = -5 },
	}
	for field, change := range tests {
		e := explicit(tree.Added, "a", 9)
		change(&e)
		root := tree.Tree{Origin: origin, Root: "root.parquet", Rows: []tree.Entry{explicit(tree.Added, "b", 9), e}}
		_, err := collect(tree.Live(context.Background(), root, tree.Full, &leaves{}))
		var corrupt *tree.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Field != field || corrupt.Row != 1 || corrupt.Manifest != "root.parquet" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestLivePassesTheReadersErrorOn(t *testing.T) {
	root := tree.Tree{Origin: origin, Rows: []tree.Entry{pointer(tree.Added, "lost.parquet", 9, 1)}}
	_, err := collect(tree.Live(context.Background(), root, tree.Full, &leaves{}))
	wantError(t, err, "there is no leaf lost.parquet")
}

func TestUnique(t *testing.T) {
	at := func(location string, position int64) tree.Located {
		return tree.Located{Location: location, Manifest: "m", Position: position}
	}
	walk := func(entries ...tree.Located) ([]tree.Located, error) {
		return collect(tree.Unique(func(yield func(tree.Located, error) bool) {
			for _, l := range entries {
				if !yield(l, nil) {
					return
				}
			}
		}))
	}
	if got, err := walk(at("a", 0), at("b", 1)); err != nil || len(got) != 2 {
		t.Errorf("two files: %v", err)
	}
	loose := at("a", 4)
	loose.Manifest = ""
	_, err := walk(at("a", 0), at("b", 1), loose)
	wantError(t, err, "tree: file a is live twice: in row 0 of m and in row 4 of the root (rules 13.1)")
}
