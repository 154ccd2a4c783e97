package storetest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

// catalog is a sound catalog of which single calls are replaced.
type catalog struct {
	load func(ctx context.Context, id store.TableID) (string, error)
	swap func(ctx context.Context, id store.TableID, old, new string) error
}

// newCatalog returns a catalog in which nothing is replaced yet.
func newCatalog() *catalog {
	sound := new(mem.Catalog)
	return &catalog{sound.Load, sound.Swap}
}

func (c *catalog) Load(ctx context.Context, id store.TableID) (string, error) { return c.load(ctx, id) }

func (c *catalog) Swap(ctx context.Context, id store.TableID, old, new string) error {
	return c.swap(ctx, id, old, new)
}

// refiled makes a catalog that changes ids before it uses them.
func refiled(change func(id store.TableID) store.TableID) func(c *catalog) {
	return func(c *catalog) {
		load, swap := c.load, c.swap
		c.load = func(ctx context.Context, id store.TableID) (string, error) { return load(ctx, change(id)) }
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			return swap(ctx, change(id), old, new)
		}
	}
}

// brokenCatalogs are faults that real catalogs have had, each with a check that must find it.
var brokenCatalogs = []struct {
	name, found string
	apply       func(c *catalog)
}{
	{"swap looks before it writes", "race/one-of-many-swaps-wins", func(c *catalog) {
		load, swap := c.load, c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			if current, err := load(ctx, id); err != nil || current != old {
				return swap(ctx, id, old, new)
			}
			letOthersRun(func() bool { return false })
			current, err := load(ctx, id)
			return errors.Join(err, swap(ctx, id, current, new))
		}
	}},
	{"creation overwrites", "create", func(c *catalog) {
		load, swap := c.load, c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			if current, err := load(ctx, id); err == nil && old == "" {
				return swap(ctx, id, current, new)
			}
			return swap(ctx, id, old, new)
		}
	}},
	{"swap creates", "missing", func(c *catalog) {
		swap := c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			err := swap(ctx, id, old, new)
			if errors.Is(err, store.ErrNotFound) {
				return swap(ctx, id, "", new)
			}
			return err
		}
	}},
	{"a conflict is an error of its own", "swap", func(c *catalog) {
		swap := c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			err := swap(ctx, id, old, new)
			if errors.Is(err, store.ErrConflict) {
				return errors.New("409")
			}
			return err
		}
	}},
	{"locations are trimmed", "locations/are-literal", func(c *catalog) {
		load := c.load
		c.load = func(ctx context.Context, id store.TableID) (string, error) {
			location, err := load(ctx, id)
			return strings.TrimSpace(location), err
		}
	}},
	{"an empty location is taken", "swap/empty-new-is-refused", func(c *catalog) {
		swap := c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			if new == "" {
				new = " "
			}
			return swap(ctx, id, old, new)
		}
	}},
	{"namespace and name are joined", "ids/are-independent", refiled(func(id store.TableID) store.TableID {
		return store.TableID{Name: id.String()}
	})},
	{"ids are lower case", "ids/are-independent", refiled(func(id store.TableID) store.TableID {
		return store.TableID{Namespace: strings.ToLower(id.Namespace), Name: strings.ToLower(id.Name)}
	})},
	{"a cancelled swap is not refused", "context/done-means-refused", func(c *catalog) {
		swap := c.swap
		c.swap = func(ctx context.Context, id store.TableID, old, new string) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return swap(ctx, id, old, new)
		}
	}},
}

func TestBrokenCatalogsAreFound(t *testing.T) {
	for _, broken := range brokenCatalogs {
		found := storetest.CheckCatalog(t.Context(), only(broken.found), func() store.Catalog {
			c := newCatalog()
			broken.apply(c)
			return c
		})
		if len(found) != 1 || found[broken.found] == nil {
			t.Errorf("%s: the check %s does not find it: %v", broken.name, broken.found, found)
		}
	}
}

func TestSoundCatalogIsNotBlamed(t *testing.T) {
	for name, err := range storetest.CheckCatalog(t.Context(), all, func() store.Catalog { return newCatalog() }) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTally(t *testing.T) {
	numbers := func(leftOut ...int) map[int]int {
		times := make(map[int]int)
		for n := 1; n <= storetest.KilledGoal; n++ {
			if !slices.Contains(leftOut, n) {
				times[n] = 1
			}
		}
		return times
	}
	twice, beyond := numbers(), numbers()
	twice[7], beyond[storetest.KilledGoal+1] = 2, 1
	for _, c := range []struct {
		name        string
		times       map[int]int
		last, kills int
		ok          bool
	}{
		{"all acknowledged", numbers(), storetest.KilledGoal, 2, true},
		{"one lost with each process", numbers(3, 9), storetest.KilledGoal, 2, true},
		{"more lost than processes", numbers(3, 4, 9), storetest.KilledGoal, 2, false},
		{"one acknowledged twice", twice, storetest.KilledGoal, 2, false},
		{"one acknowledged and not there", beyond, storetest.KilledGoal, 2, false},
		{"short of the goal", numbers(), storetest.KilledGoal - 1, 2, false},
	} {
		if err := storetest.CheckTally(c.times, c.last, c.kills); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
