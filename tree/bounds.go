package tree

import (
	"math"
	"strings"
	"unicode/utf8"
)

// TruncateLower returns a lower bound no longer than width code points of a string or bytes of a binary: its
// prefix. Values of other kinds are returned as they are.
func TruncateLower(v Value, width int) Value {
	end := cut(v, width)
	if end == len(v.str) {
		return v
	}
	return BytesValue(v.kind, strings.Clone(v.str[:end]))
}

// TruncateUpper returns an upper bound no longer than width code points of a string or bytes of a binary: its
// prefix with the last code point or byte that has a successor raised to it, and without what follows (B32).
// It is null if none has one. A string's bound is valid text: the surrogates are skipped. Values of other kinds
// and values that are short enough are returned as they are.
func TruncateUpper(v Value, width int) Value {
	end := cut(v, width)
	if end == len(v.str) {
		return v
	}
	prefix := v.str[:end]
	if v.kind == KindString {
		prefix = raiseText(prefix)
	} else {
		prefix = raiseBytes(prefix)
	}
	if prefix == "" {
		return Value{}
	}
	return BytesValue(v.kind, prefix)
}

// cut returns the length in bytes of the value's prefix of width code points or bytes; all of it where truncation
// does not apply.
func cut(v Value, width int) int {
	width = max(width, 0)
	switch v.kind {
	case KindBinary:
		return min(len(v.str), width)
	case KindString:
		points := 0
		for i := range v.str {
			if points == width {
				return i
			}
			points++
		}
	}
	return len(v.str)
}

// raiseText returns the least text that is above every text with this prefix, or "" if there is none. Bytes that
// are no UTF-8 have no successor.
func raiseText(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case last == utf8.MaxRune, last == utf8.RuneError && size == 1:
			continue
		case last == surrogateMin-1:
			last = surrogateMax
		}
		return prefix + string(last+1)
	}
	return ""
}

// The code points that are no characters: UTF-8 has no form for them.
const (
	surrogateMin = 0xd800
	surrogateMax = 0xdfff
)

// raiseBytes returns the least byte string that is above every one with this prefix, or "" if there is none.
func raiseBytes(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < math.MaxUint8 {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}
