// Package mem keeps objects and catalog entries in memory: for tests, the simulator and examples.
//
// It is deterministic: listings are sorted, and times come from a clock that the caller may set.
package mem
