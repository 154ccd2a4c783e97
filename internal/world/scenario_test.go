package world_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/firn-io/firn/internal/world"
)

// scenarioHead is how a scenario file begins: with the id of a case and a sentence on what it shows.
var scenarioHead = regexp.MustCompile(`^# [BS]\d+: .+\.\n`)

// TestScenarios runs every scenario file. Run it with -rewrite to write what the commands print, and then hold the
// difference against what the scenario says.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head := strings.ReplaceAll(string(text[:strings.Index(string(text), "\n\n")+1]), "\n# ", " ")
			if !scenarioHead.MatchString(head) {
				t.Errorf("%s does not begin with the id of a case and a sentence on what it shows", path)
			}
			w := world.New(world.Options{})
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd != "run" {
					t.Fatalf("%s: want run and a script, got %s", d.Pos, d.Cmd)
				}
				return w.Run(d.Input)
			})
			if err := w.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}
