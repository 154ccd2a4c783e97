package count

import "math"

// A bitmap is made of parts of 256 positions. One with few positions has a byte for each, one with many a bit for each that it could
// have; a part without any takes nothing. Beside these there is how many positions each part has, in few bits, since parts are
// alike.
const (
	partRows   = 256
	partBytes  = partRows / 8
	chunkParts = 256
	// bitmapFixedBytes are those of a bitmap without positions, chunkBytes those of 65,536 rows more.
	bitmapFixedBytes = 9
	chunkBytes       = 1.7
)

// countBits are the measured bits that the number of positions takes in each part, by the mean number of them.
var countBits = [...]struct{ mean, bits float64 }{
	{0.0256, 0.28}, {0.077, 0.75}, {0.256, 1.37}, {0.77, 2.2}, {2.56, 3.15}, {7.7, 4.1}, {25.6, 5.1}, {40, 0},
}

// MaskBytes estimates the length of the bitmap of so many masked rows of a leaf of so many, wherever they are. A test holds it to what
// package mdv writes.
func MaskBytes(rows, masked int64) int64 {
	if masked <= 0 || rows <= 0 {
		return 0
	}
	masked = min(masked, rows)
	parts, rest := rows/partRows, rows%partRows
	each := float64(masked) / float64(rows)
	positions := float64(parts) * positionBytes(each, partRows)
	if rest > 0 {
		positions += positionBytes(each, float64(rest))
		parts++
	}
	bytes := bitmapFixedBytes + float64((parts-1)/chunkParts)*chunkBytes + positions
	if parts > 1 {
		bytes += float64(parts) * bitsOfCount(each*partRows) / 8
	}
	return int64(bytes + 0.5)
}

// positionBytes is what the positions of a part take of whose rows a share is masked: partBytes at most.
func positionBytes(share, rows float64) float64 {
	mean := share * rows
	spread := math.Sqrt(mean * (1 - share))
	switch z := (partBytes - mean) / max(spread, 0.01); {
	case z > 4:
		return mean
	case z < -4:
		return partBytes
	default: // how many positions there are is nearly normal
		return mean - spread*(math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)-z*math.Erfc(z/math.Sqrt2)/2)
	}
}

// bitsOfCount is [countBits] between its knots.
func bitsOfCount(mean float64) float64 {
	last := countBits[0]
	if mean <= last.mean {
		return mean * last.bits / last.mean
	}
	for _, knot := range countBits[1:] {
		if mean <= knot.mean {
			share := math.Log(mean/last.mean) / math.Log(knot.mean/last.mean)
			return last.bits + share*(knot.bits-last.bits)
		}
		last = knot
	}
	return 0
}
