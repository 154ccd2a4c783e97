package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/policy/choose"
	"github.com/firn-io/firn/sim"
)

// simCommand is the simulator.
func (a *app) simCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                   "sim COMMAND",
		Short:                 "Drive the commit code through random interleavings and faults",
		GroupID:               groupTest,
		DisableFlagsInUseLine: true,
		Long: `Drive the code that commits and maintains tables through interleavings and faults that a real table meets rarely, on a table in
memory, and hold every snapshot against a model that knows nothing of manifests and against all rules of firn rules.

A seed decides a run: the same flags give the same trace_hash. A run that finds something is made smaller as long as it
finds the same, and is saved as a trace, a text file that firn sim replay does again. The exit code is then 1, also if the
trace could not be saved, which standard error says.

peak_memory_bytes is the most memory that the process ever held: VmHWM of /proc/self/status, or where there is no such file
what the Go runtime has from the system.`,
		Args: a.subcommand,
		RunE: needsSubcommand,
	}
	c.AddCommand(a.simRunCommand(), a.simSoakCommand(), a.simReplayCommand(), a.simReportCommand(), a.simProfilesCommand(), a.simExploreCommand(), a.simCompareCommand())
	return c
}

// workloadFlags say which workload a run has.
type workloadFlags struct {
	profile string
	sets    []string
}

func (f *workloadFlags) add(a *app, c *cobra.Command, usage string) {
	c.Flags().StringVar(&f.profile, "profile", f.profile, usage)
	c.Flags().StringArrayVar(&f.sets, "set", nil, "FIELD=N: set a field of the profile, such as delete=60 or victims.last=6 (repeatable)")
	a.complete(c, "profile", profileNames())
}

// simFlags are the flags of firn sim run.
type simFlags struct {
	workloadFlags
	seed                                 uint64
	writers, commits, attempts, fullEach int
	policy                               string
	rows, files, rowBytes                int64
	faults                               float64
	properties                           []string
	parquet, dataFiles                   bool
	trace                                traceFlags
}

// newSimFlags returns the defaults, which are those of package sim.
func newSimFlags() simFlags {
	return simFlags{
		workloadFlags: workloadFlags{profile: "mixed"}, seed: 1, writers: 4, commits: 100, attempts: 20, fullEach: 50,
		policy: policyCap, rows: 12,
	}
}

// policyCap is the policy that --rows belongs to.
const policyCap = "cap"

func (f *simFlags) add(a *app, c *cobra.Command) {
	flags := c.Flags()
	flags.Uint64Var(&f.seed, "seed", f.seed, "decides everything that is drawn")
	flags.IntVar(&f.writers, "writers", f.writers, "writers that work on the table at once")
	flags.IntVar(&f.commits, "commits", f.commits, "snapshots after which the run ends, those of --files apart")
	f.workloadFlags.add(a, c, "the workload: one of firn sim profiles, or a FILE.json")
	flags.Var(choice[string]{&f.policy, choose.Names()}, "policy", "policy of the table")
	flags.Int64Var(&f.rows, "rows", f.rows, "rows of the root that the policy cap allows")
	flags.Float64Var(&f.faults, "faults", f.faults, "share of the steps that are disturbed, from 0 to 1")
	flags.Int64Var(&f.files, "files", 0, "files that the table has before the workload begins")
	flags.Int64Var(&f.rowBytes, "row-bytes", 0, "bytes that a row takes in a manifest, beside what the simulator's own form says")
	flags.IntVar(&f.attempts, "attempts", f.attempts, "attempts that a transaction has")
	flags.IntVar(&f.fullEach, "full-every", f.fullEach, "commits after which the whole live set is compared")
	flags.StringArrayVar(&f.properties, "property", nil, "table property KEY=VALUE (repeatable)")
	flags.BoolVar(&f.parquet, "parquet", false, "write manifests as Parquet, not in the simulator's own form")
	flags.BoolVar(&f.dataFiles, "data-files", false, "put an object into the store for each data file")
	f.trace.add(c)
	a.complete(c, "policy", choose.Names())
}

// config returns what the flags ask for. A zero that was given is no default.
func (f simFlags) config(given func(string) bool) (sim.Config, error) {
	for _, flag := range []struct {
		name  string
		value int64
	}{
		{"writers", int64(f.writers)}, {"commits", int64(f.commits)}, {"rows", f.rows}, {"attempts", int64(f.attempts)},
		{"full-every", int64(f.fullEach)},
	} {
		if flag.value < 1 {
			return sim.Config{}, usagef("--%s takes a number from 1, not %d", flag.name, flag.value)
		}
	}
	if f.policy != policyCap && given("rows") {
		return sim.Config{}, usagef("--rows belongs to the policy %s, not to %s", policyCap, f.policy)
	}
	properties, err := parseProperties(f.properties)
	if err != nil {
		return sim.Config{}, err
	}
	profile, err := f.workload()
	if err != nil {
		return sim.Config{}, err
	}
	c := sim.Config{
		Seed: f.seed, Writers: f.writers, Commits: f.commits, Profile: profile, Policy: f.policy, Rows: f.rows,
		Faults: f.faults, Files: f.files, RowBytes: f.rowBytes, Parquet: f.parquet, DataFiles: f.dataFiles, Attempts: f.attempts,
		FullEvery: f.fullEach, Properties: properties,
	}
	if err := c.Validate(); err != nil {
		return sim.Config{}, usagef("%w", err)
	}
	return c, nil
}

// again returns the command that makes a run again.
func (f workloadFlags) again(c sim.Config, profile string) string {
	words := append([]string{"firn", "sim", "run"}, c.Flags(profile)...)
	for _, set := range f.sets {
		words = append(words, "--set", set)
	}
	return shellLine(words)
}

// shellLine joins words as a shell reads them.
func shellLine(words []string) string {
	line := ""
	for i, word := range words {
		if i > 0 {
			line += " "
		}
		line += shellWord(word)
	}
	return line
}

// shellWord quotes a word, unless it is plain, in the quotes in which a shell replaces nothing.
func shellWord(word string) string {
	special := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=,", r))
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
