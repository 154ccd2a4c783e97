package document_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/bench/internal/document"
)

var section = document.Section{Begin: "<!-- begin -->\n", End: "<!-- end -->\n"}

func TestReplace(t *testing.T) {
	once, err := section.Replace("a\n"+section.Begin+"old\n"+section.End+"b\n", "new")
	if want := "a\n" + section.Begin + "\nnew\n" + section.End + "b\n"; err != nil || once != want {
		t.Errorf("%q, %v, not %q", once, err, want)
	}
	if twice, err := section.Replace(once, "new"); err != nil || twice != once {
		t.Errorf("%q, then %q, %v", once, twice, err)
	}
	for _, text := range []string{"", "no place", section.Begin, section.End, section.End + section.Begin} {
		if got, err := section.Replace(text, "x"); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestCount(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", -7: "-7", 0.0131: "0.0131", 19.96: "20", 99.99: "100", 100.4: "100", 612.4: "612", 999.6: "1,000",
		1234567: "1,234,567", -123456: "-123,456", -1234: "-1,234",
	} {
		if got := document.Count(v); got != want {
			t.Errorf("%v is %q, not %q", v, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for want, missed := range map[string][]string{
		"\n3 figures have a limit, 0 missed it.\n":             nil,
		"\n3 figures have a limit, 2 missed it.\n\n- a\n- b\n": {"a", "b"},
	} {
		var b strings.Builder
		if document.Verdict(&b, 3, missed); b.String() != want {
			t.Errorf("%q, not %q", b.String(), want)
		}
	}
}
