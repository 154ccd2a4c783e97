package tree

import (
	"fmt"
	"iter"
)

// DuplicateError says that two live entries have one location, so that the snapshot has no meaning
// (rules 13.1).
type DuplicateError struct {
	First, Second Located
}

// Error names the file and both places.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("tree: file %s is live twice: in %s and in %s (rules 13.1)",
		e.First.Location, e.First.where(), e.Second.where())
}

// where names the manifest and the row of an entry.
func (l Located) where() string {
	if l.Manifest == "" {
		return fmt.Sprintf("row %d of the root", l.Position)
	}
	return fmt.Sprintf("row %d of %s", l.Position, l.Manifest)
}

// Unique passes live entries on until one has the resolved location of an earlier one: then the sequence ends with
// a [DuplicateError] (rules 13.1, 13.4). It keeps all entries that it has passed on.
func Unique(entries iter.Seq2[Located, error]) iter.Seq2[Located, error] {
	return func(yield func(Located, error) bool) {
		seen := map[string]Located{}
		for l, err := range entries {
			if err == nil {
				if first, twice := seen[l.Location]; twice {
					err = &DuplicateError{First: first, Second: l}
				}
			}
			if err != nil {
				yield(Located{}, err)
				return
			}
			seen[l.Location] = l
			if !yield(l, nil) {
				return
			}
		}
	}
}
