package cli

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/tree"
)

func TestAppendValue(t *testing.T) {
	huge, _ := new(big.Int).SetString("12345678901234567890123456789012345678", 10)
	for _, test := range []struct {
		want string
		v    tree.Value
	}{
		{`null`, tree.Value{}},
		{`true`, tree.Bool(true)},
		{`-7`, tree.Int(-7)},
		{`9007199254740993`, tree.Long(9007199254740993)},
		{`1.5`, tree.Double(1.5)},
		{`0.1`, tree.Float(0.1)},
		{`"NaN"`, tree.Double(math.NaN())},
		{`"-Inf"`, tree.Double(math.Inf(-1))},
		{`20513`, tree.Date(20513)},
		{`1772323202484310`, tree.Timestamp(1772323202484310)},
		{`1772323202484310001`, tree.TimestampNano(1772323202484310001)},
		{`"12.34"`, tree.DecimalInt64(1234, 2)},
		{`"-0.05"`, tree.DecimalInt64(-5, 2)},
		{`"7"`, tree.DecimalInt64(7, 0)},
		{`"123456789012345678901234567890.12345678"`, tree.Decimal(huge, 8)},
		{`"a\"\\\n\u0001\u001F` + "\u2028" + `<é"`, tree.String("a\"\\\n\x01\x1f\u2028<é")},
		{`"0x00ff"`, tree.Binary([]byte{0, 255})},
		{`"0x01"`, tree.Fixed([]byte{1})},
		{`"00000000-0000-0000-0000-000000000001"`, tree.UUID(uuid.UUID{15: 1})},
		{`[1,2,null,4]`, tree.Geo(1, 2, math.NaN(), 4)},
	} {
		got := string(appendValue(nil, test.v))
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.v, got, test.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%v: %s is no JSON", test.v, got)
		}
	}
}

// TestAppendText reads every text back as a JSON library does.
func TestAppendText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var back string
		if err := json.Unmarshal(appendText(nil, text), &back); err != nil || back != text {
			t.Fatalf("%q comes back as %q, %v", text, back, err)
		}
	})
	if got := string(appendText(nil, "a\xffb")); got != "\"a\uFFFDb\"" {
		t.Errorf("bytes that are no text: %q", got)
	}
}

// TestPrintable leaves text alone and escapes what moves the cursor.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"data/ts=1/ä b.parquet": "data/ts=1/ä b.parquet",
		"a\x1b[2Jb":             `a\x1b[2Jb`,
		"tab\there\xff":         `tab\there\xff`,
		"\"\x00":                `"\x00`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
