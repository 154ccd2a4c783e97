package fault_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/store/fault"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]fault.Fault{
		"put fail":                   {Op: fault.Put, Outcome: fault.Fail},
		"any crash":                  {Outcome: fault.Crash},
		"any * #7 crash":             {Nth: 7, Outcome: fault.Crash},
		" swap\tdemo.events  refuse": {Op: fault.Swap, Name: "demo.events", Outcome: fault.Refuse},
		"range a*b #1 fail":          {Op: fault.GetRange, Name: "a*b", Nth: 1, Outcome: fault.Fail},
		`put "a b" #1 fail`:          {Op: fault.Put, Name: "a b", Nth: 1, Outcome: fault.Fail},
		`put "#1" fail`:              {Op: fault.Put, Name: "#1", Outcome: fault.Fail},
		`put a\b fail`:               {Op: fault.Put, Name: `a\b`, Outcome: fault.Fail},
		"put fail fail":              {Op: fault.Put, Name: "fail", Outcome: fault.Fail},
	} {
		got, err := fault.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "are needed",
		"put":                 "are needed",
		"place fail":          `unknown operation "place"`,
		"put explode":         `outcome "explode" is none of`,
		"put refuse":          `outcome "refuse" is none of`,
		"get land-fail":       `outcome "land-fail" is none of`,
		"any unknown":         `outcome "unknown" is none of`,
		"put #0 fail":         "#0 is no call number",
		"put #-1 fail":        "#-1 is no call number",
		"put #x fail":         "#x is no call number",
		"put x #1 #2 fail":    `"#2" is too much`,
		"put #1 x fail":       `"x" is too much`,
		`put "x fail`:         "bad quotes",
		"nothing x #1 nobody": "unknown operation",
	} {
		f, err := fault.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || f != (fault.Fault{}) {
			t.Errorf("Parse(%q) = %+v, %v, want an error with %q", text, f, err, want)
		}
	}
}

func TestArmIsAllOrNothing(t *testing.T) {
	injector := new(fault.Injector)
	bad := fault.Fault{Op: fault.Get, Nth: -1, Outcome: fault.Refuse}
	err := injector.Arm(fault.Fault{Op: fault.Put, Outcome: fault.Fail}, bad)
	want := `fault get * #-1 refuse: outcome "refuse" is none of ["fail" "crash"] for operation get; call number -1 is negative`
	if err == nil || err.Error() != want {
		t.Errorf("Arm: %v, want %s", err, want)
	}
	if err := injector.Arm(); err != nil {
		t.Error(err)
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(append(fault.Ops(), "")).Draw(t, "op")
		f := fault.Fault{
			Op: op, Nth: rapid.IntRange(0, 1000).Draw(t, "nth"),
			Name:    rapid.OneOf(rapid.String(), rapid.StringMatching(`[#a*/" \\]*`)).Draw(t, "name"),
			Outcome: rapid.SampledFrom(fault.Outcomes(op)).Draw(t, "outcome"),
		}
		want := f
		if f.Name == "*" {
			want.Name = ""
		}
		if got, err := fault.Parse(f.String()); err != nil || got != want {
			t.Fatalf("Parse(%q) = %+v, %v, want %+v", f, got, err, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"put fail", "any * #7 crash", `swap "a b\xff" #1 land-conflict`, `put "`, "#1 #1 #1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := fault.Parse(text)
		if err != nil {
			return
		}
		if again, err := fault.Parse(parsed.String()); err != nil || again != parsed {
			t.Errorf("%q is read as %+v, and its text %q as %+v, %v", text, parsed, parsed, again, err)
		}
	})
}
