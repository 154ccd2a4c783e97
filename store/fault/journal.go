package fault

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/firn-io/firn/store"
)

// Result is the kind of an answer to a call. The zero Result stands for no answer.
type Result string

// The results.
const (
	OK       Result = "ok"
	Exists   Result = "exists"
	NotFound Result = "not found"
	TooLarge Result = "too large"
	// EndOfObject is a range that ends before it is full.
	EndOfObject Result = "end of object"
	Conflicted  Result = "conflict"
	Refused     Result = "refused"
	Throttled   Result = "throttled"
	Uncertain   Result = "unknown"
	Crashed     Result = "crashed"
	Panicked    Result = "panic"
	// Failed is any other error.
	Failed Result = "failed"
)

// results are the errors behind the results; of several in one error the first decides.
var results = []struct {
	err    error
	result Result
}{
	{ErrCrashed, Crashed}, {errPanic, Panicked}, {store.ErrUnknown, Uncertain}, {store.ErrRefused, Refused},
	{store.ErrThrottled, Throttled},
	{store.ErrConflict, Conflicted}, {store.ErrExists, Exists}, {store.ErrNotFound, NotFound},
	{store.ErrTooLarge, TooLarge}, {io.EOF, EndOfObject}, {io.ErrUnexpectedEOF, EndOfObject},
}

// resultOf returns the kind of an answer.
func resultOf(err error) Result {
	if err == nil {
		return OK
	}
	for _, r := range results {
		if errors.Is(err, r.err) {
			return r.result
		}
	}
	return Failed
}

// Call is one call of a store.
type Call struct {
	Op Op
	// Name is the object's name, the prefix of a listing, or namespace.name of a table.
	Name string
	// Outcome is empty for a call that went through undisturbed, with whatever answer.
	Outcome Outcome
	// Stored is what the wrapped store answered, disturbed where the outcome cuts data or breaks a listing; it is
	// empty for a call that did not reach the store, or has not yet.
	Stored Result
	// Told is what the program was told; it is empty while the call runs.
	Told Result
	// SizeBytes is the length of the data that a put handed to the wrapped store or that a read got from it, cut
	// as the outcome says; 0 for other calls.
	SizeBytes int64
}

// String returns a line for people, as in
//
//	put s3://b/t/x 120 bytes: ok
//	swap demo.events land-unknown: ok, reported as unknown
//	swap demo.events late: nothing yet, reported as unknown
func (c Call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", c.Op, Fault{Name: c.Name}.pattern())
	if c.SizeBytes != 0 {
		fmt.Fprintf(&b, " %d bytes", c.SizeBytes)
	}
	if c.Outcome != "" {
		fmt.Fprintf(&b, " %s", c.Outcome)
	}
	switch stored := cmp.Or(c.Stored, "nothing yet"); {
	case c.Told == "":
		fmt.Fprintf(&b, ": %s", stored)
	case c.Told == c.Stored:
		fmt.Fprintf(&b, ": %s", c.Told)
	case c.Stored == "" && c.Outcome != Late:
		fmt.Fprintf(&b, ": not done, reported as %s", c.Told)
	default:
		fmt.Fprintf(&b, ": %s, reported as %s", stored, c.Told)
	}
	return b.String()
}

// Tally is how many calls of one kind for one class of names there were, and the sum of their SizeBytes.
type Tally struct {
	Op        Op
	Class     string
	Calls     int
	SizeBytes int64
}

// Count sums up calls by their kind, in the order of [Ops], and by the class that the caller gives to a name, in
// the order of bytes. A nil class puts all names into one class without a name.
func Count(calls []Call, class func(name string) string) []Tally {
	var tallies []Tally
	for _, call := range calls {
		t := Tally{Op: call.Op}
		if class != nil {
			t.Class = class(call.Name)
		}
		at, found := slices.BinarySearchFunc(tallies, t, compareTallies)
		if !found {
			tallies = slices.Insert(tallies, at, t)
		}
		tallies[at].Calls++
		tallies[at].SizeBytes += call.SizeBytes
	}
	return tallies
}

// compareTallies orders tallies by the kind of call and the class.
func compareTallies(a, b Tally) int {
	order := Ops()
	return cmp.Or(cmp.Compare(slices.Index(order, a.Op), slices.Index(order, b.Op)), cmp.Compare(a.Class, b.Class))
}
