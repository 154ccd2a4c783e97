package tree

import (
	"cmp"
	"fmt"
	"slices"
)

// NewTuple returns the tuple of the given values in any order. Nulls are left out, for a field that is not listed
// is null; without values the tuple is one of nulls, not the null tuple. A field given twice is an error.
func NewTuple(values ...PartitionValue) (Tuple, error) {
	t := make(Tuple, 0, len(values))
	for _, v := range values {
		if !v.Value.IsNull() {
			t = append(t, v)
		}
	}
	slices.SortStableFunc(t, func(a, b PartitionValue) int { return cmp.Compare(a.FieldID, b.FieldID) })
	for i := 1; i < len(t); i++ {
		if t[i].FieldID == t[i-1].FieldID {
			return nil, fmt.Errorf("tree: partition field %d has two values", t[i].FieldID)
		}
	}
	return t, nil
}

// Value returns the value of a partition field, null if the tuple does not list it. So a tuple needs no change when
// its struct is widened to the union of more specs (rules 2.7.1).
func (t Tuple) Value(fieldID int) Value {
	i, found := slices.BinarySearchFunc(t, fieldID, func(v PartitionValue, id int) int {
		return cmp.Compare(v.FieldID, id)
	})
	if !found {
		return Value{}
	}
	return t[i].Value
}

// Equal reports whether both tuples have the same values, whether a null is listed or not. The null tuple equals
// only itself.
func (t Tuple) Equal(o Tuple) bool {
	if (t == nil) != (o == nil) {
		return false
	}
	return t.within(o) && o.within(t)
}

// within reports whether o has the same value for every field that t lists.
func (t Tuple) within(o Tuple) bool {
	for _, v := range t {
		if o.Value(v.FieldID) != v.Value {
			return false
		}
	}
	return true
}
