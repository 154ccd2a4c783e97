package storetest

import (
	"errors"
	"fmt"

	"github.com/firn-io/firn/store"
)

var catalogRaceChecks = []catalogCheck{
	{"race/one-of-many-creators-wins", raceCreate},
	{"race/one-of-many-swaps-wins", raceSwap},
	{"race/swaps-form-one-line", raceLine},
}

func raceCreate(d desk) error {
	for round := range 8 {
		id := store.TableID{Namespace: "race", Name: fmt.Sprint("created-", round)}
		if err := d.race(id, ""); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

func raceSwap(d desk) error {
	id := store.TableID{Namespace: "race", Name: "swapped"}
	if err := d.swap(id, "", "base"); err != nil {
		return err
	}
	for round := range 8 {
		old, err := d.catalog.Load(d.ctx, id)
		if err != nil {
			return err
		}
		if err := d.race(id, old); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// race sends many swaps from the same old location at the same time: one wins, the others get a conflict.
func (d desk) race(id store.TableID, old string) error {
	const writers = 16
	errs := make([]error, writers)
	location := func(writer int) string { return fmt.Sprintf("%s/%d", old, writer) }
	together(writers, func(writer int) {
		errs[writer] = d.catalog.Swap(d.ctx, id, old, location(writer))
	})
	winner := -1
	for writer, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = writer
		case err == nil:
			return fmt.Errorf("writers %d and %d both swapped from %q", winner, writer, old)
		case !errors.Is(err, store.ErrConflict):
			return fmt.Errorf("writer %d: %w, want ErrConflict", writer, err)
		}
	}
	if winner < 0 {
		return fmt.Errorf("nobody swapped from %q", old)
	}
	return d.holds(id, location(winner))
}

// raceLine has many writers each make a number of swaps, loading again after each conflict. Every swap that was
// acknowledged has to be one step of a single line from the first location to the last (B38).
func raceLine(d desk) error {
	const writers, swaps = 8, 8
	id := store.TableID{Namespace: "race", Name: "line"}
	if err := d.swap(id, "", "base"); err != nil {
		return err
	}
	errs := make([]error, writers)
	steps := make([]map[string]string, writers)
	together(writers, func(writer int) {
		steps[writer], errs[writer] = d.advance(id, writer, swaps)
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	line := make(map[string]string)
	for _, own := range steps {
		for old, new := range own {
			if line[old] != "" {
				return fmt.Errorf("two swaps from %q were acknowledged", old)
			}
			line[old] = new
		}
	}
	at := "base"
	for range writers * swaps {
		if line[at] == "" {
			return fmt.Errorf("no swap from %q was acknowledged, and it is not the end", at)
		}
		at = line[at]
	}
	return d.holds(id, at)
}

// advance makes the given number of swaps and returns them, new location by old one.
func (d desk) advance(id store.TableID, writer, swaps int) (map[string]string, error) {
	steps := make(map[string]string)
	for len(steps) < swaps {
		old, err := d.catalog.Load(d.ctx, id)
		if err != nil {
			return nil, err
		}
		new := fmt.Sprintf("swap %d of writer %d", len(steps), writer)
		switch err := d.catalog.Swap(d.ctx, id, old, new); {
		case err == nil:
			steps[old] = new
		case !errors.Is(err, store.ErrConflict):
			return nil, fmt.Errorf("writer %d: %w", writer, err)
		}
	}
	return steps, nil
}
