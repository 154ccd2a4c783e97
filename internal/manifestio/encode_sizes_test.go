package manifestio_test

import (
	"io"
	"math"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/policy"
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
