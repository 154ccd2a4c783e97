package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/target"
)

// version is the version of the module; the build sets it.
var version string

// specRevision is the revision of Iceberg's format that the program follows.
const specRevision = "apache/iceberg fd3a81b15c (2026-10-14)"

// versionText answers --version.
func versionText() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok {
		v = cmp.Or(v, info.Main.Version)
	}
	return fmt.Sprintf("firn %s\ngo %s\nspec %s\n", cmp.Or(v, "devel"), runtime.Version(), specRevision)
}

const rootLong = `firn makes, changes and checks Iceberg v4 tables: their metadata and their adaptive tree of manifests.

TABLE is NAMESPACE.NAME in the catalog, or for reading a *.metadata.json or a folder with metadata/ in it, by path or URI.
A name with a dot and without a slash is always one of the catalog: a folder of that name is ./NAMESPACE.NAME.
SNAPSHOT is an id, @branch, @tag or ~N for the N-th ancestor of the current snapshot; the default is the current one.
Some shells want quotes around '~1'.

Exit codes: 0 done, nothing found; 1 findings; 2 wrong use; 3 not committed; 4 outcome unknown; 5 unreadable or corrupt
input; 6 environment; 130 interrupted.`

// root returns the command line.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "firn",
		Short:   "Iceberg v4 metadata trees: make, change and check them",
		Long:    rootLong,
		Version: versionText(),
		Args:    a.subcommand,
		RunE: func(*cobra.Command, []string) error {
			return usagef("a command is needed: firn help lists them")
		},
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Version}}")
	root.SetIn(a.stdin)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	flags := root.PersistentFlags()
	flags.StringVar(&a.names.Catalog, "catalog", "", "sqlite:PATH, postgres://... or dir:PATH (default $FIRN_CATALOG, else sqlite:firn.db)")
	flags.StringVar(&a.names.Warehouse, "warehouse", "", "where new tables go, a PATH or s3://BUCKET/PREFIX (default $FIRN_WAREHOUSE, else warehouse)")
	flags.StringArrayVar(&a.names.Maps, "map", nil, "FROM=TO: read and write locations that begin with FROM at TO (repeatable)")
	flags.Var(choice[format]{&a.format, formats}, "output", "form of the answer")
	a.complete(root, "output", formats)

	root.AddGroup(&cobra.Group{ID: groupWrite, Title: "Changing tables:"}, &cobra.Group{ID: groupRead, Title: "Looking into tables:"},
		&cobra.Group{ID: groupTest, Title: "Testing firn:"})
	root.AddCommand(
		a.initCommand(), a.registerCommand(), a.appendCommand(), a.removeCommand(), a.replaceCommand(),
		a.deleteRowsCommand(), a.restoreCommand(), a.branchCommand(), a.maintainCommand(), a.expireCommand(),
		a.orphansCommand(), a.outcomeCommand(),
		a.logCommand(), a.treeCommand(), a.filesCommand(), a.changesCommand(), a.statsCommand(), a.manifestCommand(),
		a.checkCommand(), a.rulesCommand(), a.bitmapCommand(),
		a.policyCommand(), a.simCommand(),
	)
	root.SetHelpCommand(a.helpCommand(root))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w: see %s", err, helpOf(cmd))
	})
	a.prepareCompletion(root)
	return root
}

// The groups of the list of commands.
const (
	groupWrite = "write"
	groupRead  = "read"
	groupTest  = "test"
)

// subcommand refuses a word that names no command.
func (a *app) subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("no command %q", args[0])
	if cmd.HasParent() {
		message += " in " + cmd.CommandPath()
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		message += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("%s", message)
}

// helpCommand explains a command.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return a.command(cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
	}, func(_ context.Context, args []string) error {
		found, rest, err := root.Find(args)
		switch {
		case err != nil:
			return a.subcommand(root, args)
		case len(rest) > 0 && found.HasSubCommands():
			return a.subcommand(found, rest)
		case len(rest) > 0:
			return usagef("no command %q in %s, which has none: see %s", rest[0], found.CommandPath(), helpOf(found))
		}
		found.InitDefaultHelpFlag()
		found.InitDefaultVersionFlag()
		return found.Help()
	})
}

// command completes a subcommand with what it does. From its call on the command line counts as understood.
func (a *app) command(c cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	c.DisableFlagsInUseLine = true
	c.RunE = func(cmd *cobra.Command, args []string) error {
		a.running = true
		return run(cmd.Context(), args)
	}
	return &c
}

func usagef(format string, args ...any) error {
	return &target.UsageError{Err: fmt.Errorf(format, args...)}
}
