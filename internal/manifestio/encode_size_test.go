package manifestio_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
)

// TestEncodeSizes holds roots of fixed content to their byte budgets: one loose file, and ninety with ten pointers
// of which half have a deletion vector, with statistics of some numbers of columns.
func TestEncodeSizes(t *testing.T) {
	for _, c := range []struct{ columns, loose, pointers, limit int }{
		{0, 1, 0, 1900}, {5, 1, 0, 5000}, {20, 1, 0, 14_500},
		{0, 90, 10, 9000}, {5, 90, 10, 21_000}, {20, 90, 10, 55_000},
	} {
		t.Run(fmt.Sprintf("columns=%d/rows=%d", c.columns, c.loose+c.pointers), func(t *testing.T) {
			table, partition := manifestio.FixedTable(c.columns)
			schema, err := manifestio.NewSchema(table, partition, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			got, err := manifestio.Encode(&out, schema, manifestio.FixedEntries(table, c.loose, c.pointers), manifestio.EncodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes in %d columns, %d before compression", got.SizeBytes, got.Columns, got.RawBytes)
			if got.SizeBytes != int64(out.Len()) {
				t.Errorf("reported %d bytes, wrote %d", got.SizeBytes, out.Len())
			}
			if out.Len() > c.limit {
				t.Errorf("%d bytes, more than %d", out.Len(), c.limit)
			}
		})
	}
}
