package sim

import (
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

// Config says what a run of the simulator is. The zero Config is a short run of the profile mixed.
type Config struct {
	// Seed decides everything that is drawn.
	Seed uint64
	// Writers work on the table at once; default 4.
	Writers int
	// Commits ends the run when so many snapshots were made, those apart that put Files into the table; default 100.
	Commits int
	// Profile is the workload; default mixed, see [Profiles].
	Profile Profile
	// Policy is the policy of the table, by name, and Rows that of the policy cap; default cap with 12 rows.
	Policy string
	Rows   int64
	// Faults is the share of steps that are disturbed, from 0 to 1.
	Faults float64
	// HeadFaults disturbs calls of the catalog alone.
	HeadFaults bool
	// Files are in the table before the workload begins, in commits of at most 5000.
	Files int64
	// Parquet writes manifests in Parquet; else by the simulator's own [Codec].
	Parquet bool
	// RowBytes is what a row takes in a manifest beside what the simulator's own codec says, as if bounds were long texts: so that few
	// files fill manifests.
	RowBytes int64
	// DataFiles puts an empty object into the store for each data file, so that expiry and clean-up deal with them too.
	DataFiles bool
	// Attempts bounds those of a transaction; default 20.
	Attempts int
	// FullEvery is the number of commits after which all leaves are opened and the whole live set is compared;
	// default 50.
	FullEvery int
	// Properties are those of the table, besides its policy.
	Properties map[string]string
	// Catalog makes the catalog of the world; default is one in memory.
	Catalog func() (store.Catalog, error) `json:"-"`
	// plainMetadata keeps metadata files as JSON, whatever the codec.
	plainMetadata bool
}

// maxWriters and maxCommits bound what a Config can ask for.
const (
	maxWriters = 1000
	maxCommits = 1_000_000_000
	// maxRowBytes is more than a row with a hundred columns takes.
	maxRowBytes = 1 << 20
)

func (c Config) withDefaults() (Config, error) {
	c.Writers = orDefault(c.Writers, 4)
	c.Commits = orDefault(c.Commits, 100)
	c.Attempts = orDefault(c.Attempts, usualAttempts)
	c.FullEvery = orDefault(c.FullEvery, usualFullEvery)
	if c.Policy == "" {
		c.Policy = "cap"
	}
	c.Rows = orDefault(c.Rows, 12)
	if c.Catalog == nil {
		c.Catalog = func() (store.Catalog, error) { return new(mem.Catalog), nil }
	}
	if c.Profile.Name == "" {
		c.Profile, _ = ProfileByName("mixed")
	}
	var problems []error
	if c.Writers < 1 || c.Writers > maxWriters {
		problems = append(problems, fmt.Errorf("%d writers: want 1 to %d", c.Writers, maxWriters))
	}
	if c.Commits < 1 || c.Commits > maxCommits {
		problems = append(problems, fmt.Errorf("%d commits: want 1 to %d", c.Commits, maxCommits))
	}
	if !(c.Faults >= 0 && c.Faults <= 1) {
		problems = append(problems, fmt.Errorf("a share of faults of %g: want 0 to 1", c.Faults))
	}
	if c.Files < 0 || c.Files > maxFiles {
		problems = append(problems, fmt.Errorf("%d files: want 0 to %d", c.Files, maxFiles))
	}
	if c.RowBytes < 0 || c.RowBytes > maxRowBytes || c.RowBytes > 0 && c.Parquet {
		problems = append(problems, fmt.Errorf("%d bytes more for a row: want 0 to %d, and none in Parquet", c.RowBytes, maxRowBytes))
	}
	if c.Attempts < 1 || c.FullEvery < 1 {
		problems = append(problems, errors.New("attempts, and commits between full checks: want 1 or more"))
	}
	if _, err := choose.ForTable(c.properties()); err != nil {
		problems = append(problems, err)
	}
	problems = append(problems, c.Profile.problems()...)
	return c, errors.Join(problems...)
}

func orDefault[N int | int64](n, otherwise N) N {
	if n == 0 {
		return otherwise
	}
	return n
}

// properties are those of the table.
func (c Config) properties() map[string]string {
	all := map[string]string{
		choose.PropertyPolicy: c.Policy, "write.metadata.previous-versions-max": "20",
		"write.metadata.delete-after-commit.enabled": "true", "commit.retry.min-wait-ms": "10",
	}
	if c.Policy == "cap" {
		all[choose.PropertyRows] = strconv.FormatInt(c.Rows, 10)
	}
	maps.Copy(all, c.Properties)
	return all
}
