package sim

import (
	"testing"

	"github.com/firn-io/firn/metadata"
)

// TestUnsure: better statistics may be left out where the transaction can have met the file with other deletes, on a line that its
// branch was rolled back from or of a snapshot that is not retained, and not otherwise.
func TestUnsure(t *testing.T) {
	on := named{Table: metadata.Table{Snapshots: []metadata.Snapshot{{ID: 7, SequenceNumber: 4}}}, turned: map[string]int64{"main": 5, "b": 9}}
	for _, c := range []struct {
		name     string
		branch   string
		base     int64 // the sequence number of the base
		modified int64
		want     bool
	}{
		{"untouched", "", 6, 0, false},
		{"changed by a snapshot that is retained", "", 6, 7, false},
		{"changed by a snapshot that has expired", "", 6, 8, true},
		{"the branch was rolled back since", "", 5, 0, true},
		{"another branch was rolled back since", "", 8, 0, false},
		{"this branch was rolled back since", "b", 8, 7, true},
		{"a branch that never was", "c", 1, 7, false},
	} {
		in := intent{program: Program{Branch: c.branch}, baseSequence: c.base}
		if got := on.unsure(in)(file{modified: c.modified}); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
