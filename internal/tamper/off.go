//go:build !mutate

package tamper

// Stage returns what one stage of the writer hands to the next. The owner is what the stage worked on.
func Stage[O, T any](_ Seam, _ O, value T) T { return value }

// On reports whether a fault is switched on. Then the writer does not hold itself to what it checks.
func On() bool { return false }

// Enforced reports whether a rule of the rebase table is followed.
func Enforced[R ~string](R) bool { return true }
