package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Fault says which calls are disturbed and how. It is a comparable value with a text form, see [Fault.String].
type Fault struct {
	// Op is the kind of call; the zero Op matches all kinds.
	Op Op
	// Name is matched against the object's name, the prefix of a listing, or namespace.name of a table. A star
	// stands for any run of bytes, slashes too; everything else for itself. An empty Name matches all names.
	Name string
	// Nth picks the n-th of the calls that match from the time when the fault is armed; 0 picks each of them.
	Nth int
	// Outcome is what becomes of the call.
	Outcome Outcome
	// Number goes with some outcomes, see [Outcome.Numbered]; it is 0 with the others. With [Late]: the number of
	// further calls, 0 for a call that lands by hand. With [Slow] and [LandSlow]: milliseconds. With [Truncate] and
	// [TruncateFail]: the bytes that stay. With [Break]: the objects before the error.
	Number int
}

// Validate returns what is wrong with the fault, all of it on one line.
func (f Fault) Validate() error {
	var wrong []string
	if f.Op != "" && !slices.Contains(Ops(), f.Op) {
		wrong = append(wrong, fmt.Sprintf("unknown operation %q", f.Op))
	} else if !slices.Contains(Possible(f.Op), f.Outcome) {
		wrong = append(wrong, fmt.Sprintf("outcome %q is none of %q for operation %s", f.Outcome, Possible(f.Op), f.Op))
	} else if f.Number != 0 && !f.Outcome.Numbered() {
		wrong = append(wrong, fmt.Sprintf("outcome %q takes no number", f.Outcome))
	}
	if f.Nth < 0 {
		wrong = append(wrong, fmt.Sprintf("call number %d is negative", f.Nth))
	}
	if f.Number < 0 {
		wrong = append(wrong, fmt.Sprintf("number %d is negative", f.Number))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("fault %s: %s", f, strings.Join(wrong, "; "))
	}
	return nil
}

// Single returns the faults that disturb one of the calls each: every call with every one of its [Outcomes], call
// by call. The calls are those of an undisturbed run that is to be repeated with each of the faults.
func Single(calls []Call) []Fault {
	var faults []Fault
	seen := make(map[Op]int)
	for _, call := range calls {
		seen[call.Op]++
		for _, outcome := range Outcomes(call.Op) {
			faults = append(faults, Fault{Op: call.Op, Nth: seen[call.Op], Outcome: outcome})
		}
	}
	return faults
}

// matches reports whether the fault is about such a call.
func (f Fault) matches(op Op, name string) bool {
	return (f.Op == "" || f.Op == op) && (f.Name == "" || match(f.Name, name))
}

// match reports whether name has the form of the pattern, in which a star stands for any run of bytes.
func match(pattern, name string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return name == pattern
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		middle, later, starred := strings.Cut(rest, "*")
		if !starred {
			return strings.HasSuffix(name, middle)
		}
		_, after, found := strings.Cut(name, middle)
		if !found {
			return false
		}
		name, rest = after, later
	}
}

// keep returns how many of n bytes stay.
func (f Fault) keep(n int) int {
	switch f.Outcome {
	case Truncate, TruncateFail:
		return min(n, f.Number)
	case Half, HalfFail:
		return n / 2
	default:
		return n
	}
}
