package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/firn-io/firn/policy/choose"
)

// SoakConfig says what a soak is: many runs, each decided by Seed and by its number. Runs or Millis bounds it, or both.
type SoakConfig struct {
	Seed uint64
	// Runs is the number of runs of all shards together, 0 for no bound.
	Runs int64
	// Millis is how long runs are started, by NowMillis; 0 for no bound.
	Millis    int64
	NowMillis func() int64
	// Profiles are the workloads; default all of [Profiles].
	Profiles []Profile
	// Commits are those of each run; default 100.
	Commits int
	// Workers make runs at the same time; default one for each processor.
	Workers int
	// Of the runs, the shard has those whose number is Shard-1 modulo Shards; default 1 of 1.
	Shard, Shards int
	// Failures ends the soak when so many runs found something; default 1.
	Failures int
	// Progress, unless it is nil, is told after each run how far the soak is, one call at a time. It must not keep
	// the report.
	Progress func(SoakReport)
}

// maxWorkers bounds how many runs are made at the same time.
const maxWorkers = 1000

// Validate says what is wrong with the configuration.
func (c SoakConfig) Validate() error {
	_, err := c.withDefaults()
	return err
}

func (c SoakConfig) withDefaults() (SoakConfig, error) {
	c.Commits = orDefault(c.Commits, 100)
	c.Workers = orDefault(c.Workers, runtime.GOMAXPROCS(0))
	c.Shard, c.Shards = orDefault(c.Shard, 1), orDefault(c.Shards, 1)
	c.Failures = orDefault(c.Failures, 1)
	if len(c.Profiles) == 0 {
		c.Profiles = Profiles()
	}
	var problems []error
	if c.Runs < 0 || c.Millis < 0 || c.Runs == 0 && c.Millis == 0 {
		problems = append(problems, fmt.Errorf("%d runs in %d ms: want a bound, of 1 or more", c.Runs, c.Millis))
	}
	if c.Millis > 0 && c.NowMillis == nil {
		problems = append(problems, errors.New("a soak that is bounded by time needs a clock"))
	}
	if c.Workers < 1 || c.Workers > maxWorkers {
		problems = append(problems, fmt.Errorf("%d workers: want 1 to %d", c.Workers, maxWorkers))
	}
	if c.Commits < 1 || c.Commits > maxCommits {
		problems = append(problems, fmt.Errorf("%d commits: want 1 to %d", c.Commits, maxCommits))
	}
	if c.Failures < 1 {
		problems = append(problems, fmt.Errorf("%d failures: want 1 or more", c.Failures))
	}
	if c.Shards < 1 || c.Shard < 1 || c.Shard > c.Shards {
		problems = append(problems, fmt.Errorf("shard %d of %d: want one of them", c.Shard, c.Shards))
	}
	for _, p := range c.Profiles {
		problems = append(problems, p.problems()...)
	}
	return c, errors.Join(problems...)
}

// manyFiles is beyond what a commit of most profiles adds. Runs of one that adds more have half as many commits, so that they take
// about as long as the others.
const manyFiles = 50

// Config returns the configuration of a run of the soak. The number decides it together with the seed, the profiles
// and the commits alone, so that it can be repeated by itself.
func (c SoakConfig) Config(number int64) Config {
	random := rand.New(rand.NewPCG(c.Seed, uint64(number)))
	run := Config{
		Seed: random.Uint64() >> 1, Commits: orDefault(c.Commits, 100),
		Writers:   []int{2, 3, 4, 6, 8, 10, 12, 16}[random.IntN(8)],
		Faults:    []float64{0, 0.05, 0.2, 0.5}[random.IntN(4)],
		DataFiles: random.IntN(2) == 0,
		Parquet:   random.IntN(50) == 0,
	}
	profiles := c.Profiles
	if len(profiles) == 0 {
		profiles = Profiles()
	}
	run.Profile = profiles[random.IntN(len(profiles))]
	if run.Profile.MaxFiles > manyFiles {
		run.Commits = (run.Commits + 1) / 2
	}
	run.drawPolicy(random)
	return run
}

// drawPolicy draws the policy of the table, with settings that make it push, merge and wait in small tables.
func (c *Config) drawPolicy(random *rand.Rand) {
	of := func(numbers ...int64) string { return strconv.FormatInt(numbers[random.IntN(len(numbers))], 10) }
	switch random.IntN(16) {
	case 0:
		c.Policy = "never"
	case 1, 2:
		c.Policy = "when-full"
		root := []int64{3000, 8000, 30_000}[random.IntN(3)]
		c.Properties = map[string]string{
			choose.PropertyRootBytes: strconv.FormatInt(root, 10), choose.PropertyLeafBytes: strconv.FormatInt(root*2, 10),
		}
	case 3, 4, 5, 6:
		c.Policy = "adaptive"
		c.Properties = map[string]string{
			choose.PropertyRootBytes: of(6000, 12_000, 30_000), choose.PropertyLeafBytes: of(4000, 20_000, 100_000),
			choose.PropertyForegroundBytes: of(1, 1000, 3000, 20_000), choose.PropertyClusterLeaves: of(1, 4, 8),
			choose.PropertyReadDiscount: of(1, 1, 100), choose.PropertyRequestBytes: of(1, 1, 5000),
		}
		if random.IntN(2) == 0 && !c.Parquet {
			c.RowBytes = 250
		}
		c.Properties[choose.PropertyPartitionLeaves] = of(1, 1, 100, 150)
	case 7:
		c.Policy = "tiered"
		c.Properties = map[string]string{
			choose.PropertyBatch: of(1, 3, 12), choose.PropertyRatio: of(2, 4), choose.PropertyLeafRows: of(10, 60, 1000),
		}
	case 8:
		c.Policy = "leveled"
		c.Properties = map[string]string{choose.PropertyBatch: of(1, 5, 20), choose.PropertyLeafRows: of(10, 60, 1000)}
	case 9:
		c.Policy = "sqrt"
	default:
		c.Policy, c.Rows = "cap", []int64{3, 6, 12, 40}[random.IntN(4)]
	}
}
