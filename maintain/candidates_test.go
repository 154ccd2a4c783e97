package maintain

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestCandidateCounts: what the candidates count as they change is what a look at all of them finds.
func TestCandidateCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCandidates(Naming{})
		location := rapid.Custom(func(t *rapid.T) string {
			scheme := rapid.SampledFrom([]string{"s3://b", "s3a://b", "s3://c"}).Draw(t, "scheme")
			return fmt.Sprintf("%s/%d", scheme, rapid.IntRange(0, 4).Draw(t, "n"))
		})
		kind := rapid.SampledFrom([]Kind{DataFile, LeafManifest, RootManifest})
		t.Repeat(map[string]func(*rapid.T){
			"add":   func(t *rapid.T) { c.add(Object{Location: location.Draw(t, "object"), Kind: kind.Draw(t, "kind")}) },
			"reach": func(t *rapid.T) { c.reach(location.Draw(t, "reached")) },
			"": func(t *rapid.T) {
				doubtful := 0
				for _, known := range c.unreached() {
					if known.inLeaves() {
						doubtful++
					}
				}
				if found := len(c.mismatches()); c.alike != found || c.doubtful != doubtful {
					t.Fatalf("counted %d mismatches and %d doubtful ones, there are %d and %d", c.alike, c.doubtful, found, doubtful)
				}
				if err := c.doubt(); (err != nil) != (c.alike > 0) {
					t.Fatalf("%d mismatches, and the doubt is %v", c.alike, err)
				}
			},
		})
	})
}
