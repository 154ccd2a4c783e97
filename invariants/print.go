package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/tree"
)

// printPartition prints a partition tuple without its nulls, by ascending field id, so that tuples of a narrower and a
// wider union type print alike. The null tuple prints as "".
func printPartition(t tree.Tuple) string {
	if t == nil {
		return ""
	}
	if len(t) == 0 {
		return "{}"
	}
	isNull := func(v tree.PartitionValue) bool { return v.Value.IsNull() }
	byID := func(a, b tree.PartitionValue) int { return cmp.Compare(a.FieldID, b.FieldID) }
	values := t
	if slices.ContainsFunc(t, isNull) || !slices.IsSortedFunc(t, byID) {
		values = slices.DeleteFunc(slices.Clone(t), isNull)
		slices.SortFunc(values, byID)
	}
	text := []byte{'{'}
	for i, v := range values {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(strconv.AppendInt(text, int64(v.FieldID), 10), ": "...)
		text = appendValue(text, v.Value)
	}
	return string(append(text, '}'))
}

// appendValue prints a value so that unlike values print unlike, except those that a promotion makes equal.
func appendValue(text []byte, v tree.Value) []byte {
	switch v.Kind() {
	case tree.KindInt, tree.KindLong:
		return strconv.AppendInt(text, v.Number(), 10)
	case tree.KindString, tree.KindBinary, tree.KindFixed, tree.KindUUID:
		return strconv.AppendQuote(text, string(v.Bytes()))
	}
	return fmt.Appendf(text, "%s %s", v.Kind(), v)
}

// printBytes prints bytes that may be null; the empty value is not null.
func printBytes(b []byte) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%q", b)
}

// printDV prints a deletion vector.
func printDV(dv *tree.DeletionVector) string {
	if dv == nil {
		return "null"
	}
	text := fmt.Sprintf("%s at %d, %d bytes, %d rows", dv.Location, dv.OffsetBytes, dv.SizeBytes, dv.Cardinality)
	if dv.KeyMetadata != nil {
		text += ", key " + printBytes(dv.KeyMetadata)
	}
	return text
}

// printForeign prints the columns that are carried unread so that equal contents print alike, whatever other rows of
// the same manifest have: by place and id, without those that are null (S45).
func printForeign(fields []tree.ForeignField) string {
	var text []string
	for _, f := range fields {
		if f.Type == nil || !slices.ContainsFunc(f.Cells, func(c tree.ForeignCell) bool { return c.Def > 0 }) {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d.%d %s", f.Parent, f.Type.ID, printForeignType(f.Type))
		for _, c := range f.Cells {
			fmt.Fprintf(&b, " %d/%d/%d=%q", c.Leaf, c.Rep, c.Def, c.Value)
		}
		text = append(text, b.String())
	}
	slices.Sort(text)
	return strings.Join(text, "; ")
}

func printForeignType(t *tree.ForeignType) string {
	if len(t.Children) == 0 {
		return t.Physical
	}
	var children []string
	for _, c := range t.Children {
		children = append(children, fmt.Sprintf("%d %s", c.ID, printForeignType(c)))
	}
	return "{" + strings.Join(children, ", ") + "}"
}
