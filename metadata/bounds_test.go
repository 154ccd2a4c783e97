package metadata_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
)

// Input made of the smallest values that cost memory allocates no more than a constant times its length.
func TestMemoryIsBounded(t *testing.T) {
	const n, factor = 200_000, 50
	numbered := func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", string(rune(0x4e00+i%20000))+string(rune(0x4e00+i/20000))) + ",")
		}
		return b.String()
	}
	for _, test := range []struct{ name, from, to string }{
		{"numbers", `"next-row-id"`, `"x": [` + strings.Repeat("0,", n) + `0], "next-row-id"`},
		{"empty objects", `"next-row-id"`, `"x": [` + strings.Repeat("{},", n) + `0], "next-row-id"`},
		{"names", `"next-row-id"`, numbered(`"#":0`) + `"next-row-id"`},
		{"properties", `"a": "b"`, numbered(`"#":""`) + `"a": "b"`},
		{"manifests", `"summary"`, `"manifests": [` + strings.Repeat(`"",`, n) + `""], "summary"`},
		{"snapshots", `"snapshots": [`, `"snapshots": [` + strings.Repeat(`{"snapshot-id":1,"timestamp-ms":1},`, n/10)},
		{"white space", `"next-row-id"`, `"x": [` + strings.Repeat(" ", n) + `], "next-row-id"`},
		{"escapes", `"a": "b"`, `"a": "` + strings.Repeat(`\u0041`, n) + `"`},
	} {
		text := []byte(edited(t, test.from, test.to))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := metadata.Parse(text, metadata.Limits{})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %.200v", test.name, err)
		}
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d bytes, %.1f times the input", test.name, allocated, float64(allocated)/float64(len(text)))
		if allocated > factor*uint64(len(text)) {
			t.Errorf("%s: %d bytes allocated for %d", test.name, allocated, len(text))
		}
	}
}

// An error does not repeat what it read at length.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	for _, text := range []string{
		edited(t, `"a": "b"`, `"`+long+`": 1`),
		edited(t, `"type": "long"`, `"type": "`+long+`"`),
		edited(t, `bucket[8]`, `bucket[0`+strings.Repeat("0", 10_000)+`]`),
	} {
		_, err := metadata.Parse([]byte(text), metadata.Limits{})
		if err == nil || len(err.Error()) > 400 {
			t.Errorf("%v", err)
		}
	}
}
