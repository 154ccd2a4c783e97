package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const output = `=== RUN   TestEncodeSizes
=== RUN   TestEncodeSizes/columns=0/rows=1
    encode_size_test.go:29: 1703 bytes in 14 columns, 491 before compression
=== RUN   TestEncodeSizes/columns=5/rows=1
    encode_size_test.go:29: 4914 bytes in 41 columns, 1351 before compression
--- PASS: TestEncodeSizes (0.10s)
PASS
ok  	github.com/firn-io/firn/internal/manifestio	0.192s
goos: linux
pkg: github.com/firn-io/firn/mdv
BenchmarkEncode/rows=10000/masked=0.1%-2         	    1000	         0.7308 bytes-ratio	       158.4 mumbling-ns
PASS
pkg: github.com/firn-io/firn/internal/manifestio
BenchmarkDecode/stats=20-16         	      20	  55045876 ns/op	         12.25 ratio	    3030 allocs/op
PASS
`

func TestParse(t *testing.T) {
	got, err := parse(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	want := measurements{
		{"TestEncodeSizes/columns=0/rows=1", "bytes"}:        1703,
		{"TestEncodeSizes/columns=5/rows=1", "bytes"}:        4914,
		{"mdv.Encode/rows=10000/masked=0.1%", "bytes-ratio"}: 0.7308,
		{"mdv.Encode/rows=10000/masked=0.1%", "mumbling-ns"}: 158.4,
		{"internal/manifestio.Decode/stats=20", "ns/op"}:     55045876,
		{"internal/manifestio.Decode/stats=20", "ratio"}:     12.25,
		{"internal/manifestio.Decode/stats=20", "allocs/op"}: 3030,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"--- FAIL: BenchmarkX\n", "FAIL\tgithub.com/firn-io/firn/mdv [build failed]\n", "BenchmarkX-2 20 1 ns/op 7\n", "BenchmarkX-2 20 x ns/op\n",
	} {
		if m, err := parse(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %v, want an error", text, m)
		}
	}
}

var small = []table{{
	title: "T", columns: []string{"what", "a", "b", "c"},
	rows: []row{
		{"one", []figure{atMost(1, "X", "a"), below(3, "X", "b"), printed("X", "c")}},
		{"two", []figure{atMost(0, "Y", "a")}},
	},
}}

func TestJudge(t *testing.T) {
	m := measurements{{"X", "a"}: 1, {"X", "b"}: 3, {"X", "c"}: 14156.4, {"Y", "a"}: 0}
	r, err := judge(small, m)
	if err != nil {
		t.Fatal(err)
	}
	want := `Measured by me.

### T

| what | a | b | c |
| --- | --- | --- | --- |
| one | 1 ≤ 1 | **3, not < 3** | 14,156 |
| two | 0 ≤ 0 |  |  |

3 figures have a limit, 1 missed it.

- T: one: b: **3, not < 3**
`
	if diff := cmp.Diff(want, r.markdown("me")); diff != "" {
		t.Error(diff)
	}
	delete(m, key{"X", "c"})
	if _, err := judge(small, m); err == nil || !strings.Contains(err.Error(), "nothing measured c of X") {
		t.Errorf("a missing measurement: %v", err)
	}
}

// TestDocument holds the project's document to having a place for the figures.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	once, err := section.Replace(string(text), "figures")
	if err != nil {
		t.Fatal(err)
	}
	twice, err := section.Replace(once, "figures")
	if err != nil || twice != once || !strings.Contains(once, section.Begin+"\nfigures\n"+section.End) {
		t.Errorf("%q, then %q, %v", once, twice, err)
	}
}
