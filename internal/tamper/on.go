//go:build mutate

package tamper

import (
	"fmt"
	"slices"
)

// Fault is one way in which a writer may err.
type Fault struct {
	Name string
	Seam Seam
	// Says is one sentence on the bug that the fault stands for.
	Says string
	do   any
}

// At returns a fault that changes what is handed through at a seam.
func At[O, T any](s Seam, name, says string, do func(O, T) T) Fault {
	return Fault{Name: name, Seam: s, Says: says, do: do}
}

var (
	faults []Fault
	chosen Fault
	rule   string
	memory map[any]map[string]any
	noted  []string
)

// Register adds faults to the list.
func Register(more ...Fault) {
	for _, f := range more {
		if slices.ContainsFunc(faults, func(g Fault) bool { return g.Name == f.Name }) {
			panic("two faults are named " + f.Name)
		}
		faults = append(faults, f)
	}
}

// Faults returns all faults.
func Faults() []Fault { return slices.Clone(faults) }

// SwitchOn makes the writer err in one way; the zero Fault in none. It forgets what was noted before.
func SwitchOn(f Fault) { reset(f, "") }

// SwitchOff lets the writer go on against a rule of the rebase table, as if it had none. Where the rule does more than to
// refuse, the fault undoes it.
func SwitchOff(name string, instead Fault) { reset(instead, name) }

func reset(f Fault, name string) {
	chosen, rule, memory, noted = f, name, make(map[any]map[string]any), nil
}

// Stage returns what one stage of the writer hands to the next, changed if a fault is switched on at the seam.
func Stage[O, T any](s Seam, owner O, value T) T {
	if chosen.do == nil || chosen.Seam != s {
		return value
	}
	do, fits := chosen.do.(func(O, T) T)
	if !fits {
		panic(fmt.Sprintf("fault %s is %T, and seam %s hands a %T of %T on", chosen.Name, chosen.do, s, value, owner))
	}
	return do(owner, value)
}

// On reports whether a fault is switched on, or a rule off. Then the writer does not hold itself to what it checks.
func On() bool { return chosen.do != nil || rule != "" }

// Enforced reports whether a rule of the rebase table is followed.
func Enforced[R ~string](r R) bool { return rule == "" || string(r) != rule }

// First returns the value that was given for an owner and a key the first time since a fault was switched on.
func First[T any](owner any, key string, value T) T {
	if memory[owner] == nil {
		memory[owner] = make(map[string]any)
	}
	if old, ok := memory[owner][key].(T); ok {
		return old
	}
	memory[owner][key] = value
	return value
}

// Note notes what the writer's own check would have refused the commit for.
func Note(id string) { noted = append(noted, id) }

// Noted returns what was noted first, or nothing.
func Noted() string {
	if len(noted) == 0 {
		return ""
	}
	return noted[0]
}
