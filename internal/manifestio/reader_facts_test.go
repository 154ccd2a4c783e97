package manifestio

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
)

// TestFileFacts asks files what their footers alone tell: bounds of the locations over all row groups, if each
// has some, and whether rows may have a time of their own.
func TestFileFacts(t *testing.T) {
	data, rows := sampleFile(t, 30)
	lowest, highest := rows[0].Location, rows[0].Location
	for _, e := range rows {
		lowest, highest = min(lowest, e.Location), max(highest, e.Location)
	}
	groups := takeApart(t, data)
	timeless := takeApart(t, data)
	timeless.drop(t, "147.8")
	empty, _ := sampleFile(t, 0)
	for _, c := range []struct {
		name          string
		data          []byte
		bounds, times bool
	}{
		{"as written", data, true, true},
		{"three row groups", groups.putTogether(t, 13, parquet.WithStats(true)), true, true},
		{"no Parquet statistics", groups.putTogether(t, 13, parquet.WithStats(false)), false, true},
		{"no timestamps", timeless.putTogether(t, 30, parquet.WithStats(true)), true, false},
		{"no rows", empty, false, false},
	} {
		r, err := Open(bytes.NewReader(c.data), int64(len(c.data)), "test.parquet", DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lower, upper, ok := r.LocationBounds()
		if ok != c.bounds || ok && (lower != lowest || upper != highest) {
			t.Errorf("%s: bounds %q to %q, %t; want %q to %q, %t", c.name, lower, upper, ok, lowest, highest, c.bounds)
		}
		if got := r.HasSnapshotTimestamps(); got != c.times {
			t.Errorf("%s: timestamps %t", c.name, got)
		}
	}
}
