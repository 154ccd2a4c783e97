package match_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/internal/match"
)

var parseSchema = iceberg.NewSchema(0,
	iceberg.NestedField{ID: 1, Name: "n", Type: prims.Int32},
	iceberg.NestedField{ID: 2, Name: "d", Type: prims.Float64},
	iceberg.NestedField{ID: 3, Name: "s", Type: prims.String},
	iceberg.NestedField{ID: 4, Name: "ts", Type: prims.Timestamp},
	iceberg.NestedField{ID: 5, Name: "tz", Type: prims.TimestampTzNs},
	iceberg.NestedField{ID: 6, Name: "dt", Type: prims.Date},
	iceberg.NestedField{ID: 7, Name: "dec", Type: iceberg.DecimalTypeOf(9, 2)},
	iceberg.NestedField{ID: 8, Name: "ok", Type: prims.Bool},
	iceberg.NestedField{ID: 9, Name: "bin", Type: prims.Binary},
	iceberg.NestedField{ID: 10, Name: "u", Type: prims.UUID},
	iceberg.NestedField{ID: 11, Name: "who", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 12, Name: "first name", Type: prims.String}}}},
	iceberg.NestedField{ID: 13, Name: "tags", Type: &iceberg.ListType{ElementID: 14, Element: prims.String}},
	iceberg.NestedField{ID: 15, Name: "order", Type: prims.Int64},
	iceberg.NestedField{ID: 16, Name: "in", Type: prims.Int64},
	iceberg.NestedField{ID: 17, Name: "größe", Type: prims.Int64},
	iceberg.NestedField{ID: 18, Name: "t", Type: prims.Time},
)

