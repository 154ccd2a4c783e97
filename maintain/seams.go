package maintain

import "github.com/firn-io/firn/internal/tamper"

// The seams between the stages of a clean-up; see [tamper.Stage].
const (
	// seamRetained: the snapshots whose objects are kept, and seamUse what a pointer says of the rows of its leaf.
	seamRetained tamper.Seam = "retained"
	seamUse      tamper.Seam = "use of a leaf"
	// seamKept: an object that is kept.
	seamKept tamper.Seam = "kept"
	// seamOlder: whether an object is old enough to be an orphan.
	seamOlder tamper.Seam = "older"
	// seamUnreached: what is deleted.
	seamUnreached tamper.Seam = "unreached"
)
