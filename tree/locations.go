package tree

import "strings"

// IsAbsolute reports whether a location begins with a URI scheme as RFC 3986 spells one: a letter, then
// letters, digits, plus, hyphen and dot, then a colon (rules 12.1, 0.5-5). Everything else is relative.
func IsAbsolute(location string) bool {
	for i := range len(location) {
		switch c := location[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// Resolve returns the full location of a stored one: an absolute location itself, a relative one joined to
// the table's location by one slash. Nothing is decoded, normalized or cleaned (rules 12.2).
func Resolve(tableLocation, location string) string {
	if IsAbsolute(location) {
		return location
	}
	return tableLocation + "/" + location
}

// Relativize returns the form in which a full location is stored: what follows the table's location and a
// slash, for everything below the table, else the location itself (rules 12.3, 12.4). A location is also kept
// whole when what follows is empty or would read as absolute, such as data-10:00.parquet (B31); so resolving
// gives back the location in every case (T6).
func Relativize(tableLocation, location string) string {
	rest, below := strings.CutPrefix(location, tableLocation+"/")
	if !below || rest == "" || IsAbsolute(rest) {
		return location
	}
	return rest
}

// FromLegacy returns a location of v1 to v3 metadata in the form of v4: these are always full, and one
// without a scheme gets the given one, such as "file" (rules 11.6, 12.6). It is never joined to the table's
// location (T6).
func FromLegacy(location, scheme string) string {
	switch {
	case IsAbsolute(location):
		return location
	case strings.HasPrefix(location, "/"):
		return scheme + "://" + location
	}
	return scheme + ":" + location
}
