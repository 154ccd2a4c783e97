package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"github.com/firn-io/firn/sim"
)

// figure is one value of the answer of a simulation.
type figure struct {
	name string
	cell cell
}

// printFigures prints figures: one below the other for people, as one line for scripts.
func (a *app) printFigures(figures []figure) error {
	if a.format == formatText {
		out := a.newTable(false, "name", "value")
		for _, f := range figures {
			if !f.cell.null && f.cell.text != "" {
				out.row(textCell(f.name), f.cell)
			}
		}
		return out.end()
	}
	var names []string
	var cells []cell
	for _, f := range figures {
		names = append(names, f.name)
		cells = append(cells, f.cell)
	}
	out := a.newTable(true, names...)
	out.row(cells...)
	return out.end()
}

func unsignedCell(n uint64) cell {
	digits := strconv.FormatUint(n, 10)
	return cell{text: digits, json: digits}
}

// countsCell prints numbers by name, sorted by name.
func countsCell(m map[string]int64) cell {
	var words []string
	o := object{dst: []byte{'{'}}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		words = append(words, fmt.Sprintf("%s %d", key, m[key]))
		o.number(key, m[key])
	}
	data := string(append(o.dst, '}'))
	return cell{text: strings.Join(words, ", "), json: data, tsv: data}
}

// countFigures are what happened.
func countFigures(c sim.Counts) []figure {
	return []figure{
		{"programs", countsCell(c.Programs)}, {"verbs", countsCell(c.Verbs)}, {"rules", countsCell(c.Rules)},
		{"faults", countsCell(c.Faults)},
	}
}

// largestFigures are the largest things that were written.
func largestFigures(l sim.Largest) []figure {
	return []figure{
		{"largest_root_bytes", numberCell(l.RootBytes)}, {"rewritten_bytes", numberCell(l.RewrittenBytes)},
		{"forced_commits", numberCell(l.Forced)}, {"forced_bytes", numberCell(l.ForcedBytes)},
		{"thinned_pointers", numberCell(l.Thinned)},
	}
}

// speedFigures are how fast it was and what memory it took.
func speedFigures(c sim.Counts, millis, peakBytes int64) []figure {
	perSecond := func(n int64) cell { return numberCell(n * 1000 / max(millis, 1)) }
	return []figure{
		{"duration_ms", numberCell(millis)}, {"commits_per_second", perSecond(c.Commits)}, {"attempts_per_second", perSecond(c.Attempts)},
		{"attempts_per_commit", hundredthsCell(c.Attempts, c.Commits)}, {"peak_memory_bytes", numberCell(peakBytes)},
	}
}

// hundredthsCell prints a ratio with two decimals, null for one to nothing.
func hundredthsCell(n, to int64) cell {
	if to == 0 {
		return nullCell
	}
	text := strconv.FormatFloat(float64(n)/float64(to), 'f', 2, 64)
	return cell{text: text, json: text, tsv: text}
}

// findingsCell prints violations as a JSON list; for people they are told below.
func findingsCell(violations []sim.Violation) cell {
	return onlyJSON(jsonList(violations, func(dst []byte, v sim.Violation) []byte { return appendJSON(dst, v) }))
}

// onlyJSON is a value that people are not shown.
func onlyJSON(data []byte) cell { return cell{json: string(data), tsv: string(data)} }

// appendJSON appends a value that JSON can hold.
func appendJSON(dst []byte, v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // structs of numbers and texts
	return append(dst, bytes.TrimSpace(b.Bytes())...)
}

// spendMemory lets a simulation of many small runs collect garbage less often, for that is a fifth of its time, as long as
// little memory is held. What the environment says of the collector counts more.
func spendMemory() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(2 << 30)
	}
}

// peakMemory returns the most memory that the process ever held in bytes: as the system says, or where it does not, what
// the runtime has of it.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if kilobytes, known := highWaterMark(string(status)); err == nil && known {
		return kilobytes << 10
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// highWaterMark finds the peak of the resident memory in /proc/self/status.
func highWaterMark(status string) (kilobytes int64, known bool) {
	for line := range strings.Lines(status) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
