package policy

import "fmt"

// Term is what decided a step: a term of the cost, a limit, or a rule that asks for no cost. The zero Term is that of a policy that does
// not say.
type Term uint8

// The terms.
const (
	// ByRule is the rule of the policy: so many loose files are there, or so many leaves of a size.
	ByRule Term = iota + 1
	// ByRent is what rows and pointers cost in every root: to write them once into a leaf is cheaper in time.
	ByRent
	// ByMasks is what the bitmaps of masked leaves cost in every root, and what plans read of their dead rows.
	ByMasks
	// ByScans is what plans of one partition read because its rows are in many leaves.
	ByScans
	// ByRootLimit is the limit of the root, or of its rows.
	ByRootLimit
	// ByEarlierAttempt is a leaf that is written already, so that it costs nothing more.
	ByEarlierAttempt
)

// String returns the term's name.
func (t Term) String() string {
	switch t {
	case 0:
		return "unsaid"
	case ByRule:
		return "rule"
	case ByRent:
		return "rent"
	case ByMasks:
		return "masks"
	case ByScans:
		return "scans"
	case ByRootLimit:
		return "root-limit"
	case ByEarlierAttempt:
		return "earlier-attempt"
	}
	return fmt.Sprintf("term %d", uint8(t))
}

// PaysAfter returns how many roots, that of the step's own commit counted, have saved what the step writes. Where roots do not get
// smaller by it, it never pays; tombstones are in one root only, wherever they stand.
func (s Step) PaysAfter() (commits int64, pays bool) {
	if s.SavedBytes <= 0 || s.Kind == Bury {
		return 0, false
	}
	return (s.PaidBytes + s.SavedBytes - 1) / s.SavedBytes, true
}

// pays adds to what a step writes, unless an earlier attempt has written it.
func (s *Step) pays(bytes int64) {
	if s.Written < 0 {
		s.PaidBytes += bytes
	}
}
