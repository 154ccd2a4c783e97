package match

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/tree"
)

// literal reads a literal as one of the column's type.
func (p *parser) literal(c column) (iceberg.Literal, error) {
	sign := ""
	t := p.next()
	if t.is("-") || t.is("+") {
		sign = t.text
		if t = p.next(); t.kind != tokenNumber {
			return nil, fail(t, "%s where a number belongs", t)
		}
	}
	isTyped := t.is("DATE") || t.is("TIME") || t.is("TIMESTAMP")
	if isTyped && p.peek().kind == tokenText {
		t = p.next()
	}
	var l iceberg.Literal
	problem := "is no"
	switch {
	case t.kind == tokenNumber:
		l, problem = number(sign+t.text, c.typ)
	case t.kind == tokenText:
		l, problem = spelled(t.text, c.typ)
	case (t.is("TRUE") || t.is("FALSE")) && c.typ.Equals(iceberg.PrimitiveTypes.Bool):
		l = iceberg.NewLiteral(t.is("TRUE"))
	case t.is("NULL"):
		return nil, fail(t, "nothing compares with NULL; write IS NULL")
	case !t.is("TRUE") && !t.is("FALSE"):
		return nil, fail(t, "%s where a literal belongs", t)
	}
	if l == nil {
		return nil, fail(t, "%s%s %s %s, the type of column %s", sign, t, problem, c.typ, c.name)
	}
	return l, nil
}

// number returns a number as one of a type; nil and what is wrong if it is none. Integers outside the type's range
// are left for the binding, which knows what they compare like.
func number(text string, typ iceberg.Type) (iceberg.Literal, string) {
	switch kindOf(typ) {
	case tree.KindInt, tree.KindLong:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return iceberg.NewLiteral(n), ""
		}
	case tree.KindFloat, tree.KindDouble:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return iceberg.NewLiteral(f), ""
		}
	case tree.KindDecimal:
		return decimal(text, typ)
	default:
		return nil, "is a number and no"
	}
	return nil, "is no"
}

// spelled returns a text as a literal of a type; nil and what is wrong if it spells none.
func spelled(text string, typ iceberg.Type) (iceberg.Literal, string) {
	switch kindOf(typ) {
	case tree.KindString:
		return iceberg.NewLiteral(text), ""
	case tree.KindBinary, tree.KindFixed:
		return bytesOf(text, typ)
	case tree.KindTimestamp, tree.KindTimestampNano:
		return instant(text, typ)
	case tree.KindDecimal:
		return decimal(text, typ)
	case tree.KindDate, tree.KindTime, tree.KindUUID:
		if l, err := iceberg.NewLiteral(text).To(typ); err == nil {
			return l, ""
		}
		return nil, "is no"
	}
	return nil, "is a text and no"
}

func bytesOf(text string, typ iceberg.Type) (iceberg.Literal, string) {
	digits, prefixed := strings.CutPrefix(text, "0x")
	b, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, "is not 0x and hex, so no"
	}
	if l, err := iceberg.NewLiteral(b).To(typ); err == nil {
		return l, ""
	}
	return nil, "is no"
}

// decimal returns the decimal that a text spells. The library rounds to the column's scale, which would change what
// the filter means, so the result is compared with the text.
func decimal(text string, typ iceberg.Type) (iceberg.Literal, string) {
	const longest = 80
	if len(text) > longest || strings.Trim(text, "+-.0123456789") != "" {
		return nil, "is no"
	}
	l, err := iceberg.NewLiteral(text).To(typ)
	if err != nil {
		return nil, "is no"
	}
	v, err := tree.FromLiteral(l)
	want, ok := new(big.Rat).SetString(text)
	if err != nil || !ok {
		return nil, "is no"
	}
	n, scale := v.Unscaled()
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	if want.Cmp(new(big.Rat).SetFrac(n, power)) != 0 {
		return nil, "has more digits than"
	}
	return l, ""
}

// instant returns the instant that a text spells: a date, optionally a time behind T or a blank, and for a column
// with a zone optionally a zone.
func instant(text string, typ iceberg.Type) (iceberg.Literal, string) {
	zoned := typ.Equals(iceberg.PrimitiveTypes.TimestampTz) || typ.Equals(iceberg.PrimitiveTypes.TimestampTzNs)
	layouts := []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05"}
	if zoned {
		layouts = append(layouts, "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00")
	}
	const nanosPerSecond = int64(time.Second)
	for _, layout := range layouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		seconds, nanos := at.Unix(), int64(at.Nanosecond())
		if fractionDigits(text) > unitDigits(typ) {
			return nil, "has more digits than"
		}
		if kindOf(typ) == tree.KindTimestamp {
			return iceberg.NewLiteral(iceberg.Timestamp(seconds*1e6 + nanos/1000)), ""
		}
		if seconds >= math.MaxInt64/nanosPerSecond || seconds <= math.MinInt64/nanosPerSecond {
			return nil, "is beyond"
		}
		return iceberg.NewLiteral(iceberg.TimestampNano(seconds*nanosPerSecond + nanos)), ""
	}
	return nil, "is no"
}

// fractionDigits returns the number of digits behind the first point of a text, zeros at the end not counted.
func fractionDigits(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(strings.TrimRight(fraction[:digits(fraction)], "0"))
}

// unitDigits returns how many digits of a second a column holds.
func unitDigits(typ iceberg.Type) int {
	if kindOf(typ) == tree.KindTimestamp {
		return 6
	}
	return 9
}
