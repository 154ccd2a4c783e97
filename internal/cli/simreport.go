package cli

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/sim"
)

// soakVersion is the version of the files of results.
const soakVersion = 2

// soakResult is what a soak, or a shard of one, found and did, as it stands in its file.
type soakResult struct {
	Version int       `json:"version"`
	Asked   soakAsked `json:"asked"`
	sim.SoakReport
	DurationMillis  int64      `json:"duration_ms"`
	PeakMemoryBytes int64      `json:"peak_memory_bytes"`
	Found           []foundRun `json:"found"`
}

// soakAsked is what decides the runs of a soak besides its seed: its shards were asked for the same.
type soakAsked struct {
	Commits int `json:"commits"`
	// Runs is 0 for a soak that only time bounds.
	Runs int64 `json:"runs"`
	// Profiles are null for all named ones.
	Profiles []sim.Profile `json:"profiles"`
}

// foundRun is a run that found something.
type foundRun struct {
	Run     int64  `json:"run"`
	Seed    uint64 `json:"seed"`
	Profile string `json:"profile"`
	// Again is the command that makes the run again, and Trace the file of its trace, empty if it could not be saved.
	Again    string          `json:"again"`
	Trace    string          `json:"trace,omitempty"`
	Findings []sim.Violation `json:"findings"`
}

// save writes the result into its folder.
func (r soakResult) save(folder string) error {
	name := fmt.Sprintf("soak-%d-%d-of-%d.json", r.Seed, r.Shard, r.Shards)
	return writeWhole(filepath.Join(folder, name), func(w io.Writer) error {
		_, err := w.Write(append(appendJSON(nil, r), '\n'))
		return err
	})
}

// simReportCommand puts results together.
func (a *app) simReportCommand() *cobra.Command {
	return a.command(cobra.Command{
		Use:   "report DIR...",
		Short: "Put the results of several soaks or shards together",
		Long: `Put the results together that firn sim soak --out left in folders. Rates are of the sum of the times of all shards, the memory
is the most of one of them. The exit code is 1 if one of them found something, else 6 if a shard of a soak has no result.`,
		Args: words(1, many),
	}, func(_ context.Context, folders []string) error { return a.simReport(folders) })
}

func (a *app) simReport(folders []string) error {
	var results []soakResult
	for _, folder := range folders {
		found, err := readResults(folder)
		if err != nil {
			return err
		}
		results = append(results, found...)
	}
	missing, err := missingShards(results)
	if err != nil {
		return err
	}
	if err := a.printSoak(results); err != nil || len(missing) == 0 {
		for _, err := range missing {
			a.notice("%v", err)
		}
		return err
	}
	return missing
}

