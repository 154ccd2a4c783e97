// Package bounded counts with numbers of tables that may be anything, without overflow.
package bounded

import "math"

// What policies take for the most that a number of an input can be, so that no product of them, nor the sum of tens of
// thousands, leaves 64 bits: entries of an item or a leaf, bytes of a row, and bytes of a manifest.
const (
	MostEntries       = 1<<32 - 1
	MostRowBytes      = 1<<16 - 1
	MostManifestBytes = 1<<44 - 1
)

// Within returns a number that is neither below zero nor beyond the most.
func Within(n, most int64) int64 { return min(max(0, n), most) }

// Times multiplies without overflow.
func Times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/4/b {
		return math.MaxInt64 / 4
	}
	return a * b
}

// OrDefault returns a setting, or what it is if nobody has set it.
func OrDefault(v, otherwise int64) int64 {
	if v <= 0 {
		return otherwise
	}
	return v
}
