package invariants_test

import (
	"testing"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/tree"
)

var totalsExamples = []example{
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-data-files"] = "5" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-records"] = "39" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-files-size"] = "4000.0" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-delete-files"] = "0" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-position-deletes"] = "2" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.summary["total-equality-deletes"] = "1" }},
	{"T-TOTALS", goodTotals, func(s *sample) { s.tree.Rows = s.tree.Rows[:2] }},
}

// goodTotals is the tree of [goodFold] and what its summary says: three files of ten rows in a leaf, one of them with
// a deletion vector, and a loose file of five.
func goodTotals() *sample {
	s := goodFold()
	s.summary = map[string]string{
		"operation": "overwrite", "total-data-files": "4", "total-records": "35", "total-files-size": "4044",
		"total-delete-files": "1", "total-position-deletes": "1", "total-equality-deletes": "0",
	}
	return s
}

// What is not claimed or not known is not judged.
func TestTotalsUnknown(t *testing.T) {
	wrong := map[string]string{"total-delete-files": "9", "total-files-size": "9"}
	for name, change := range map[string]func(*sample){
		"nothing is claimed":               func(s *sample) { s.summary = map[string]string{"operation": "append"} },
		"the size of data files alone":     func(s *sample) { s.summary = map[string]string{"total-files-size": "4000"} },
		"delete files of before v4":        func(s *sample) { s.summary, s.tree.Rows[2] = wrong, legacyDeletes() },
		"a leaf with an unreadable bitmap": func(s *sample) { s.summary, s.pointer().Manifest.Val.DV = wrong, []byte{9} },
		"a leaf that is passed over":       func(s *sample) { s.summary = wrong; delete(s.leaves, tableLocation+"/"+l2) },
	} {
		s := goodTotals()
		change(s)
		l := invariants.NewLeaves(s.table, s.leaves, invariants.LeafOptions{Unreadable: func(string, error) bool { return true }})
		if found := collect(invariants.CheckTotals(t.Context(), l, *s.tree, s.summary)); len(found) > 0 {
			t.Errorf("%s:%s", name, messages(found))
		}
	}
}

func legacyDeletes() tree.Entry {
	d := *goodLegacy().row(1)
	return d
}
