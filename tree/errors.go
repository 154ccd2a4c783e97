package tree

import (
	"fmt"
	"strings"
)

// NoRow is the Row of a [CorruptError] that concerns a manifest as a whole.
const NoRow = -1

// CorruptError says that a tree, as it is stored, breaks a rule in such a way that it cannot be read.
type CorruptError struct {
	// Manifest is the location of the manifest that holds the fault.
	Manifest string
	// Row is the ordinal of the faulty row in that manifest, or [NoRow].
	Row int64
	// Field is the name of the faulty field, or empty.
	Field string
	// Err says what is wrong.
	Err error
}

// Error names the manifest, the row and the field.
func (e *CorruptError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree: manifest %s: ", e.Manifest)
	if e.Row != NoRow {
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// TransitionError says that an entry cannot go from its status to another (rules 6.5, T4).
type TransitionError struct {
	// Location is the entry's location as stored.
	Location string
	From, To Status
	// Reason says why not.
	Reason string
}

// Error names the entry and both statuses.
func (e *TransitionError) Error() string {
	return fmt.Sprintf("tree: entry %s: %s cannot become %s: %s", e.Location, e.From, e.To, e.Reason)
}
