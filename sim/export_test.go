package sim

import (
	"context"

	"github.com/firn-io/firn/store/fault"
)

// Torn lets objects be torn as they are written, which is reported as done: no table survives that.
func Torn(b Bounds) Bounds {
	b.further = map[fault.Op][]fault.Outcome{fault.Put: {fault.Half}}
	return b
}

// Compare runs the first program of some bounds without reduction, and compares its outcomes with some that were made up.
func Compare(ctx context.Context, b Bounds, madeUp ...string) ([]FoundViolation, error) {
	programs, err := b.programs()
	if err != nil {
		return nil, err
	}
	w, setup, err := startWorld(ctx, b.Writers)
	if err != nil {
		return nil, err
	}
	x, _, err := newExplorer(ctx, b, w, setup, programs[0])
	if err != nil {
		return nil, err
	}
	defer x.close()
	reduced := make(map[string]Trace)
	for _, end := range madeUp {
		reduced[end] = Trace{}
	}
	err = x.compare(ctx, b.Faults, reduced)
	return x.found, err
}

// SmallSettings are settings of policies that fit small tables.
func SmallSettings() map[string]string { return smallSettings() }
