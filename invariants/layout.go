package invariants

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/firn-io/firn/tree"
)

var layoutInvariants = []Invariant{
	{
		ID: "X-SAME-LAYOUT", Scope: ScopeTransition, Depth: AllLeaves, Severity: Warning, Firmness: Derived, Rule: "rules 2.1, 6.1",
		Statement: "A file that is live in the parent and not added by the child keeps its sort order and its split offsets, wherever its entry moves.",
		Symptom:   "Scans cannot use the order of the rows, or cut the file in fewer or in the wrong places.",
		Advice:    "Copy both when an entry moves; the file does not change.",
		check:     checker{transition: checkSameLayout},
	},
}

func checkSameLayout(t *transition, r reporter) {
	for d, a := range t.moved() {
		if d.layout != a.layout {
			r.at(a.object, a.row).report("sort_order_id, split_offsets", "those of the parent", "others")
		}
	}
}

// layoutOf reduces sort order and split offsets of a file to a number; most files have others, and a table has millions.
func layoutOf(e *tree.Entry) uint32 {
	if !e.SortOrderID.Valid && e.SplitOffsets == nil {
		return 0
	}
	h := fnv.New32a()
	number := func(n int64) { _ = binary.Write(h, binary.LittleEndian, n) } // a hash takes everything
	if e.SortOrderID.Valid {
		number(int64(e.SortOrderID.Val))
	}
	number(-1) // no sort order and no offset
	for _, offset := range e.SplitOffsets {
		number(offset)
	}
	return h.Sum32()
}
