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

// scenarioHead is how a scenario file begins: with its name, the id of a case or what else it is called, and a sentence
// on what it shows.
var scenarioHead = regexp.MustCompile(`^# ([A-Za-z0-9-]+): .+\.\n`)

// TestScenarios runs every scenario file. Run it with -rewrite to write what the commands print, and then hold the
// difference against what the scenario says.
func TestScenarios(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/*.txt", "testdata/rebase/*.txt", "testdata/rebase/beyond/*.txt"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no scenarios in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head := strings.ReplaceAll(string(text[:strings.Index(string(text), "\n\n")+1]), "\n# ", " ")
			if m := scenarioHead.FindStringSubmatch(head); m == nil || !sameCase(m[1], name) {
				t.Errorf("%s does not begin with its name and a sentence on what it shows", path)
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

// sameCase reports whether an id such as S1 or target-moved is that of a file such as s01 or target-moved.
func sameCase(id, file string) bool {
	squeeze := strings.NewReplacer("s0", "s", "b0", "b")
	return squeeze.Replace(strings.ToLower(id)) == squeeze.Replace(file)
}
