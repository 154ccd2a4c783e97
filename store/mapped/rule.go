package mapped

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Rule says that names which begin with From are kept at To, with the rest of the name unchanged. Both end in a
// slash, so that a rule for s3://b/t does not reach s3://b/table2 (rules 12.3).
type Rule struct {
	From, To string
}

// NewRule returns the rule for two locations, of folders as a rule; a slash at their end makes no difference. A
// location without a scheme is a local path, and becomes file:///PATH with the path made absolute.
func NewRule(from, to string) (Rule, error) {
	if from == "" || to == "" {
		return Rule{}, errors.New("mapping: both locations are needed")
	}
	from, err := folder(from)
	if err != nil {
		return Rule{}, err
	}
	to, err = folder(to)
	if err != nil {
		return Rule{}, err
	}
	return Rule{From: from, To: to}, nil
}

// ParseRule reads FROM=TO; the first equals sign separates them. See [NewRule].
func ParseRule(text string) (Rule, error) {
	from, to, ok := strings.Cut(text, "=")
	if !ok {
		return Rule{}, fmt.Errorf("mapping %q: FROM=TO is needed", text)
	}
	rule, err := NewRule(from, to)
	if err != nil {
		return Rule{}, fmt.Errorf("mapping %q: %w", text, err)
	}
	return rule, nil
}

// String returns FROM=TO.
func (r Rule) String() string { return r.From + "=" + r.To }

// folder returns the location with its scheme and one slash at its end.
func folder(location string) (string, error) {
	if !hasScheme(location) {
		path, err := filepath.Abs(location)
		if err != nil {
			return "", err
		}
		location = "file://" + path
	}
	return strings.TrimSuffix(location, "/") + "/", nil
}

// hasScheme reports whether the location begins with a letter, then letters, digits, plus, minus and dots, then
// a colon.
func hasScheme(location string) bool {
	scheme, _, ok := strings.Cut(location, ":")
	if !ok {
		return false
	}
	for i, c := range []byte(scheme) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		other := '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return scheme != ""
}
