package sim

import (
	"os"
	"strings"
	"testing"
)

// TestDocument: docs/simulation.md explains every action, step, option, profile and check by its name.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{
		"branch=", "isolation=snapshot", "mode=maintenance", "duplicates=unchecked", checkModel, checkLive, checkFeed, checkMetrics,
		checkTold, checkSelf, checkUnread, checkOrphans, checkReachable, checkSquash, checkIdle, checkPanic, checkReduction,
	}
	for _, v := range verbs {
		names = append(names, v.word)
	}
	names = append(names, actionWords[:]...)
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	for _, b := range ExploreSets() {
		names = append(names, b.Name)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name) {
			t.Errorf("nothing is said of `%s`", name)
		}
	}
}
