package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/tree"
)

// TestSizes: the estimated length of a manifest is within 20 % of what Parquet takes, over a grid of kinds of rows, their
// number, columns with statistics and masks.
func TestSizes(t *testing.T) {
	const most = 0.20
	worst := 0.0
	for _, kind := range []string{"leaf", "loose", "pointers", "masked pointers", "half"} {
		for _, columns := range []int{0, 1, 4, 16} {
			for _, n := range []int{1, 5, 10, 30, 100, 300, 1000, 10_000} {
				s, rows := sized(t, kind, columns, n)
				real, err := encodedBytes(t, kind != "leaf", s, rows)
				if err != nil {
					t.Fatal(err)
				}
				off := float64(manifestBytes(s, rows, kind != "leaf"))/float64(real) - 1
				if worst = max(worst, off, -off); off > most || off < -most {
					t.Errorf("%s, %d columns, %d rows: estimated %.1f %% more than the %d bytes of Parquet", kind, columns, n, 100*off, real)
				}
			}
		}
	}
	t.Logf("at most %.1f %% off", 100*worst)
}

func encodedBytes(t *testing.T, root bool, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	t.Helper()
	objects, codec := new(mem.Objects), treeio.Parquet{}
	if root {
		return codec.PutRoot(t.Context(), objects, "root", s, rows)
	}
	return codec.PutLeaf(t.Context(), objects, "leaf", s, rows)
}

// sized makes rows of a kind as the simulator's commits make them.
func sized(t *testing.T, kind string, columns, n int) (manifestio.Schema, []tree.Entry) {
	t.Helper()
	var s manifestio.Schema
	for c := range columns {
		s.Stats = append(s.Stats, manifestio.StatsColumn{FieldID: c + 1, Name: fmt.Sprint("c", c), Type: iceberg.PrimitiveTypes.Int64})
	}
	some := func(v int64) iceberg.Optional[int64] { return iceberg.Optional[int64]{Val: v, Valid: true} }
	var rows []tree.Entry
	for i := range n {
		number := int64(1000 + i*7)
		f := tree.File{Location: locationOf(number), Format: "parquet", RecordCount: 10, FileSizeBytes: sizeOf(number)}
		for c := range columns {
			v := number * int64(c+1)
			f.Stats = append(f.Stats, tree.FieldStats{
				FieldID: c + 1, Lower: tree.Long(v), Upper: tree.Long(v + int64(i*7919%101)), Tight: iceberg.Optional[bool]{Valid: true},
			})
		}
		e := f.Entry(tableLocation, 1)
		if kind != "leaf" {
			snapshot := some(int64(i/10 + 1))
			e.Tracking = tree.Tracking{
				Status: tree.Existing, SnapshotID: snapshot, SequenceNumber: snapshot, FileSequenceNumber: snapshot,
				FirstRowID: some(int64(i * 10)),
			}
		}
		if kind == "pointers" || kind == "masked pointers" || kind == "half" && i%2 == 0 {
			e = pointerLike(t, e, i, kind == "masked pointers")
		}
		rows = append(rows, e)
	}
	return s, rows
}

// pointerLike turns the entry of a file into one of a leaf.
func pointerLike(t *testing.T, e tree.Entry, i int, masked bool) tree.Entry {
	t.Helper()
	e.Content = tree.DataManifest
	e.Location = fmt.Sprintf("metadata/%08x-0000-4000-8000-000000000000-m0.parquet", i*77)
	m := tree.ManifestInfo{
		AddedFiles: int32(10 + i%7), AddedRows: int64(i % 11 * 10), MinSequenceNumber: int64(i), FormatVersion: 4,
	}
	if masked {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		var positions []uint32
		for range 20 {
			positions = append(positions, random.Uint32N(1000))
		}
		bitmap, err := mdv.Of(positions...)
		if err != nil {
			t.Fatal(err)
		}
		if m.DV, err = bitmap.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
	}
	e.Manifest = iceberg.Optional[tree.ManifestInfo]{Val: m, Valid: true}
	return e
}
