package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/world"
)

// step is one commit in the life of a leaf.
type step string

const (
	nothing  step = "nothing"
	maskSome step = "mask some"
	maskRest step = "mask the rest"
)

// leafFiles is how many files the leaf has: one more than the longest chain masks one by one.
const leafFiles = 5

// chains returns all sequences of at most n steps that a leaf can go through.
func chains(n int) [][]step {
	all := [][]step{nil}
	for from := 0; n > 0; n-- {
		level := all[from:]
		from = len(all)
		for _, chain := range level {
			for _, s := range []step{nothing, maskSome, maskRest} {
				if s != nothing && slices.Contains(chain, maskRest) {
					continue // there is no leaf to mask any more
				}
				all = append(all, append(slices.Clip(chain), s))
			}
		}
	}
	return all
}

// statuses returns the statuses of the pointer that a chain leads through, the first being that of a new leaf.
func statuses(chain []step) []string {
	all := []string{"ADDED"}
	gone := false
	for _, s := range chain {
		switch {
		case gone:
			all = append(all, "gone")
		case s == maskRest:
			all, gone = append(all, "DELETED"), true
		case s == maskSome:
			all = append(all, "MODIFIED")
		default:
			all = append(all, "EXISTING")
		}
	}
	return all
}

// TestS9Chains takes a leaf through every sequence of up to four commits that do nothing to it, mask one of its files,
// or mask all that are left. The world checks each snapshot besides.
func TestS9Chains(t *testing.T) {
	tried := chains(4)
	if len(tried) != 1+3+7+15+31 {
		t.Fatalf("%d chains", len(tried))
	}
	for _, chain := range tried {
		w := world.New(world.Options{})
		w.Run(fmt.Sprintf("table cap=%d\nadd a1..a%d other\ncommit", leafFiles, leafFiles))
		next := 1
		var got []string
		for i := 0; ; i++ {
			got = append(got, statusOfL1(w.Do("tree")))
			if i == len(chain) {
				break
			}
			last := next
			switch chain[i] {
			case maskSome:
				w.Do(fmt.Sprintf("remove a%d", next))
				next++
			case maskRest:
				last = leafFiles
				w.Do(fmt.Sprintf("remove a%d..a%d", next, last))
			}
			if out := w.Do("commit"); !strings.HasPrefix(out, "snapshot ") {
				t.Fatalf("%v: %s", chain, out)
			}
		}
		if want := statuses(chain); !slices.Equal(got, want) {
			t.Errorf("%v leads through %v, want %v", chain, got, want)
		}
		if out := w.Do("check"); !strings.HasSuffix(out, "clean\n") {
			t.Errorf("%v: %s", chain, out)
		}
		if err := w.Err(); err != nil {
			t.Errorf("%v: %v", chain, err)
		}
	}
}

// statusOfL1 returns the status of the first leaf in the text of a tree.
func statusOfL1(tree string) string {
	for line := range strings.Lines(tree) {
		if words := strings.Fields(line); len(words) > 2 && words[2] == "L1" {
			return words[1]
		}
	}
	return "gone"
}
