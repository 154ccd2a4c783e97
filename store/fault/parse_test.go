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
		"swap demo.events #1 late 3": {Op: fault.Swap, Name: "demo.events", Nth: 1, Outcome: fault.Late, Number: 3},
		"swap late manual":           {Op: fault.Swap, Outcome: fault.Late},
		"swap late":                  {Op: fault.Swap, Outcome: fault.Late},
		"swap late 0":                {Op: fault.Swap, Outcome: fault.Late},
		"put late late 007":          {Op: fault.Put, Name: "late", Outcome: fault.Late, Number: 7},
		"put 3 fail":                 {Op: fault.Put, Name: "3", Outcome: fault.Fail},
		"put 3 #3 truncate 3":        {Op: fault.Put, Name: "3", Nth: 3, Outcome: fault.Truncate, Number: 3},
		"put #3 half":                {Op: fault.Put, Nth: 3, Outcome: fault.Half},
		"list #1 break 2":            {Op: fault.List, Nth: 1, Outcome: fault.Break, Number: 2},
		"any slow 1500":              {Outcome: fault.Slow, Number: 1500},
		"swap http-503":              {Op: fault.Swap, Outcome: fault.HTTP("503")},
		"swap land-http-200-cut":     {Op: fault.Swap, Outcome: fault.LandHTTP("200-cut")},
		"swap drop":                  {Op: fault.Swap, Outcome: fault.Unknown},
		"swap land-lose":             {Op: fault.Swap, Outcome: fault.LandUnknown},
		"swap drop #2 land-409":      {Op: fault.Swap, Name: "drop", Nth: 2, Outcome: fault.LandConflict},
	} {
		got, err := fault.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestString: the text form is spelled out, with the number wherever one goes with the outcome.
func TestString(t *testing.T) {
	for text, want := range map[string]string{
		"put fail":              "put * fail",
		"any crash":             "any * crash",
		"swap demo.* #2 late 3": "swap demo.* #2 late 3",
		"swap late":             "swap * late manual",
		"get truncate":          "get * truncate 0",
		"any x slow":            "any x slow 0",
		"put #1 drop":           "put * #1 unknown",
		`put "#1" half`:         `put "#1" half`,
	} {
		f, err := fault.Parse(text)
		if err != nil || f.String() != want {
			t.Errorf("%q is printed as %q, %v, want %q", text, f, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "are needed",
		"put":                           "are needed",
		"place fail":                    `unknown operation "place"`,
		"put explode":                   `outcome "explode" is none of`,
		"put refuse":                    `outcome "refuse" is none of`,
		"get land-fail":                 `outcome "land-fail" is none of`,
		"any unknown":                   `outcome "unknown" is none of`,
		"put #0 fail":                   "#0 is no call number",
		"put #-1 fail":                  "#-1 is no call number",
		"put #x fail":                   "#x is no call number",
		"put x #1 #2 fail":              `"#2" is too much`,
		"put #1 x fail":                 `"x" is too much`,
		`put "x fail`:                   "bad quotes",
		"nothing x #1 nobody":           "unknown operation",
		"put fail 3":                    `outcome "fail" takes no number`,
		"put 3":                         `outcome "3" is none of`,
		"put half manual":               "manual goes with late alone",
		"put late -1":                   `outcome "-1" is none of`,
		`put late "3"`:                  `outcome "3" is none of`,
		"get late 3":                    `outcome "late" is none of`,
		"swap http-418":                 `outcome "http-418" is none of`,
		"load http-503":                 `outcome "http-503" is none of`,
		"put late 99999999999999999999": "too large a number",
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
	want := `fault get * #-1 refuse: outcome "refuse" is none of ` +
		`["fail" "crash" "slow" "panic" "missing" "truncate" "half"] for operation get; call number -1 is negative`
	if err == nil || err.Error() != want {
		t.Errorf("Arm: %v, want %s", err, want)
	}
	if err := injector.Arm(); err != nil {
		t.Error(err)
	}
	err = injector.Arm(fault.Fault{Op: fault.Put, Outcome: fault.Late, Number: -1})
	if err == nil || err.Error() != "fault put * late -1: number -1 is negative" {
		t.Errorf("Arm: %v", err)
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(append(fault.Ops(), "")).Draw(t, "op")
		f := fault.Fault{
			Op: op, Nth: rapid.IntRange(0, 1000).Draw(t, "nth"),
			Name:    rapid.OneOf(rapid.String(), rapid.StringMatching(`[#a*/" \\1]*|late|manual`)).Draw(t, "name"),
			Outcome: rapid.SampledFrom(fault.Possible(op)).Draw(t, "outcome"),
		}
		if f.Outcome.Numbered() {
			f.Number = rapid.IntRange(0, 1000).Draw(t, "number")
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
	for _, text := range []string{"put fail", "any * #7 crash", `swap "a b\xff" #1 land-conflict`, `put "`, "#1 #1 #1",
		"swap demo.events #1 late 3", "swap late manual", "put late 3 truncate 0", "swap * land-http-deadline", "any drop"} {
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
