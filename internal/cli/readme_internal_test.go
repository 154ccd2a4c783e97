package cli

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeCommands: the README's table of commands has a row for each command, and in it each command below.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	a, _, _ := newTestApp(formatText)
	for _, c := range a.root().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		_, row, found := strings.Cut(string(text), "\n| `firn "+c.Name()+" ")
		row, _, _ = strings.Cut(row, "\n")
		if !found {
			t.Errorf("no row for firn %s", c.Name())
		}
		for _, below := range c.Commands() {
			if !strings.Contains(row, below.Name()) {
				t.Errorf("the row of firn %s lacks %s", c.Name(), below.Name())
			}
		}
	}
}
