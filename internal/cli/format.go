package cli

import (
	"fmt"
	"slices"
	"strings"
)

// format is the form of an answer.
type format string

// The formats of --output.
const (
	formatText format = "text"
	formatJSON format = "json"
	formatTSV  format = "tsv"
)

var formats = []string{string(formatText), string(formatJSON), string(formatTSV)}

// choice is a flag that takes one of a list of words.
type choice[T ~string] struct {
	value *T
	words []string
}

// String implements the Value interface of the flag library.
func (c choice[T]) String() string {
	if c.value == nil {
		return ""
	}
	return string(*c.value)
}

// Set implements the Value interface of the flag library.
func (c choice[T]) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("one of %s is needed", strings.Join(c.words, ", "))
	}
	*c.value = T(word)
	return nil
}

// Type implements the Value interface of the flag library.
func (c choice[T]) Type() string { return strings.Join(c.words, "|") }
