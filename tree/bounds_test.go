package tree_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/firn-io/firn/tree"
	"pgregory.net/rapid"
)

// B32: truncation to 16 cuts between characters and raises the last one that can be raised.
func TestTruncate(t *testing.T) {
	a15, a16 := strings.Repeat("a", 15), strings.Repeat("a", 16)
	tests := map[string]struct{ v, lower, upper tree.Value }{
		"17 letters": {tree.String(a16 + "a"), tree.String(a16), tree.String(a15 + "b")},
		"before the surrogates": {tree.String(a15 + "\ud7ffz"), tree.String(a15 + "\ud7ff"),
			tree.String(a15 + "\ue000")},
		"nothing above": {tree.String(strings.Repeat("\U0010ffff", 17)), tree.String(strings.Repeat("\U0010ffff", 16)),
			tree.Value{}},
		"last character at its end": {tree.String(a15 + "\U0010ffffz"), tree.String(a15 + "\U0010ffff"),
			tree.String(a15[1:] + "b")},
		"four bytes":        {tree.String(a15 + "\U0001f600z"), tree.String(a15 + "\U0001f600"), tree.String(a15 + "\U0001f601")},
		"16 letters":        {tree.String(a16), tree.String(a16), tree.String(a16)},
		"empty":             {tree.String(""), tree.String(""), tree.String("")},
		"no UTF-8":          {tree.String(a15 + "\xffz"), tree.String(a15 + "\xff"), tree.String(a15[1:] + "b")},
		"bytes":             {binary(1, 16), tree.Binary([]byte("\x01" + strings.Repeat("\xff", 15))), tree.Binary([]byte{2})},
		"bytes with no end": {binary(0xff, 16), binary(0xff, 15), tree.Value{}},
		"fixed":             {tree.Fixed(make([]byte, 17)), tree.Fixed(make([]byte, 17)), tree.Fixed(make([]byte, 17))},
		"long":              {tree.Long(1), tree.Long(1), tree.Long(1)},
		"null":              {},
	}
	for name, test := range tests {
		lower, upper := tree.TruncateLower(test.v, 16), tree.TruncateUpper(test.v, 16)
		if lower != test.lower || upper != test.upper {
			t.Errorf("%s: bounds are %q and %q", name, lower, upper)
		}
		f := tree.FieldStats{FieldID: 1, Lower: test.v, Upper: test.v, Tight: some(true)}.Truncate(16)
		whole := test.lower == test.v && test.upper == test.v
		if f.Lower != test.lower || f.Upper != test.upper || f.Tight != some(whole) {
			t.Errorf("%s: statistics are %+v", name, f)
		}
	}
	if lower, upper := tree.TruncateLower(binary(1, 1), -1), tree.TruncateUpper(binary(1, 1), 0); lower.Bytes() != "" ||
		!upper.IsNull() {
		t.Errorf("without width: %q and %q", lower, upper)
	}
}

// binary returns the first byte and n bytes FF.
func binary(first byte, n int) tree.Value {
	return tree.Binary([]byte(string([]byte{first}) + strings.Repeat("\xff", n)))
}

func TestTruncatedBoundsAreBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 6).Draw(t, "width")
		v := rapid.OneOf(
			rapid.Map(rapid.String(), tree.String),
			rapid.Map(rapid.SliceOf(rapid.ByteRange(0xfd, 0xff)), tree.Binary),
			rapid.Map(rapid.StringMatching("[a\ud7ff\ue000\U0010ffff]{0,8}"), tree.String),
		).Draw(t, "value")
		lower, upper := tree.TruncateLower(v, width), tree.TruncateUpper(v, width)
		if tree.Compare(lower, v) > 0 || !upper.IsNull() && tree.Compare(upper, v) < 0 {
			t.Fatalf("%q and %q do not bound %q", lower, upper, v)
		}
		for _, bound := range []tree.Value{lower, upper} {
			if bound.Kind() == tree.KindBinary && len(bound.Bytes()) > width ||
				bound.Kind() == tree.KindString && utf8.RuneCountInString(bound.Bytes()) > width {
				t.Errorf("%q is longer than %d", bound, width)
			}
			if bound.Kind() == tree.KindString && utf8.ValidString(v.Bytes()) && !utf8.ValidString(bound.Bytes()) {
				t.Errorf("%q is no text", bound)
			}
		}
	})
}
