package world

import (
	"context"
	"fmt"
	"strings"

	"github.com/firn-io/firn/store/fault"
)

// writes prints what each attempt of the last commit of a writer wrote, and what was removed again. An attempt ends
// with its swap.
func (w *World) writes(_ context.Context, c command) (string, error) {
	x, err := w.named(c, 1)
	if err != nil {
		return "", err
	}
	if x.last == nil {
		return "", errNoCommit
	}
	var b strings.Builder
	n := 0
	var written, deleted []fault.Call
	attempt := func(fate string) {
		n++
		fmt.Fprintf(&b, "attempt %d: %s%s\n", n, w.tally(written), fate)
		written = nil
	}
	for _, call := range x.last.calls {
		switch {
		case call.Op == fault.Put:
			written = append(written, call)
		case call.Op == fault.Delete:
			deleted = append(deleted, call)
		case call.Op == fault.Swap:
			attempt("; swap: " + string(call.Told))
		}
	}
	if len(written) > 0 || n == 0 {
		attempt("")
	}
	if len(deleted) > 0 {
		fmt.Fprintf(&b, "removed: %s\n", w.tally(deleted))
	}
	return b.String(), nil
}

// tally counts calls by the class of their objects.
func (w *World) tally(calls []fault.Call) string {
	counts := make(map[string]int)
	for _, call := range calls {
		counts[w.names.class(call.Name)]++
	}
	var parts []string
	for _, c := range classes {
		switch n := counts[c.class]; {
		case n == 1:
			parts = append(parts, "1 "+c.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, c.many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
