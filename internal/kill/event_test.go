package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// What a process reports of an append.
const (
	begun   = "begun"
	swapped = "swapped"
	done    = "done"
)

// event is one report of a process.
type event struct {
	what     string
	writer   int
	file     string
	snapshot int64 // of an append that is done
}

// eventMark begins a line that is an event.
const eventMark = "event"

// String returns the event as [parseEvent] reads it.
func (e event) String() string {
	return fmt.Sprint(eventMark, " ", e.what, " ", e.writer, " ", e.snapshot, " ", e.file)
}

// parseEvent reads an event; false for any other line.
func parseEvent(line string) (e event, ok bool) {
	rest, ok := strings.CutPrefix(line, eventMark+" ")
	if !ok {
		return event{}, false
	}
	_, err := fmt.Sscan(rest, &e.what, &e.writer, &e.snapshot, &e.file)
	return e, err == nil
}

// ledger is what all processes reported.
type ledger struct {
	mu sync.Mutex
	// swapped are the files whose swap the catalog acknowledged, and acknowledged the snapshots of those whose commit was.
	swapped      map[string]bool
	acknowledged map[string]int64
	// interrupted are the files whose writers were killed before any of that.
	interrupted map[string]bool
	kills       int
}

func newLedger() *ledger {
	return &ledger{swapped: make(map[string]bool), acknowledged: make(map[string]int64), interrupted: make(map[string]bool)}
}

// note takes in an event.
func (l *ledger) note(e event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.what {
	case swapped:
		l.swapped[e.file] = true
	case done:
		l.swapped[e.file], l.acknowledged[e.file] = true, e.snapshot
	}
}

// killed takes in that a process was killed while its writers were about to add files: those whose swap was not
// acknowledged may be there or not.
func (l *ledger) killed(open map[int]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kills++
	for _, file := range open {
		if !l.swapped[file] {
			l.interrupted[file] = true
		}
	}
}

// life is what one process reported until it ended.
type life struct {
	ledger *ledger
	// left is how many appends each writer still has to make, and open the file that it is about to add.
	left []int
	open map[int]string
}

// note takes in an event.
func (l *life) note(e event) {
	switch e.what {
	case begun:
		l.open[e.writer] = e.file
	case done:
		delete(l.open, e.writer)
		l.left[e.writer]--
	}
	l.ledger.note(e)
}

// over reports whether all appends are done.
func (l *life) over() bool { return slices.Max(l.left) == 0 }
