package invariants

import "strings"

// resolve returns the absolute form of a stored location (rules 12.1, 12.2): nothing is normalized.
func resolve(tableLocation, stored string) string {
	if hasScheme(stored) {
		return stored
	}
	return tableLocation + "/" + stored
}

// hasScheme reports whether a location begins with a URI scheme: a letter, then letters, digits, plus, minus and
// dot, then a colon (rules 0.5-5).
func hasScheme(location string) bool {
	for i := range len(location) {
		c := location[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || strings.IndexByte("+-.", c) >= 0):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// hasDotSegment reports whether some segment of a location is "." or "..", which looks as if it meant something.
func hasDotSegment(location string) bool {
	for segment := range strings.SplitSeq(location, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
