package manifestio_test

import (
	"io"
	"math"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/policy"
	"github.com/firn-io/firn/rootmanifest"
	"github.com/firn-io/firn/tree"
)

// encodedBytes returns the length of a manifest, and what the bitmaps in it take.
func encodedBytes(t *testing.T, columns int, entries []tree.Entry) (size, bitmaps int64) {
	t.Helper()
	table, partition := manifestio.FixedTable(columns)
	schema, err := manifestio.NewSchema(table, partition, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := manifestio.Encode(io.Discard, schema, entries, manifestio.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		bitmaps += int64(len(e.Manifest.Val.DV) + len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions))
	}
	return got.SizeBytes, bitmaps
}

// TestPolicyKnowsSizes holds what policies count with to what is written, within five percent, on the sizes that the model was
// fitted to and on others between them.
func TestPolicyKnowsSizes(t *testing.T) {
	within := func(columns, files, pointers int, got, want int64) {
		t.Helper()
		if off := math.Abs(float64(got)/float64(want) - 1); off > 0.05 {
			t.Errorf("%d columns, %d files, %d pointers: estimated %d, written %d: %.1f %% off", columns, files, pointers, got, want, 100*off)
		}
	}
	for _, columns := range []int{0, 1, 2, 5, 10, 20, 50, 100} {
		table, _ := manifestio.FixedTable(columns)
		for _, rows := range []int{0, 1, 2, 3, 5, 10, 15, 20, 50, 70, 100, 200, 300, 1000, 2000} {
			if rows*columns > 30_000 {
				continue // much to write, and as straight a line as with fewer columns
			}
			size, _ := encodedBytes(t, columns, manifestio.LeafEntries(table, rows))
			within(columns, rows, 0, policy.LeafBytes(columns, int64(rows)), size)
			for _, pointers := range []int{0, 1, 3, 10, 30, 100, 300} {
				if rows+pointers > 400 && rows > 1 && pointers > 0 {
					continue
				}
				size, bitmaps := encodedBytes(t, columns, manifestio.FixedEntries(table, rows, pointers))
				within(columns, rows, pointers, policy.RootBytes(columns, int64(rows), int64(pointers), bitmaps), size)
			}
		}
	}
}

// TestPolicyKnowsThinPointers holds what policies count with for pointers that keep the statistics of few columns to what is written: to a
// twentieth of the root if half of them are thin, and if all are a root is at most a twentieth larger than they think, and an eighth smaller.
func TestPolicyKnowsThinPointers(t *testing.T) {
	for _, columns := range []int{10, 50, 100} {
		table, _ := manifestio.FixedTable(columns)
		for _, kept := range []int{0, 1, 3} {
			var ids []int
			for _, field := range table.Fields()[:kept] {
				ids = append(ids, field.ID)
			}
			for _, pointers := range []int{100, 300} {
				prices := policy.EstimatePrices(columns).Thinned(kept)
				entries := manifestio.FixedEntries(table, 1, pointers)
				full, _ := encodedBytes(t, columns, entries)
				for _, some := range []int{pointers / 2, pointers} {
					thinned := 0
					for i := range entries {
						if entries[i].Content.IsManifest() && thinned < some {
							entries[i].Stats = entries[i].Stats.Project(ids)
							thinned++
						}
					}
					size, _ := encodedBytes(t, columns, entries)
					saved := int64(some) * (prices.PointerBytes - prices.ThinPointerBytes)
					off := float64(size-(full-saved)) / float64(full)
					if off > 0.05 || off < -0.125 || some < pointers && off < -0.05 {
						t.Errorf("%d of %d columns, %d of %d pointers thin: %d bytes saved of %d, estimated %d: %.1f %% off",
							kept, columns, some, pointers, full-size, full, saved, 100*off)
					}
				}
			}
		}
	}
}

// TestThinPointersStandTogether: pointers that are thinned here and there, in commit after commit, take no more of a root than policies
// count with, for the root puts them side by side.
func TestThinPointersStandTogether(t *testing.T) {
	const columns = 50
	table, partition := manifestio.FixedTable(columns)
	schema, err := manifestio.NewSchema(table, partition, nil)
	if err != nil {
		t.Fatal(err)
	}
	prices, kept := policy.EstimatePrices(columns).Thinned(1), []int{table.Fields()[0].ID}
	all := manifestio.FixedEntries(table, 0, 1000)
	for i := range all {
		all[i].Manifest.Val.DV, all[i].Tracking.DeletedPositions = nil, nil
	}
	root := tree.Tree{Rows: all[:700]}
	for round := range 3 {
		b := rootmanifest.NewBuilder(root, rootmanifest.Snapshot{ID: int64(round + 1), SequenceNumber: 1000})
		for i := round; i < len(root.Rows); i += 4 {
			if err := b.Thin(i, kept); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range all[700+100*round : 800+100*round] {
			b.Point(e)
		}
		built, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		root.Rows = built.Rows
		want := prices.RootFixedBytes
		for _, e := range root.Rows {
			want += prices.Pointer(len(e.Stats) == 1)
		}
		got, err := manifestio.Encode(io.Discard, schema, root.Rows, manifestio.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(got.SizeBytes)/float64(want) - 1; off > 0.05 || off < -0.125 {
			t.Errorf("%d columns, commit %d: %d bytes, estimated %d: %.1f %% off", columns, round, got.SizeBytes, want, 100*off)
		}
	}
}