// readResults reads the results in a folder.
func readResults(folder string) ([]soakResult, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files { // no pattern over the path: the folder may have a name that is one
		if is, _ := filepath.Match("soak-*-of-*.json", file.Name()); is {
			names = append(names, filepath.Join(folder, file.Name()))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: there is no result of firn sim soak --out", folder)
	}
	var results []soakResult
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r soakResult
		err = decodeStrictly(data, &r)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w: %w", name, errMalformed, err)
		case r.Version != soakVersion:
			return nil, fmt.Errorf("%s: %w: a result of version %d, this is version %d", name, errMalformed, r.Version, soakVersion)
		}
		if err := r.validate(); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, errMalformed, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// validate says what a result cannot be: a file that somebody changed must not make a sum that nobody can tell from a true one.
func (r soakResult) validate() error {
	if r.Shards < 1 || r.Shard < 1 || r.Shard > r.Shards {
		return fmt.Errorf("shard %d of %d", r.Shard, r.Shards)
	}
	if sum, err := hex.DecodeString(r.TraceHash); err != nil || len(sum) != 16 {
		return fmt.Errorf("%q is no trace_hash", r.TraceHash)
	}
	counts := []int64{r.Runs, r.Actions, r.Counts.Commits, r.Counts.Attempts, r.DurationMillis, r.PeakMemoryBytes}
	for _, share := range r.Profiles {
		counts = append(counts, share.Runs, share.Commits, share.Attempts)
	}
	for _, named := range []map[string]int64{r.Counts.Programs, r.Counts.Verbs, r.Counts.Rules, r.Counts.Faults} {
		counts = slices.AppendSeq(counts, maps.Values(named))
	}
	if least := slices.Min(counts); least < 0 {
		return fmt.Errorf("a count of %d", least)
	}
	for _, f := range r.Found {
		if len(f.Findings) == 0 {
			return fmt.Errorf("run %d is said to have found something, and nothing is said to be found", f.Run)
		}
	}
	return nil
}

// missingShards finds the shards without a result. Results of the same runs, or of soaks that only share a seed, cannot be put
// together.
func missingShards(results []soakResult) (problems, error) {
	shards := make(map[uint64][]int)
	whole := make(map[uint64]int)
	asked := make(map[uint64]soakAsked)
	for _, r := range results {
		if first, known := asked[r.Seed]; known && !reflect.DeepEqual(first, r.Asked) {
			return nil, usagef("shard %d/%d of seed %d was asked for other runs than another result: commits, runs or profiles differ",
				r.Shard, r.Shards, r.Seed)
		}
		asked[r.Seed] = r.Asked
		if n := whole[r.Seed]; n != 0 && n != r.Shards || slices.Contains(shards[r.Seed], r.Shard) {
			return nil, usagef("two results have the same runs: shard %d/%d of seed %d", r.Shard, r.Shards, r.Seed)
		}
		whole[r.Seed] = r.Shards
		shards[r.Seed] = append(shards[r.Seed], r.Shard)
	}
	const most = 10
	var missing problems
	for _, seed := range slices.Sorted(maps.Keys(whole)) {
		for shard := 1; shard <= whole[seed] && len(missing) < most; shard++ {
			if !slices.Contains(shards[seed], shard) {
				missing = append(missing, fmt.Errorf("shard %d/%d of seed %d has no result", shard, whole[seed], seed))
			}
		}
	}
	return missing, nil
}

// printSoak prints what soaks did and found together.
func (a *app) printSoak(results []soakResult) error {
	var sum soakResult
	var seeds []uint64
	violations := 0
	for _, r := range results {
		sum.Add(r.SoakReport)
		sum.DurationMillis += r.DurationMillis
		sum.PeakMemoryBytes = max(sum.PeakMemoryBytes, r.PeakMemoryBytes)
		sum.Found = append(sum.Found, r.Found...)
		seeds = append(seeds, r.Seed)
	}
	for _, f := range sum.Found {
		violations += len(f.Findings)
	}
	slices.SortFunc(sum.Found, func(x, y foundRun) int { return cmp.Compare(x.Run, y.Run) })
	seed := unsignedCell(results[0].Seed)
	if slices.ContainsFunc(seeds, func(s uint64) bool { return s != seeds[0] }) {
		seed = nullCell // of several soaks
	}
	figures := []figure{
		{"seed", seed}, {"shards", shardsCell(results)}, {"runs", numberCell(sum.Runs)}, {"commits", numberCell(sum.Counts.Commits)},
		{"attempts", numberCell(sum.Counts.Attempts)}, {"actions", numberCell(sum.Actions)},
		{"violations", numberCell(int64(violations))}, {"trace_hash", textCell(sum.TraceHash)},
	}
	figures = append(figures, speedFigures(sum.Counts, sum.DurationMillis, sum.PeakMemoryBytes)...)
	figures = append(figures, countFigures(sum.Counts)...)
	figures = append(figures, figure{"profiles", profilesCell(sum.Profiles)}, figure{"found", onlyJSON(jsonList(sum.Found,
		func(dst []byte, f foundRun) []byte { return appendJSON(dst, f) }))})
	if err := a.printFigures(figures); err != nil || len(sum.Found) == 0 {
		return err
	}
	a.explainRuns(sum.Found)
	return errFindings
}

// shardsCell prints which shards the results are of.
func shardsCell(results []soakResult) cell {
	var words []string
	for _, r := range results {
		words = append(words, fmt.Sprintf("%d/%d", r.Shard, r.Shards))
	}
	return listCell(words)
}

// profilesCell prints the shares of the workloads.
func profilesCell(shares map[string]sim.Share) cell {
	text := ""
	for i, name := range slices.Sorted(maps.Keys(shares)) {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", name, count(int(shares[name].Runs), "run", "runs"))
	}
	data := string(appendJSON(nil, shares))
	return cell{text: text, json: data, tsv: data}
}

// explainRuns tells people which runs found something.
func (a *app) explainRuns(runs []foundRun) {
	if a.format != formatText {
		return
	}
	for _, r := range runs {
		fmt.Fprintf(a.out, "\nrun %d of profile %s\n", r.Run, r.Profile)
		for _, v := range r.Findings {
			fmt.Fprintln(a.out, printable(v.String()))
		}
		fmt.Fprintln(a.out, "again:", r.Again)
		if r.Trace != "" {
			fmt.Fprintf(a.out, "trace: firn sim replay %s\n", shellWord(r.Trace))
		}
	}
}
