package commit

import "github.com/firn-io/firn/internal/tamper"

// The seams between the stages of a commit, in their order; see [tamper.Stage].
const (
	// seamDecided: what becomes of each file, before deletion vectors are written and positions masked.
	seamDecided tamper.Seam = "decided"
	// seamVectors: the deletion vectors that new rows need, and seamVectorPlaces where they were written.
	seamVectors      tamper.Seam = "vectors"
	seamVectorPlaces tamper.Seam = "vector places"
	// seamMasked: the same as seamDecided, with the masks.
	seamMasked tamper.Seam = "masked"
	// seamUsable: whether a leaf of an earlier attempt says of a member what the base says.
	seamUsable tamper.Seam = "usable"
	// seamLeaf: the members of a new leaf, and seamLeafRows the rows that are written for them.
	seamLeaf     tamper.Seam = "leaf"
	seamLeafRows tamper.Seam = "leaf rows"
	// seamSnapshot: the numbers that the root is built with.
	seamSnapshot tamper.Seam = "snapshot"
	// seamTranslated: the masks of rewritten leaves in the new one, and seamPointer the root's row for it.
	seamTranslated tamper.Seam = "translated"
	seamPointer    tamper.Seam = "pointer"
	// seamRoot: the rows of the new root.
	seamRoot tamper.Seam = "root"
	// seamSummary: the new snapshot, and seamMetadata the table with it.
	seamSummary  tamper.Seam = "summary"
	seamMetadata tamper.Seam = "metadata"
	// seamUpdate: the table after a change of the metadata alone.
	seamUpdate tamper.Seam = "update"
	// seamSeen: what a look after a swap showed, and seamOutcome what is told later.
	seamSeen    tamper.Seam = "seen"
	seamOutcome tamper.Seam = "outcome"
	// seamBranchGone: the state that a transaction stays on whose branch was dropped.
	seamBranchGone tamper.Seam = "branch gone"
	// seamGarbage: the objects that are removed after the end, and seamTrimmed metadata files beyond the log.
	seamGarbage tamper.Seam = "garbage"
	seamTrimmed tamper.Seam = "trimmed"
)
