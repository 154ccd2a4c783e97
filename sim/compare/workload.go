package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/firn-io/firn/policy/count"
	"github.com/firn-io/firn/sim"
)

// Workload is what writers do to a table.
type Workload struct {
	Name string
	// About says in a sentence what the workload does.
	About string
	// Skew says which files are removed and modified, and ByTime that partitions follow the time, as days do; else each new file
	// has any of them.
	Skew   count.Skew
	ByTime bool
	// Files is how many files each commit adds where it does nothing else and always adds as many; 0 otherwise. Appends says that no
	// commit does anything else.
	Files   int64
	Appends bool
	// Phases are the parts of a workload that changes, of the same length.
	Phases []string
	// Start returns the changes of so many commits, one after the other; false when there are no more. What is random in them
	// depends on the seed alone.
	Start func(seed uint64, commits int64) func() (count.Change, bool)
}

// policies are those that can be run on the workload.
func (w Workload) policies(all []Choice) []Choice {
	if w.Appends {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c Choice) bool { return c.Peer != nil })
}

// WorkloadNames lists the workloads that [WorkloadByName] knows.
func WorkloadNames() []string { return []string{"stream", "batch", "cdc", "mixed", "shift"} }

// WorkloadByName returns a named workload for so many files a commit.
func WorkloadByName(name string, files int64) (Workload, error) {
	if files < 1 || files > mostFiles {
		return Workload{}, fmt.Errorf("%d files a commit: want 1 to %d", files, mostFiles)
	}
	w := Workload{Name: name}
	switch name {
	case "stream":
		w.About = fmt.Sprintf("each commit appends %s, and nothing is ever removed; partitions are stretches of time", plural(files, "file"))
		w.ByTime, w.Files, w.Appends = true, files, true
		w.Start = steady(func(int64, *rand.Rand) count.Change { return count.Change{Added: files} })
	case "batch":
		w.About = fmt.Sprintf("loads of %s on average and of very different sizes, of which some replace, compact or remove files", plural(files, "file"))
		w.Start = ofProfile(name, files)
	case "cdc":
		w.Skew = count.Hot
		w.About = fmt.Sprintf("each commit adds %s and deletes rows of as many, mostly of the same twentieth of all files; every tenth replaces twice as many",
			plural(files, "file"))
		w.Start = steady(func(_ int64, r *rand.Rand) count.Change { return churn(files, r) })
	case "mixed":
		w.About = fmt.Sprintf("appends of %s on average, removals, replacements, compactions and deletes of rows, on any files", plural(files, "file"))
		w.Start = ofProfile(name, files)
	case "shift":
		w.Phases = []string{
			"one file a commit", "a thousand files a commit", "one file a commit again",
			fmt.Sprintf("%s a commit, half as many removed", plural(files, "file")), fmt.Sprintf("%s a commit, rows deleted of as many", plural(files, "file")),
		}
		w.About = "five phases of equal length: " + strings.Join(w.Phases, "; ")
		w.Start = shift(files)
	default:
		return Workload{}, fmt.Errorf("there is no workload %q: want one of %s, or a file of commits", name, strings.Join(WorkloadNames(), ", "))
	}
	return w, nil
}

// mostFiles bounds the files of a commit.
const mostFiles = 1_000_000

