package sim_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/firn-io/firn/sim"
)

// corpusRun is a line of the corpus: a configuration with a named profile, or one that is written out.
type corpusRun struct {
	sim.Config
	Profile json.RawMessage
}

// TestSeeds makes the runs of testdata/seeds.txt again.
func TestSeeds(t *testing.T) {
	text, err := os.ReadFile("testdata/seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parseCorpusRun(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		runs++
		t.Run(c.Profile.Name, func(t *testing.T) { run(t, c) })
	}
	if runs == 0 {
		t.Error("the corpus is empty")
	}
}

func parseCorpusRun(line string) (sim.Config, error) {
	var r corpusRun
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return sim.Config{}, err
	}
	var name string
	if json.Unmarshal(r.Profile, &name) != nil {
		return r.Config, json.Unmarshal(r.Profile, &r.Config.Profile)
	}
	var err error
	r.Config.Profile, err = sim.ProfileByName(name)
	return r.Config, err
}
