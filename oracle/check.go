package oracle

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/store"
)

// Target is what is checked: a table, or a single file. Exactly one of Metadata and File is set.
type Target struct {
	// Objects reads every location.
	Objects store.Objects
	// Metadata is the location of the table's metadata file.
	Metadata string
	// TableLocation is what the table's catalog supplies where the metadata has no location (rules 12.7).
	TableLocation string
	// File is the location of a root manifest, a leaf manifest or a bitmap.
	File string
}

// Role says what a single manifest is, for nothing in the file tells (Q10).
type Role uint8

const (
	// Either is a root if it has a row for a manifest; else it is held to the rules that roots and leaves share.
	Either Role = iota
	// Root is a root manifest.
	Root
	// Leaf is a leaf manifest.
	Leaf
)

// Options say how much is checked. The zero Options check the current snapshot by all rules.
type Options struct {
	// History checks every retained snapshot, and each against its parent.
	History bool
	// Storage also asks whether the objects are there that the retained snapshots refer to, holds deletion vectors
	// against their blobs and against those before them, and reports the objects below the table's location that nothing
	// refers to. All retained roots and leaves are read for that, but of a data file its length alone (IV18).
	Storage bool
	// Data also reads the live data files of the snapshots that are checked, all pages of each once, and holds statistics,
	// counts and partition values against their rows (IV22).
	Data bool
	// NowMillis is the time of the check, in milliseconds since 1970 UTC: by it a snapshot is of the future, and an object
	// that nothing refers to too young to be an orphan; 0 means that none is.
	NowMillis int64
	// Rules, if not empty, are the IDs whose findings are reported. Files that cannot be read, or are not read,
	// are reported whatever it lists, as nothing is known of them then.
	Rules []string
	// Skip are IDs whose findings are left out.
	Skip []string
	// SpillFolder is where the check of a table keeps what it does not hold in memory, in a temporary file; default is the
	// system's folder for such. The file takes some 150 bytes for each file of the table, and is made where there are more
	// than FilesInMemory only.
	SpillFolder string
	// MaxSpillBytes bounds the temporary file; default is 64 GiB. A check that needs more ends with an error.
	MaxSpillBytes int64
	// FilesInMemory is how many files of a table are held in memory, see [invariants.LeafOptions].
	FilesInMemory int
	// As says what a single manifest is checked as.
	As Role
}

// OptionError says that options name a rule that is not there, or none of a check.
type OptionError struct {
	ID string
	// Promised says that the rule is there, but needs a promise, see [Rule.Needs].
	Promised bool
}

// Error implements error.
func (e *OptionError) Error() string {
	if e.Promised {
		return fmt.Sprintf("oracle: rule %s needs a promise, which a check has not", e.ID)
	}
	return fmt.Sprintf("oracle: no rule %q", e.ID)
}

// validate reports all IDs that a check does not know.
func (o Options) validate() error {
	known := make(map[string]bool)
	for _, rule := range Rules() {
		known[rule.ID] = !rule.NeedsPromise
	}
	var problems []error
	for _, id := range slices.Concat(o.Rules, o.Skip) {
		if checked, there := known[id]; !checked {
			problems = append(problems, &OptionError{ID: id, Promised: there})
		}
	}
	return errors.Join(problems...)
}

// wants reports whether findings of a rule are reported.
func (o Options) wants(id string) bool {
	if slices.Contains(o.Skip, id) {
		return false
	}
	return len(o.Rules) == 0 || slices.Contains(o.Rules, id) ||
		slices.ContainsFunc([]Rule{readRoot, readLeaf, readData, skipLegacy, skipStorage, skipData}, func(r Rule) bool { return r.ID == id })
}

// Check yields what it finds in the target, as it finds it, in an order that depends on the target alone. It reads
// and never writes. An error ends the sequence: the target has no metadata that can be read, a single file cannot be
// opened, a store fails other than by missing or broken objects, or an option is wrong ([*OptionError]).
func Check(ctx context.Context, target Target, o Options) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		if err := o.validate(); err != nil {
			yield(Finding{}, err)
			return
		}
		r := &report{options: o, yield: yield}
		var err error
		if target.File != "" {
			err = checkFile(ctx, target, r)
		} else {
			err = checkTable(ctx, target, r)
		}
		if err != nil && !r.done {
			yield(Finding{}, err)
		}
	}
}

// report hands findings to the consumer until it has had enough.
type report struct {
	options Options
	yield   func(Finding, error) bool
	done    bool
}

// put reports a finding and says whether to go on.
func (r *report) put(f Finding) bool {
	if !r.done && r.options.wants(f.Rule) && !r.yield(f, nil) {
		r.done = true
	}
	return !r.done
}

// all reports violations until there are no more, one cannot be told, or the consumer has had enough.
func (r *report) all(violations iter.Seq2[invariants.Violation, error]) error {
	for v, err := range violations {
		if err != nil || !r.put(fromViolation(v)) {
			return err
		}
	}
	return nil
}