func plural(n int64, word string) string {
	if n == 1 {
		return "one " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// steady makes a workload of a function of the number of the commit, from 0 on.
func steady(change func(n int64, r *rand.Rand) count.Change) func(uint64, int64) func() (count.Change, bool) {
	return func(seed uint64, commits int64) func() (count.Change, bool) {
		r, n := rand.New(rand.NewPCG(seed, 0x636f6d70)), int64(0)
		return func() (count.Change, bool) {
			if n == commits {
				return count.Change{}, false
			}
			c := change(n, r)
			n++
			return c, true
		}
	}
}

// churn is a commit of a table that follows another one's changes.
func churn(files int64, r *rand.Rand) count.Change {
	if r.IntN(10) == 0 {
		return count.Change{Added: files, Removed: 2 * files}
	}
	return count.Change{Added: files, Modified: r.Int64N(2*files + 1)}
}

// shift is a workload in phases.
func shift(files int64) func(uint64, int64) func() (count.Change, bool) {
	return func(seed uint64, commits int64) func() (count.Change, bool) {
		return steady(func(n int64, r *rand.Rand) count.Change {
			switch phaseOf(n, commits, 5) {
			case 0, 2:
				return count.Change{Added: 1}
			case 1:
				return count.Change{Added: 1000}
			case 3:
				return count.Change{Added: files, Removed: (files + r.Int64N(2)) / 2}
			}
			return count.Change{Added: files, Modified: r.Int64N(2*files + 1)}
		})(seed, commits)
	}
}

// phaseOf returns in which of so many phases a commit is.
func phaseOf(n, commits int64, phases int) int {
	return int(min(int64(phases)-1, n*int64(phases)/max(1, commits)))
}

// ofProfile makes a workload of the commits of a profile of the simulator: which kinds there are, how often, and how many files each
// touches in relation to the others. Appends have so many files on average.
func ofProfile(name string, files int64) func(uint64, int64) func() (count.Change, bool) {
	p, err := sim.ProfileByName(name)
	if err != nil {
		panic(err) // the names are constants
	}
	d := profileDraw{profile: p, scale: 2 * float64(files) / float64(p.MinFiles+p.MaxFiles)}
	return steady(func(_ int64, r *rand.Rand) count.Change {
		kind := pick(r, p.Append, p.Several, p.Remove, p.Replace, p.Compact, p.Delete, p.Refresh, p.Where, p.Again)
		if kind != 1 {
			return d.change(kind, r)
		}
		var sum count.Change
		for range 2 + r.IntN(3) {
			c := d.change(pick(r, 3, 0, 2, 1, 1, 3, 1), r)
			sum = count.Change{Added: sum.Added + c.Added, Removed: sum.Removed + c.Removed, Modified: sum.Modified + c.Modified}
		}
		return sum
	})
}

// profileDraw draws the changes of a profile.
type profileDraw struct {
	profile sim.Profile
	scale   float64
}

// change draws a change of a kind, by its place in [sim.Profile].
func (d profileDraw) change(kind int, r *rand.Rand) count.Change {
	few := func(least, most int64) int64 { // rounds to whole files by chance
		n := d.scale * float64(least+r.Int64N(most-least+1))
		whole := int64(n)
		if r.Float64() < n-float64(whole) {
			whole++
		}
		return whole
	}
	switch kind {
	case 2:
		return count.Change{Removed: few(1, 3)}
	case 3:
		return count.Change{Removed: few(1, 3), Added: few(1, 1)}
	case 4:
		return count.Change{Removed: few(2, 4), Added: few(1, 1)}
	case 5:
		return count.Change{Modified: few(1, 3)}
	case 6:
		return count.Change{Modified: few(1, 1)}
	case 7:
		return count.Change{Removed: few(1, 5)}
	case 8:
		return count.Change{Added: few(1, 1)}
	}
	return count.Change{Added: max(1, few(d.profile.MinFiles, d.profile.MaxFiles))}
}

// pick returns an index by its weight.
func pick(r *rand.Rand, weights ...int) int {
	sum := 0
	for _, n := range weights {
		sum += n
	}
	at := r.IntN(sum)
	return slices.IndexFunc(weights, func(n int) bool { at -= n; return at < 0 })
}

// OfTrace makes a workload of recorded commits.
func OfTrace(name string, trace []count.Change) Workload {
	var sum count.Change
	for _, c := range trace {
		sum.Added, sum.Removed, sum.Modified = sum.Added+c.Added, sum.Removed+c.Removed, sum.Modified+c.Modified
	}
	return Workload{
		Name: name, ByTime: true, Appends: sum.Removed+sum.Modified == 0,
		About: fmt.Sprintf("%d recorded commits, which add %d files, remove %d and give %d other deletion vectors", len(trace), sum.Added, sum.Removed, sum.Modified),
		Start: func(_ uint64, commits int64) func() (count.Change, bool) {
			n := int64(0)
			return func() (count.Change, bool) {
				if n == min(commits, int64(len(trace))) {
					return count.Change{}, false
				}
				n++
				return trace[n-1], true
			}
		},
	}
}
