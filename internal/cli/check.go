package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store"
)

// checkFlags are the flags of firn check.
type checkFlags struct {
	options oracle.Options
	strict  bool
	as      string
	format  string
}

// checkCommand checks tables and files.
func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := a.command(cobra.Command{
		Use:     "check TARGET... [--history] [--storage] [--data] [--strict] [--rule ID]... [--skip ID]... [--format text|json]",
		Short:   "Check tables, manifests and bitmaps against the rules of the format",
		GroupID: groupRead,
		Long: `Check tables, or single root, leaf or bitmap files, whoever wrote them, and print what was found: one finding a line.
TARGET is a TABLE, or the path of a file; a bare name that the catalog has is a table.

Of a table the metadata and the current snapshot are checked, its root and all leaves; with --history every retained
snapshot, and each against its parent. With --storage data files, Puffin files and statistics files that a retained snapshot
refers to must exist, deletion vectors are read, and what nothing refers to is told: a warning, or within 72 hours a notice.
With --data the data files of the checked snapshots are read, and their entries held against the rows. Errors make the exit code 1, warnings only with
--strict, notices never. firn rules ID explains a rule. A manifest that cannot be read is a finding; a table whose
metadata cannot be read ends with code 5. What does not fit in memory is kept in a file in $TMPDIR meanwhile. A single manifest is a root if it has a row for a manifest; else it is held to
the rules that roots and leaves share, unless --as says what it is.`,
		Args: words(1, many),
	}, func(ctx context.Context, args []string) error { return a.check(ctx, args, f) })
	flags := c.Flags()
	flags.BoolVar(&f.options.History, "history", false, "check every retained snapshot and every step from parent to child")
	flags.BoolVar(&f.options.Storage, "storage", false, "check that what the table refers to exists, and look for orphans")
	flags.BoolVar(&f.options.Data, "data", false, "read the data files, and hold statistics and partition values against their rows")
	flags.BoolVar(&f.strict, "strict", false, "let warnings fail the check")
	flags.StringArrayVar(&f.options.Rules, "rule", nil, "report this rule only (repeatable)")
	flags.StringArrayVar(&f.options.Skip, "skip", nil, "do not report this rule (repeatable)")
	flags.Var(choice[string]{&f.as, []string{"root", "leaf"}}, "as", "what a single manifest is checked as")
	flags.Var(choice[string]{&f.format, []string{"text", "json"}}, "format", "form of the findings (default: that of --output)")
	a.complete(c, "rule", ruleIDs())
	a.complete(c, "skip", ruleIDs())
	a.complete(c, "as", []string{"root", "leaf"})
	a.complete(c, "format", []string{"text", "json"})
	return c
}

// check checks every target, also after one that cannot be checked.
func (a *app) check(ctx context.Context, args []string, f checkFlags) error {
	if f.format == "" {
		f.format = string(a.format)
	}
	if f.format == string(formatTSV) {
		return usagef("firn check prints text or json, not tsv")
	}
	f.options.NowMillis = sysenv.NowMillis()
	f.options.As = map[string]oracle.Role{"root": oracle.Root, "leaf": oracle.Leaf}[f.as]
	if err := f.resolveRules(); err != nil {
		return err
	}
	failed := false
	var broken problems
	for _, arg := range args {
		fails, err := a.checkOne(ctx, arg, f)
		failed = failed || fails
		if err != nil {
			broken = append(broken, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	switch {
	case len(broken) > 0:
		return broken
	case failed:
		return errFindings
	}
	return nil
}

// resolveRules makes the ids that the user gave those of rules, and refuses those that the check does not look at:
// its silence would say that they hold. To leave out a rule that needs the history is no mistake without it.
func (f *checkFlags) resolveRules() error {
	given := map[string]bool{"--storage": f.options.Storage, "--data": f.options.Data}
	for _, ids := range [][]string{f.options.Skip, f.options.Rules} {
		for i := range ids {
			rule, err := ruleOf(ids[i])
			if err != nil {
				return err
			}
			needs := rule.Needs()
			if rule.NeedsPromise {
				return usagef("rule %s needs %s: firn check has none", rule.ID, needs)
			}
			if on, flag := given[needs]; flag && !on {
				return usagef("rule %s is checked with %s only", rule.ID, needs)
			}
			ids[i] = rule.ID
		}
		given["--history"] = f.options.History
	}
	return nil
}

// checkOne checks one target and reports whether a finding fails it.
func (a *app) checkOne(ctx context.Context, arg string, f checkFlags) (fails bool, err error) {
	table, t, err := a.checkTarget(ctx, arg)
	if err != nil {
		return false, err
	}
	found := map[oracle.Severity]int{}
	unread := false
	for finding, err := range oracle.Check(ctx, t, f.options) {
		if err != nil {
			return fails, hinted(ctx, table, err)
		}
		unread = unread || strings.HasPrefix(finding.Rule, "READ-")
		finding.Message = withoutPackages(finding.Message)
		if err := a.printFinding(finding, f.format); err != nil {
			return fails, err
		}
		found[finding.Severity]++
		fails = fails || finding.Fails(f.strict)
	}
	a.notice("%s: %s, %s, %s", arg, count(found[oracle.Error], "error", "errors"),
		count(found[oracle.Warning], "warning", "warnings"), count(found[oracle.Notice], "notice", "notices"))
	if hint := hintFor(ctx, table); unread && hint != "" {
		a.notice("%s: %s", arg, hint)
	}
	return fails, nil
}

func (a *app) printFinding(f oracle.Finding, format string) error {
	if format != string(formatJSON) {
		_, err := fmt.Fprintf(a.out, "%s %s\n", f.Severity, printable(f.Message))
		return err
	}
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", line)
	return err
}

// checkTarget tells a table from a single file: what is no table, and is there as a file, is checked as one. The table
// is nil then.
func (a *app) checkTarget(ctx context.Context, arg string) (*target.Table, oracle.Target, error) {
	access, err := a.open()
	if err != nil {
		return nil, oracle.Target{}, err
	}
	table, err := access.Table(ctx, arg)
	switch {
	case err == nil:
		file, err := table.Catalog.Load(ctx, table.ID)
		return table, oracle.Target{Objects: table.Objects, Metadata: file, TableLocation: table.Location}, err
	case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) && !isAny[*target.UsageError](err):
		return nil, oracle.Target{}, err
	}
	location, locationErr := target.Location(arg)
	if locationErr != nil {
		return nil, oracle.Target{}, locationErr
	}
	switch _, statErr := access.Objects.Stat(ctx, location); {
	case statErr == nil:
		return nil, oracle.Target{Objects: access.Objects, File: location}, nil
	case !errors.Is(statErr, store.ErrNotFound):
		return nil, oracle.Target{}, statErr
	}
	return nil, oracle.Target{}, err
}
