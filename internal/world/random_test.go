package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/world"
)

// history draws a random history: what it does to a table, commit by commit, as the commands of each.
type history struct {
	t       *rapid.T
	live    []string
	files   int
	commits [][]string
}

// drawHistory draws a history of up to most commits. No name is used twice.
func drawHistory(t *rapid.T, most int) *history {
	h := &history{t: t}
	for range rapid.IntRange(1, most).Draw(t, "commits") {
		h.commits = append(h.commits, h.commit())
	}
	return h
}

func (h *history) commit() []string {
	var commands []string
	switch rapid.IntRange(0, 9).Draw(h.t, "kind") {
	case 0: // nothing
	case 1, 2, 3:
		commands = append(commands, h.add())
	case 4, 5, 6:
		commands = append(commands, h.remove())
	case 7:
		commands = append(commands, h.remove(), h.add())
	case 8:
		commands = append(commands, h.add(), h.remove()) // may remove what it adds
	case 9:
		commands = append(commands, h.replace())
	}
	return slices.DeleteFunc(commands, func(c string) bool { return c == "" })
}

// newFiles names files that were never there.
func (h *history) newFiles() string {
	n := rapid.IntRange(1, 14).Draw(h.t, "files")
	first := h.files + 1
	for range n {
		h.files++
		h.live = append(h.live, fmt.Sprintf("f%d", h.files))
	}
	return fmt.Sprintf("f%d..f%d", first, h.files)
}

func (h *history) add() string {
	return fmt.Sprintf("add %s rows=%d", h.newFiles(), rapid.IntRange(1, 30).Draw(h.t, "rows"))
}

// victims draws live files, one or a few or many that stand together: those often fill a leaf.
func (h *history) victims() string {
	if len(h.live) == 0 {
		return ""
	}
	first := rapid.IntRange(0, len(h.live)-1).Draw(h.t, "victim")
	n := rapid.SampledFrom([]int{1, 1, 2, 5, 10, 100}).Draw(h.t, "victims")
	end := min(first+n, len(h.live))
	names := strings.Join(h.live[first:end], " ")
	h.live = slices.Delete(h.live, first, end)
	return names
}

func (h *history) remove() string {
	if names := h.victims(); names != "" {
		return "remove " + names
	}
	return ""
}

func (h *history) replace() string {
	names := h.victims()
	if names == "" {
		return h.add()
	}
	return fmt.Sprintf("replace %s with %s", names, h.newFiles())
}

// run runs commands in a world, each of which must succeed.
func run(t *rapid.T, w *world.World, script *strings.Builder, commands ...string) string {
	out := ""
	for _, c := range commands {
		script.WriteString(c + "\n")
		if out = w.Do(c); strings.HasPrefix(out, "error") || strings.Contains(out, "WRONG") {
			t.Fatalf("%s%s", script, out)
		}
	}
	return out
}

// drawBegin draws how a transaction begins: the cap changes in the course of a history.
func drawBegin(t *rapid.T) string {
	return rapid.SampledFrom([]string{"begin cap=1", "begin cap=2", "begin cap=5", "begin cap=8", "begin cap=10", "begin policy=never",
		"begin policy=when-full root-bytes=5000 leaf-bytes=5000"}).Draw(t, "begin")
}

// TestRandomHistories runs random histories; the world holds every commit against its model and the invariants. After
// each history an empty commit takes away all that tells of a change, and nothing else (S21).
func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var script strings.Builder
		w := world.New(world.Options{})
		run(t, w, &script, "table cap=8")
		for _, commands := range drawHistory(t, 9).commits {
			run(t, w, &script, drawBegin(t))
			run(t, w, &script, commands...)
			run(t, w, &script, "commit")
		}
		before := run(t, w, &script, "live")
		run(t, w, &script, "begin policy=never", "commit")
		if after := run(t, w, &script, "live"); after != before {
			t.Fatalf("%san empty commit turned %s into %s", &script, before, after)
		}
		for line := range strings.Lines(run(t, w, &script, "tree")) {
			if words := strings.Fields(line); words[0] != "no" && words[1] != "EXISTING" || strings.Contains(line, " del=") {
				t.Fatalf("%safter an empty commit: %s", &script, line)
			}
		}
		if out := run(t, w, &script, "check"); !strings.HasSuffix(out, "clean\n") {
			t.Fatalf("%s%s", &script, out)
		}
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSquash runs each history as many commits and as one transaction: the same files are live afterwards.
func TestSquash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var script strings.Builder
		many, one := world.New(world.Options{}), world.New(world.Options{})
		run(t, many, &script, "table cap=5", "add base1..base12", "commit")
		run(t, one, &script, "table cap=5", "add base1..base12", "commit")
		for _, commands := range drawHistory(t, 6).commits {
			run(t, many, &script, commands...)
			run(t, many, &script, "commit")
			run(t, one, &script, commands...)
		}
		run(t, one, &script, "commit")
		a, b := run(t, many, &script, "live"), run(t, one, &script, "live")
		if a != b {
			t.Fatalf("%sone by one %s, at once %s", &script, a, b)
		}
		for _, w := range []*world.World{many, one} {
			run(t, w, &script, "check")
			if err := w.Err(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
