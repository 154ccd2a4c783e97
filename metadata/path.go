package metadata

import (
	"fmt"
	"regexp"
	"strings"
)

// step is one step on the path to a value: a member, or an element if the index is not negative.
type step struct {
	name  string
	index int
}

// plainName matches the names that a path repeats as they are.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// formatPath writes a path as $.snapshots[3].summary["added.files"].
func formatPath(path []step) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range path {
		switch {
		case s.index >= 0:
			fmt.Fprintf(&b, "[%d]", s.index)
		case plainName.MatchString(s.name):
			b.WriteString("." + s.name)
		default:
			fmt.Fprintf(&b, "[%q]", shorten(s.name))
		}
	}
	return b.String()
}

// shortBytes is how much of a text from the input an error message repeats.
const shortBytes = 64

func shorten(text string) string {
	if len(text) <= shortBytes {
		return text
	}
	return strings.ToValidUTF8(text[:shortBytes], "") + "…"
}
