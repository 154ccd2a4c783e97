package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
	"github.com/firn-io/firn/metadata"
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
		Use:     "check TARGET... [--history] [--strict] [--rule ID]... [--skip ID]... [--format text|json]",
		Short:   "Check tables, manifests and bitmaps against the rules of the format",
		GroupID: groupRead,
		Long: `Check tables, or single root, leaf or bitmap files, whoever wrote them, and print what was found: one finding a line.

Of a table the metadata and the current snapshot are checked, its root and all leaves; with --history every retained
snapshot, and each against its parent. Errors make the exit code 1, warnings only with --strict, notices never. firn rules
ID explains a rule. A manifest that cannot be read is a finding; a table whose metadata cannot be read ends with code 5.
A single manifest is a root if it has a row for a manifest; else it is held to the rules that roots and leaves share,
unless --as says what it is.`,
		Args: cobra.MinimumNArgs(1),
	}, func(ctx context.Context, args []string) error { return a.check(ctx, args, f) })
	flags := c.Flags()
	flags.BoolVar(&f.options.History, "history", false, "check every retained snapshot and every step from parent to child")
	flags.BoolVar(&f.strict, "strict", false, "let warnings fail the check")
	flags.StringArrayVar(&f.options.Rules, "rule", nil, "report this rule only (repeatable)")
	flags.StringArrayVar(&f.options.Skip, "skip", nil, "do not report this rule (repeatable)")
	flags.Var(choice[string]{&f.as, []string{"root", "leaf"}}, "as", "what a single manifest is checked as")
	flags.Var(choice[string]{&f.format, []string{"text", "json"}}, "format", "form of the findings (default: that of --output)")
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
	f.options.As = map[string]oracle.Role{"root": oracle.Root, "leaf": oracle.Leaf}[f.as]
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

// checkOne checks one target and reports whether a finding fails it.
func (a *app) checkOne(ctx context.Context, arg string, f checkFlags) (fails bool, err error) {
	t, err := a.checkTarget(ctx, arg)
	if err != nil {
		return false, err
	}
	found := map[oracle.Severity]int{}
	for finding, err := range oracle.Check(ctx, t, f.options) {
		if wrong := (*oracle.OptionError)(nil); errors.As(err, &wrong) {
			return false, &target.UsageError{Err: err}
		}
		if err != nil {
			return fails, err
		}
		if err := a.printFinding(finding, f.format); err != nil {
			return fails, err
		}
		found[finding.Severity]++
		fails = fails || finding.Fails(f.strict)
	}
	a.notice("%s: %s, %s, %s", arg, count(found[oracle.Error], "error", "errors"),
		count(found[oracle.Warning], "warning", "warnings"), count(found[oracle.Notice], "notice", "notices"))
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

// checkTarget tells a table from a single file: what is not the name of a table or of a metadata file, and is there
// as a file, is checked as one.
func (a *app) checkTarget(ctx context.Context, arg string) (oracle.Target, error) {
	access, err := a.open()
	if err != nil {
		return oracle.Target{}, err
	}
	location, err := target.Location(arg)
	if err != nil {
		return oracle.Target{}, err
	}
	if !metadata.IsFileName(location) {
		switch _, err := access.Objects.Stat(ctx, location); {
		case err == nil:
			return oracle.Target{Objects: access.Objects, File: location}, nil
		case !errors.Is(err, store.ErrNotFound):
			return oracle.Target{}, err
		}
	}
	t, err := access.Table(ctx, arg)
	if err != nil {
		return oracle.Target{}, err
	}
	file, err := t.Catalog.Load(ctx, t.ID)
	return oracle.Target{Objects: t.Objects, Metadata: file, TableLocation: t.Location}, err
}
