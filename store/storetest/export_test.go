package storetest

import (
	"context"

	"github.com/firn-io/firn/store"
)

// CheckObjects runs the checks whose name the filter accepts, each on a store of its own, and returns what they
// find by the check's name.
func CheckObjects(ctx context.Context, filter func(name string) bool, newStore func() store.Objects) map[string]error {
	found := make(map[string]error)
	for _, check := range objectsChecks() {
		if filter(check.name) {
			found[check.name] = check.run(bench{ctx: ctx, objects: newStore(), prefix: "mem://test/"})
		}
	}
	return found
}

// CheckCatalog runs the checks whose name the filter accepts, each on a catalog of its own, and returns what they
// find by the check's name.
func CheckCatalog(ctx context.Context, filter func(name string) bool, newCatalog func() store.Catalog) map[string]error {
	found := make(map[string]error)
	for _, check := range catalogChecks() {
		if filter(check.name) {
			found[check.name] = check.run(desk{ctx: ctx, catalog: newCatalog()})
		}
	}
	return found
}

// CheckTally checks acknowledged numbers as the test with killed processes does.
func CheckTally(times map[int]int, last, kills int) error {
	return (&tally{times: times}).check(last, kills)
}

// KilledGoal is where its count ends.
const KilledGoal = killedGoal
