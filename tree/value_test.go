package tree_test

import (
	"cmp"
	"math"
	"math/big"
	"testing"

	"github.com/firn-io/firn/tree"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func TestValuesAndLiterals(t *testing.T) {
	id := uuid.MustParse("f79c3e09-677c-4bbd-a479-3f349cb785e7")
	tests := []struct {
		v    tree.Value
		kind tree.Kind
		text string
	}{
		{tree.Bool(true), tree.KindBool, "true"},
		{tree.Bool(false), tree.KindBool, "false"},
		{tree.Int(math.MinInt32), tree.KindInt, "-2147483648"},
		{tree.Long(math.MaxInt64), tree.KindLong, "9223372036854775807"},
		{tree.Float(1.5), tree.KindFloat, "1.5"},
		{tree.Double(math.Copysign(0, -1)), tree.KindDouble, "-0"},
		{tree.Date(1), tree.KindDate, "1970-01-02"},
		{tree.Time(1_000_001), tree.KindTime, "00:00:01.000001"},
		{tree.Timestamp(-1), tree.KindTimestamp, "1969-12-31 23:59:59.999999"},
		{tree.TimestampNano(1), tree.KindTimestampNano, "1970-01-01 00:00:00.000000001"},
		{tree.DecimalInt64(-12345, 2), tree.KindDecimal, "-123.45"},
		{tree.String("a"), tree.KindString, "a"},
		{tree.Binary([]byte{0xab}), tree.KindBinary, "0xab"},
		{tree.Fixed([]byte{0xcd}), tree.KindFixed, "0xcd"},
		{tree.UUID(id), tree.KindUUID, id.String()},
	}
	for _, test := range tests {
		if test.v.Kind() != test.kind || test.v.String() != test.text {
			t.Errorf("a %s prints as %s, want a %s as %s", test.v.Kind(), test.v, test.kind, test.text)
		}
		l, ok := test.v.Literal()
		if !ok {
			t.Errorf("%s %s has no literal", test.kind, test.v)
			continue
		}
		if back, err := tree.FromLiteral(l); err != nil || back != test.v {
			t.Errorf("%s %s comes back as %s %s, %v", test.kind, test.v, back.Kind(), back, err)
		}
	}
	huge := make([]byte, 17)
	huge[0] = 1
	for text, v := range map[string]tree.Value{
		"null": {}, "(1 2 NaN 0)": tree.Geo(1, 2, math.NaN(), 0), "0x01": tree.BytesValue(tree.KindUUID, "\x01"),
		"340282366920938463463374607431768211456e-2": tree.DecimalBytes(huge, 2),
	} {
		if _, ok := v.Literal(); ok || v.String() != text {
			t.Errorf("%s: literal %v, prints as %s", text, ok, v)
		}
	}
}

// Decimals have one form each, whatever bytes they come from, and compare as numbers.
func TestDecimals(t *testing.T) {
	draw := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0xff}), 1, 20)
	number := func(b []byte) *big.Int {
		n := new(big.Int).SetBytes(b)
		if b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		x, y := tree.DecimalBytes(a, 3), tree.DecimalBytes(b, 3)
		n, scale := x.Unscaled()
		if n.Cmp(number(a)) != 0 || scale != 3 {
			t.Errorf("%x reads as %s", a, n)
		}
		if small, ok := x.UnscaledInt64(); ok != n.IsInt64() || ok && small != n.Int64() {
			t.Errorf("%s fits 64 bits: %d, %v", n, small, ok)
		}
		order := number(a).Cmp(number(b))
		if tree.Compare(x, y) != order || (x == y) != (order == 0) {
			t.Errorf("%s and %s compare as %d, want %d", x, y, tree.Compare(x, y), order)
		}
	})
}

// The order of bounds is total: it agrees with ==, whichever kinds are compared.
func TestCompareIsAnOrder(t *testing.T) {
	inOrder := []tree.Value{
		{}, tree.Bool(false), tree.Bool(true), tree.Int(-1), tree.Int(1), tree.Long(-5), tree.Long(7),
		tree.Float(float32(math.Inf(-1))), tree.Float(-1), tree.Float(float32(math.Copysign(0, -1))), tree.Float(0),
		tree.Float(1), tree.Float(float32(math.NaN())),
		tree.Double(math.Inf(-1)), tree.Double(math.Copysign(0, -1)), tree.Double(0), tree.Double(math.Inf(1)),
		tree.Double(math.NaN()),
		tree.DecimalInt64(-3, 1), tree.DecimalInt64(2, 1), tree.String(""), tree.String("a"), tree.String("\u00e9"),
		tree.UUID(uuid.UUID{0: 0x7f}), tree.UUID(uuid.UUID{0: 0x80}),
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := tree.Compare(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%s %s and %s %s compare as %d", a.Kind(), a, b.Kind(), b, got)
			}
		}
	}
}
