package sim

import (
	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/tree"
)

// price is what rows cost in a manifest, in tenths of a byte: a price once, one for each of the first few rows, while what
// compression saves is less than it costs, one for each row, and one more for each row beyond a thousand, where numbers of
// neighbors resemble each other less.
type price struct{ once, few, row, beyond int64 }

func (p price) of(rows int64) int64 {
	return p.once + p.few*min(rows, 10) + p.row*rows + p.beyond*max(rows-1000, 0)
}

// The prices are fitted to what [manifestio.Encode] writes of rows like those that the simulator makes; a test holds them
// to it.
var (
	leafPrice    = price{6600, 300, 18, 0}   // of rows that inherit all they can
	rootPrice    = price{10300, 580, 34, 28} // of rows that say all themselves
	pointerPrice = price{14300, 650, 19, 0}  // of pointers, on top
	columnPrice  = price{3200, 150, 29, 0}   // of a column with statistics
	vectorPrice  = price{1200, 0, 0, 0}      // of columns of bitmaps and deletion vectors, beside their bytes
)

// emptyBytes is the length of a manifest without rows.
const emptyBytes = 237

// statistics counts the statistics of columns in rows. Those that have as many as any stand for rows with all of the schema; one that
// lacks some costs less in a manifest.
func statistics(s manifestio.Schema, rows []tree.Entry) (n int64) {
	most := 0
	for i := range rows {
		most = max(most, len(rows[i].Stats))
	}
	for i := range rows {
		if known := len(rows[i].Stats); known < most {
			n += int64(min(known, len(s.Stats)))
		} else {
			n += int64(len(s.Stats))
		}
	}
	return n
}

// manifestBytes estimates the length of a manifest in Parquet.
func manifestBytes(s manifestio.Schema, rows []tree.Entry, root bool) int64 {
	if len(rows) == 0 {
		return emptyBytes
	}
	var pointers, vectors, bitmapBytes int64
	for i := range rows {
		e := &rows[i]
		bitmaps := len(e.Manifest.Val.DV) + len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions)
		if e.Content.IsManifest() {
			pointers++
		}
		if bitmaps > 0 || e.DeletionVector.Valid {
			vectors++
		}
		bitmapBytes += int64(bitmaps)
	}
	n := int64(len(rows))
	tenths := leafPrice.of(n)
	if root {
		tenths = rootPrice.of(n)
	}
	if columns := int64(len(s.Stats)); columns > 0 {
		tenths += columns * columnPrice.of((statistics(s, rows)+columns-1)/columns)
	}
	if pointers > 0 {
		tenths += pointerPrice.of(pointers)
	}
	if vectors > 0 {
		tenths += vectorPrice.of(vectors)
	}
	return tenths/10 + bitmapBytes
}