func TestParse(t *testing.T) {
	n, d, s := iceberg.Reference("n"), iceberg.Reference("d"), iceberg.Reference("s")
	notNull := func(ref iceberg.Reference, expr iceberg.BooleanExpression) iceberg.BooleanExpression {
		return iceberg.NewAnd(iceberg.NotNull(ref), expr)
	}
	five := int64(5)
	cases := map[string]iceberg.BooleanExpression{
		"n = 5":                    iceberg.EqualTo(n, five),
		"n == +5":                  iceberg.EqualTo(n, five),
		"n>=-5":                    iceberg.GreaterThanEqual(n, -five),
		"n <> 5":                   notNull(n, iceberg.NotEqualTo(n, five)),
		"NOT n != 5":               iceberg.EqualTo(n, five),
		"5 < n":                    iceberg.GreaterThan(n, five),
		"NOT 5 < n":                iceberg.LessThanEqual(n, five),
		"-5 = n":                   iceberg.EqualTo(n, -five),
		"not (n < 5 or n is null)": iceberg.NewAnd(iceberg.GreaterThanEqual(n, five), iceberg.NotNull(n)),
		"n < 5 OR n < 6 AND n < 7": iceberg.NewOr(iceberg.LessThan(n, five), iceberg.NewAnd(iceberg.LessThan(n, int64(6)), iceberg.LessThan(n, int64(7)))),
		"n IN (1, 2)":              iceberg.IsIn(n, int64(1), int64(2)),
		"n NOT IN (1, 2)":          notNull(n, iceberg.NotIn(n, int64(1), int64(2))),
		"NOT n NOT IN (1)":         iceberg.EqualTo(n, int64(1)),
		"n BETWEEN 1 AND 2 AND ok": iceberg.NewAnd(iceberg.NewAnd(iceberg.GreaterThanEqual(n, int64(1)), iceberg.LessThanEqual(n, int64(2))), iceberg.EqualTo(iceberg.Reference("ok"), true)),
		"n NOT BETWEEN 1 AND 2":    iceberg.NewOr(iceberg.LessThan(n, int64(1)), iceberg.GreaterThan(n, int64(2))),
		"d IS NOT NAN":             iceberg.NotNaN(d),
		"NOT d IS NAN":             iceberg.NotNaN(d),
		"NOT d < 1.5e1":            iceberg.NewOr(iceberg.GreaterThanEqual(d, 15.0), iceberg.IsNaN(d)),
		"s LIKE 'it''s%'":          iceberg.StartsWith(s, "it's"),
		"s LIKE 'x'":               iceberg.EqualTo(s, "x"),
		"s NOT LIKE 'x%'":          notNull(s, iceberg.NotStartsWith(s, "x")),
		"s STARTS WITH '%'":        iceberg.StartsWith(s, "%"),
		"NOT ok":                   iceberg.EqualTo(iceberg.Reference("ok"), false),
		"ok = TRUE":                iceberg.EqualTo(iceberg.Reference("ok"), true),
		"TRUE AND NOT FALSE":       iceberg.AlwaysTrue{},
		"ts < '2026-11-29'":        iceberg.LessThan(iceberg.Reference("ts"), iceberg.Timestamp(1795910400000000)),
		"ts < TIMESTAMP '2026-11-29 00:00:00.000001'": iceberg.LessThan(iceberg.Reference("ts"), iceberg.Timestamp(1795910400000001)),
		"tz < '2026-11-29T01:00:00.000000001+01:00'":  iceberg.LessThan(iceberg.Reference("tz"), iceberg.TimestampNano(1795910400000000001)),
		"tz < '1969-12-31T23:59:59.999999999'":        iceberg.LessThan(iceberg.Reference("tz"), iceberg.TimestampNano(-1)),
		"dt = DATE '1970-01-02'":                      iceberg.EqualTo(iceberg.Reference("dt"), iceberg.Date(1)),
		"t = '00:00:01'":                              iceberg.EqualTo(iceberg.Reference("t"), iceberg.Time(1000000)),
		`who."first name" = 'Ada'`:                    iceberg.EqualTo(iceberg.Reference("who.first name"), "Ada"),
		`"in" IN (1)`:                                 iceberg.EqualTo(iceberg.Reference("in"), int64(1)),
		"order = 1":                                   iceberg.EqualTo(iceberg.Reference("order"), int64(1)),
		"größe = 1":                                   iceberg.EqualTo(iceberg.Reference("größe"), int64(1)),
	}
	for text, want := range cases {
		got, err := match.Parse(text, parseSchema)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !got.Equals(want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	cases := []struct {
		text   string
		column int
		reason string
	}{
		{"", 1, "the end where a column belongs"},
		{"n =", 4, "the end where a literal belongs"},
		{"n = 5 n", 7, "unexpected 'n'"},
		{"n = 5 AND", 10, "the end where a column belongs"},
		{"(n = 5", 7, "the end where ) belongs"},
		{"nope = 5", 1, "no column nope"},
		{"N = 5", 1, "no column N"},
		{"n = NULL", 5, "write IS NULL"},
		{"n = 'five'", 5, "is a text and no int"},
		{"n = 1.5", 5, "is no int"},
		{"n IN (1, 'x')", 10, "is a text and no int"},
		{"n IN ()", 7, "')' where a literal belongs"},
		{"n NOT = 5", 7, "'=' after NOT"},
		{"n IS 5", 6, "where NULL or NAN belongs"},
		{"n IS NAN", 6, "no NaN"},
		{"n", 2, "where a comparison belongs"},
		{"n LIKE 'a%'", 8, "LIKE is for strings"},
		{"s LIKE 'a%b%'", 8, "patterns"},
		{"s LIKE '_'", 8, "patterns"},
		{"s = 'open", 5, "no closing '"},
		{"s = 'é' §", 9, "unexpected character '§'"},
		{"dec = 1.001", 7, "has more digits than decimal(9, 2)"},
		{"dec = 1e1", 7, "is no decimal"},
		{"ts = '2026-13-01'", 6, "is no timestamp"},
		{"ts = '2026-01-01T00:00:00Z'", 6, "is no timestamp"},
		{"ts = '2026-01-01T00:00:00.0000001'", 6, "has more digits than timestamp"},
		{"tz = '3000-01-01'", 6, "is beyond timestamptz_ns"},
		{"dt = 5", 6, "is a number and no date"},
		{"bin = 'ff'", 7, "0x and hex"},
		{"u = 'x'", 5, "is no uuid"},
		{"ok = 1", 6, "is a number and no boolean"},
		{"n = -'x'", 6, "where a number belongs"},
		{"tags = 'x'", 1, "no comparisons"},
		{"tags.element = 'x'", 1, "lies in a list or map"},
		{"5 n", 3, "where a comparison belongs"},
		{strings.Repeat("(", 300) + "n = 1", 201, "levels of nesting"},
		{strings.Repeat(" ", 1<<16+1), 1, "more than 65536 bytes"},
		{"s = '\xff'", 1, "not UTF-8"},
	}
	for _, c := range cases {
		_, err := match.Parse(c.text, parseSchema)
		var syntax *match.SyntaxError
		if !errors.As(err, &syntax) || syntax.Column != c.column || !strings.Contains(syntax.Reason, c.reason) {
			t.Errorf("%.60s: got %v, want column %d: %s", c.text, err, c.column, c.reason)
		}
	}
}

// FuzzParse checks that no text makes the parser panic, that its errors say where, and that what it accepts can be
// bound.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"n = 5 AND NOT (s LIKE 'a%' OR d IS NAN)", "ts BETWEEN '2026-01-01' AND '2026-01-02 00:00:00.5'",
		"dec NOT IN (1.5, -2)", `who."first name" = 'it''s'`, "5 <= n OR ok", "u = '00000000-0000-0000-0000-000000000001'", "bin STARTS WITH '0xff'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		expr, err := match.Parse(text, parseSchema)
		if err != nil {
			var syntax *match.SyntaxError
			if !errors.As(err, &syntax) || syntax.Column < 1 {
				t.Fatal(err)
			}
			return
		}
		if _, err := match.New(expr, parseSchema, nil); err != nil {
			t.Fatal(err)
		}
	})
}
