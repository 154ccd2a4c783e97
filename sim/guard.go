package sim

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// guarded does what do does. A panic is a finding like any other, with the trace that leads to it.
func (w *World) guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.violate(Violation{Check: checkPanic, Message: placed(p).String()})
		}
	}()
	return do()
}

// placedPanic is a panic with the line of the source that it came from.
type placedPanic struct {
	value any
	place string
}

// String returns what panicked and where.
func (p placedPanic) String() string { return fmt.Sprintf("%v, at %s", p.value, p.place) }

// rethrow is deferred where a coroutine begins: what a panic goes through after it does not know the place any more.
func rethrow() {
	if p := recover(); p != nil {
		panic(placed(p))
	}
}

// placed returns a panic with its place, in a deferred function that recovered it.
func placed(p any) placedPanic {
	if known, ok := p.(placedPanic); ok {
		return known
	}
	return placedPanic{p, panicked(string(debug.Stack()))}
}

// panicked returns the line of the source that stands below the last panic of a stack.
func panicked(stack string) string {
	lines := strings.Split(stack, "\n")
	place := ""
	for i := 0; i+3 < len(lines); i++ {
		if strings.HasPrefix(lines[i], "panic(") {
			place, _, _ = strings.Cut(strings.TrimSpace(lines[i+3]), " ")
		}
	}
	return place
}

// abandon ends the programs that are under way when a run ends early: their coroutines would keep the world for ever.
func (w *World) abandon() {
	for _, x := range w.writers {
		if x.run != nil {
			x.calls.Crash()
			_ = w.guarded(func() error { x.run.stop(); return nil }) // nobody looks at the world any more
		}
	}
}
