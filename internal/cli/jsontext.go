package cli

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/firn-io/firn/tree"
)

// appendText appends a JSON string. It escapes what JSON demands and nothing else, so that the same text gives the
// same bytes here and in the tools of other languages that expected-*.tsv files come from.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s { // bytes that are no text come as U+FFFD
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', byte(r))
		case '\b':
			dst = append(dst, `\b`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			if r < ' ' {
				dst = append(dst, `\u00`...)
				dst = append(dst, strings.ToUpper(hex.EncodeToString([]byte{byte(r)}))...)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
	}
	return append(dst, '"')
}

// appendBinary appends bytes as a JSON string of 0x and hex digits.
func appendBinary(dst []byte, b string) []byte {
	dst = append(dst, `"0x`...)
	dst = hex.AppendEncode(dst, []byte(b))
	return append(dst, '"')
}

// appendValue appends a value as JSON: dates as days, instants and times in their own unit, decimals and uuids as
// strings, binaries as 0x and hex, corners of a box as a list. A number that JSON does not have is a string.
func appendValue(dst []byte, v tree.Value) []byte {
	switch v.Kind() {
	case tree.KindNull:
		return append(dst, "null"...)
	case tree.KindBool:
		return strconv.AppendBool(dst, v.Number() != 0)
	case tree.KindFloat:
		return appendFloat(dst, v.Float64(), 32)
	case tree.KindDouble:
		return appendFloat(dst, v.Float64(), 64)
	case tree.KindDecimal:
		return appendText(dst, plainDecimal(v))
	case tree.KindString:
		return appendText(dst, v.Bytes())
	case tree.KindUUID:
		if id, err := uuid.FromBytes([]byte(v.Bytes())); err == nil {
			return appendText(dst, id.String())
		}
		return appendBinary(dst, v.Bytes())
	case tree.KindBinary, tree.KindFixed:
		return appendBinary(dst, v.Bytes())
	case tree.KindGeo:
		return appendCorner(dst, v)
	}
	return strconv.AppendInt(dst, v.Number(), 10)
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendText(dst, strconv.FormatFloat(f, 'g', -1, bits))
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

// appendCorner appends x, y, z and m; the last two are null where the box has none.
func appendCorner(dst []byte, v tree.Value) []byte {
	x, y, z, m := v.GeoCorner()
	dst = append(dst, '[')
	for i, n := range []float64{x, y, z, m} {
		if i > 0 {
			dst = append(dst, ',')
		}
		if math.IsNaN(n) {
			dst = append(dst, "null"...)
		} else {
			dst = appendFloat(dst, n, 64)
		}
	}
	return append(dst, ']')
}

// plainDecimal writes a decimal without an exponent, with as many digits after the point as its scale.
func plainDecimal(v tree.Value) string {
	n, scale := v.Unscaled()
	digits := n.String()
	sign := ""
	if n.Sign() < 0 {
		sign, digits = "-", digits[1:]
	}
	if scale <= 0 {
		return sign + digits
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - scale
	return sign + digits[:point] + "." + digits[point:]
}
