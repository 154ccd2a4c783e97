package main

import (
	"strings"
	"testing"

	comparison "github.com/firn-io/firn/sim/compare"
)

// TestShifting counts short workloads, and holds the tables to have a row for each phase, and for each workload.
func TestShifting(t *testing.T) {
	tiered, err := comparison.Choose("tiered")
	if err != nil {
		t.Fatal(err)
	}
	text, err := shifting(100, []comparison.Choice{tiered})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(text, "\n| shift |") != 7 || strings.Count(text, "\n| cdc |") != 3 || strings.Count(text, "| `tiered` |") != 14 {
		t.Error(text)
	}
}
