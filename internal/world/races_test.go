package world_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/internal/world"
)

// race is a random race on one table: what each writer does is drawn from what is live when it begins.
type race struct {
	t      *rapid.T
	w      *world.World
	script strings.Builder
	files  int
}

// do runs a command; the world must find nothing wrong with what comes of it.
func (r *race) do(format string, args ...any) string {
	command := fmt.Sprintf(format, args...)
	r.script.WriteString(command + "\n")
	out := r.w.Do(command)
	for _, bad := range []string{"WRONG", "self-check", "build root", "panic", "invalid plan"} {
		if strings.Contains(out, bad) {
			r.t.Fatalf("%s%s", r.script.String(), out)
		}
	}
	return out
}

// mustDo runs a command that cannot fail.
func (r *race) mustDo(format string, args ...any) string {
	out := r.do(format, args...)
	if strings.HasPrefix(out, "error") {
		r.t.Fatalf("%s%s", r.script.String(), out)
	}
	return out
}

// names reads names, with ranges, out of what a look prints.
func (r *race) names(text string) []string {
	var all []string
	_, list, _ := strings.Cut(text, ": ")
	for _, word := range strings.Fields(list) {
		first, last, ranged := strings.Cut(word, "..")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(strings.TrimPrefix(first, "f"))
		to, lastErr := strconv.Atoi(strings.TrimPrefix(last, "f"))
		if err != nil || lastErr != nil {
			continue
		}
		for n := from; n <= to; n++ {
			all = append(all, fmt.Sprintf("f%d", n))
		}
	}
	return all
}

var leafName = regexp.MustCompile(`(?m)^leaf (?:ADDED|EXISTING|MODIFIED) (L\d+) live=[1-9]`)

// draw draws an element.
func draw[T any](r *race, label string, from []T) T { return rapid.SampledFrom(from).Draw(r.t, label) }

// newFiles names up to three files that were never there.
func (r *race) newFiles() string {
	first := r.files + 1
	r.files += rapid.IntRange(1, 3).Draw(r.t, "files")
	return fmt.Sprintf("f%d..f%d", first, r.files)
}

// rows draws positions of a file of ten rows, now and then all of them.
func (r *race) rows() string {
	return draw(r, "rows", []string{"1", "2", "1,3", "4-6", "0-8", "0-9"})
}

const refreshed = "stats={1:{lower=long(1),upper=long(2),tight=true,values=10,nulls=0}}"

// change draws a change of files, each of which is changed once, and makes it part of a writer's transaction.
func (r *race) change(by string, live *[]string) {
	take := func() string {
		i := rapid.IntRange(0, len(*live)-1).Draw(r.t, "victim")
		name := (*live)[i]
		*live = slices.Delete(*live, i, i+1)
		return name
	}
	kind := rapid.IntRange(0, 9).Draw(r.t, "kind")
	if len(*live) == 0 {
		kind = 0
	}
	merge := draw(r, "merge", []string{"", " merge=yes"})
	switch kind {
	case 0, 1:
		r.mustDo("add %s rows=10 by=%s", r.newFiles(), by)
	case 2, 3:
		r.mustDo("remove %s by=%s", take(), by)
	case 4:
		r.mustDo("extend %s rows=%s%s by=%s", take(), r.rows(), merge, by)
	case 5:
		r.mustDo("extend %s rows=%s%s keep=yes by=%s", take(), r.rows(), merge, by)
	case 6:
		r.mustDo("refresh %s %s by=%s", take(), refreshed, by)
	case 7:
		r.mustDo("replace %s with %s rows=10 by=%s", take(), r.newFiles(), by)
	case 8:
		r.mustDo("setdv %s rows=%s%s by=%s", take(), r.rows(), merge, by)
	case 9:
		r.mustDo("compact %s into %s rows=10 by=%s", take(), r.newFiles(), by)
	}
}

// transaction draws a transaction of a writer and leaves it to be committed.
func (r *race) transaction(by string, snapshots int) {
	live := r.names(r.mustDo("live"))
	leaves := leafName.FindAllStringSubmatch(r.mustDo("tree"), -1)
	changes := rapid.IntRange(1, 4).Draw(r.t, "changes")
	switch kind := rapid.IntRange(0, 9).Draw(r.t, "sort"); {
	case kind == 0:
		r.mustDo("restore %d by=%s", rapid.IntRange(1, snapshots).Draw(r.t, "restored"), by)
		return
	case kind <= 3 && len(leaves) > 0:
		r.mustDo("begin policy=scripted mode=%s by=%s", draw(r, "mode", []string{"maintenance", "foreground"}), by)
		one, other := draw(r, "leaf", leaves)[1], draw(r, "leaf", leaves)[1]
		switch {
		case one == other:
			r.mustDo("fold %s by=%s", one, by)
		default:
			r.mustDo("merge %s %s%s by=%s", one, other, draw(r, "loose", []string{"", " with=loose"}), by)
		}
		changes = rapid.IntRange(0, 3).Draw(r.t, "besides")
	default:
		r.mustDo("%s by=%s", drawBegin(r.t), by)
	}
	for range changes {
		r.change(by, &live)
	}
}

// raceFaults are what may befall the writer that races.
var raceFaults = []string{"", "", "", "", "swap #1 land-unknown", "swap #1 land-conflict", "swap #2 land-unknown", "swap #2 land-conflict",
	"swap #1 unknown", "swap #2 unknown", "swap #1 conflict", "swap #1 late 2", "swap #1 late manual", "swap #2 late 3",
	"put #1 fail", "put #2 land-fail", "put #3 unknown", "put #4 fail", "load #2 fail", "get #3 fail", "swap #2 refuse"}

// TestRandomRaces sets writers against each other: one stops before its swap, others commit, and then it goes on. The
// world holds every snapshot against its model and the invariants, and every end of a commit against the catalog.
func TestRandomRaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &race{t: t, w: world.New(world.Options{})}
		r.mustDo("table cap=%d", rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "cap"))
		r.mustDo("add %s rows=10", r.newFiles())
		r.mustDo("add %s rows=10", r.newFiles())
		r.mustDo("commit")
		for range rapid.IntRange(0, 2).Draw(t, "before") {
			r.transaction("b", 1)
			r.do("commit by=b")
		}
		r.transaction("a", 1)
		if f := rapid.SampledFrom(raceFaults).Draw(t, "fault"); f != "" {
			r.mustDo("fault a %q", f)
		}
		out := r.do("step a until=swap")
		began := strings.Contains(out, "waits")
		for range rapid.IntRange(1, 3).Draw(t, "races") {
			if !strings.Contains(out, "waits") {
				break
			}
			for range rapid.IntRange(1, 2).Draw(t, "winners") {
				r.transaction("b", 1)
				r.do("commit by=b")
			}
			out = r.do("step a until=swap")
		}
		if strings.Contains(out, "waits") {
			out = r.do("step a")
		}
		if began && strings.Contains(out, "commit: refused: ") && !strings.Contains(out, "by the catalog") {
			t.Fatalf("%sa change that could be made is refused after a lost race: %s", r.script.String(), out)
		}
		if strings.Contains(out, "error: commit: outcome of") {
			r.do("outcome a")
			r.mustDo("land")
			r.do("outcome a")
			r.mustDo("check orphans=any")
		} else {
			r.mustDo("land")
			r.mustDo("check")
		}
		if err := r.w.Err(); err != nil {
			t.Fatalf("%s%v", r.script.String(), err)
		}
	})
}
