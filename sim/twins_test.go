package sim_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/firn-io/firn/sim"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/sqlcatalog"
)

// twinProfile is a profile without programs whose calls depend on what a policy made of the tree: maintenance may have
// nothing to do, and then makes no snapshot, and clean-up looks at the table before each deletion.
func twinProfile(t *testing.T, name string) sim.Profile {
	t.Helper()
	p, err := sim.ProfileByName(name)
	if err != nil {
		t.Fatal(err)
	}
	p.Maintain, p.Expire, p.CleanUp, p.Creeping, p.Caps = 0, 0, 0, 0, 0
	return p
}

// TestTwins: whatever the policy, its budgets, the codec and the catalog, the same actions change the same files and leave
// the same ones.
func TestTwins(t *testing.T) {
	sqlite := func(c *sim.Config) {
		c.Catalog = func() (store.Catalog, error) {
			return sqlcatalog.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "catalog.db"))
		}
	}
	twins := map[string]func(*sim.Config){
		"never":          func(c *sim.Config) { c.Policy = "never" },
		"cap 5":          func(c *sim.Config) { c.Rows = 5 },
		"cap 100":        func(c *sim.Config) { c.Rows = 100 },
		"when-full":      func(c *sim.Config) { c.Policy = "when-full"; c.Properties = smallBudgets },
		"Parquet":        func(c *sim.Config) { c.Parquet = true },
		"Parquet, never": func(c *sim.Config) { c.Parquet, c.Policy = true, "never" },
		"SQLite":         sqlite,
	}
	for _, name := range []string{"stream", "cdc", "batch", "mixed", "adversarial"} {
		for seed := range seeds(t, 1) {
			c := sim.Config{Seed: seed, Profile: twinProfile(t, name), Commits: 60, Faults: 0.2, HeadFaults: true}
			first := run(t, c)
			for twin, other := range twins {
				t.Run(fmt.Sprintf("%s/%d/%s", name, seed, twin), func(t *testing.T) {
					second, err := sim.Twin(t.Context(), first.Trace, other)
					if err != nil {
						t.Fatal(err)
					}
					for _, v := range second.Violations {
						t.Error(v)
					}
					if first.FeedHash != second.FeedHash || first.LiveHash != second.LiveHash {
						t.Errorf("feeds %s and %s, live files %s and %s", first.FeedHash, second.FeedHash, first.LiveHash, second.LiveHash)
					}
					if first.Counts.Commits != second.Counts.Commits {
						t.Errorf("%d and %d commits", first.Counts.Commits, second.Counts.Commits)
					}
				})
			}
		}
	}
}

// smallBudgets make the policy when-full push often.
var smallBudgets = map[string]string{"firn.policy.root-bytes": "3200", "firn.policy.leaf-bytes": "4000"}
