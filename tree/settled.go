package tree

import (
	"slices"

	"github.com/apache/iceberg-go"
)

// Settled returns the statistics as they are written: a null tightness is false, for readers throw at a null
// (rules 0.5-1). Bounding boxes have none. Statistics that are settled are returned as they are (F7).
func (s Stats) Settled() Stats {
	if !slices.ContainsFunc(s, FieldStats.unsettled) {
		return s
	}
	settled := slices.Clone(s)
	for i := range settled {
		if settled[i].unsettled() {
			settled[i].Tight = iceberg.Optional[bool]{Val: false, Valid: true}
		}
	}
	return settled
}

func (f FieldStats) unsettled() bool {
	return !f.Tight.Valid && f.Lower.Kind() != KindGeo && f.Upper.Kind() != KindGeo
}
