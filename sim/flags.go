package sim

import (
	"maps"
	"slices"
	"strconv"
)

// Validate says what is wrong with the configuration.
func (c Config) Validate() error {
	_, err := c.withDefaults()
	return err
}

// Flags returns the flags of firn sim run that make the run of this configuration; profile is how its workload is named
// there, which by default is its name.
func (c Config) Flags(profile string) []string {
	c, _ = c.withDefaults() // what is wrong with it, the command says
	if profile == "" {
		profile = c.Profile.Name
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	flags := []string{
		"--seed", strconv.FormatUint(c.Seed, 10), "--profile", profile, "--writers", number(int64(c.Writers)),
		"--commits", number(int64(c.Commits)), "--faults", strconv.FormatFloat(c.Faults, 'g', -1, 64), "--policy", c.Policy,
	}
	if c.Policy == "cap" {
		flags = append(flags, "--rows", number(c.Rows))
	}
	for _, flag := range []struct {
		name         string
		value, usual int64
	}{
		{"--files", c.Files, 0}, {"--row-bytes", c.RowBytes, 0}, {"--attempts", int64(c.Attempts), usualAttempts}, {"--full-every", int64(c.FullEvery), usualFullEvery},
	} {
		if flag.value != flag.usual {
			flags = append(flags, flag.name, number(flag.value))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Properties)) {
		flags = append(flags, "--property", key+"="+c.Properties[key])
	}
	if c.Parquet {
		flags = append(flags, "--parquet")
	}
	if c.DataFiles {
		flags = append(flags, "--data-files")
	}
	return flags
}

// Defaults of a configuration.
const (
	usualAttempts  = 20
	usualFullEvery = 50
)
