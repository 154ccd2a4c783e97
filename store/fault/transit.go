package fault

import (
	"fmt"
	"sync"
)

// Transit holds the calls with the outcome [Late]: given up by their program and not landed yet. Injectors that
// share one, see [Injector.Transit], count the calls of all their programs.
//
// A call lands at the end of the n-th further call, before that one returns. Only calls of the same interface
// count: those of catalogs for a swap, those of objects for a put or a delete. Calls that land together do so in
// the order in which they were sent. That the program has crashed, or its context has ended, keeps no call from
// landing. The zero value is empty and ready for use. It is safe for concurrent use. Do not copy it.
type Transit struct {
	mu   sync.Mutex
	last int
	sent []sent
}

// Pending is a call that has not landed yet.
type Pending struct {
	// ID counts the late calls of a [Transit] from 1.
	ID   int
	Op   Op
	Name string
}

// sent is a call that has not landed yet.
type sent struct {
	Pending
	// left counts down the further calls; a call that lands by hand has 0.
	left int
	// land makes the call of the wrapped store.
	land func()
}

// send takes a call in.
func (t *Transit) send(s sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	s.ID = t.last
	t.sent = append(t.sent, s)
}

// tick notes the end of a call and lands what is due with it.
func (t *Transit) tick(op Op) {
	landAll(t.take(func(s *sent) bool {
		if s.left == 0 || s.Op.ofCatalog() != op.ofCatalog() {
			return false
		}
		s.left--
		return s.left == 0
	}))
}

// take removes the calls that are due and returns them. They land outside the lock.
func (t *Transit) take(due func(s *sent) bool) []sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	var taken []sent
	var kept []sent
	for _, s := range t.sent {
		if due(&s) {
			taken = append(taken, s)
		} else {
			kept = append(kept, s)
		}
	}
	t.sent = kept
	return taken
}

// landAll makes the calls.
func landAll(calls []sent) {
	for _, s := range calls {
		s.land()
	}
}

// Pending returns the calls that have not landed yet, in the order in which they were sent.
func (t *Transit) Pending() []Pending {
	t.mu.Lock()
	defer t.mu.Unlock()
	var pending []Pending
	for _, s := range t.sent {
		pending = append(pending, s.Pending)
	}
	return pending
}

// Land lets a call land now. What the store answers to it is found in [Injector.Calls]. It is an error if no call
// of this id is pending.
func (t *Transit) Land(id int) error {
	taken := t.take(func(s *sent) bool { return s.ID == id })
	if len(taken) == 0 {
		return fmt.Errorf("fault: no call %d is pending", id)
	}
	landAll(taken)
	return nil
}

// Release lets all calls land now, in the order in which they were sent.
func (t *Transit) Release() {
	landAll(t.take(func(*sent) bool { return true }))
}
