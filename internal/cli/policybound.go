package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/policy/bound"
)

// policyCommand is about policies.
func (a *app) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                   "policy COMMAND",
		Short:                 "What policies do, what they cost, and what they must cost",
		GroupID:               groupTest,
		DisableFlagsInUseLine: true,
		Args:                  a.subcommand,
		RunE:                  needsSubcommand,
	}
	c.AddCommand(a.policyListCommand(), a.policyExplainCommand(), a.policyAdviseCommand(), a.policyBoundCommand())
	return c
}

// wholeNumber is a flag that takes a number from least. What is wrong with it is found when all flags are read, so that a
// user hears of all wrong ones at once.
type wholeNumber struct {
	name, text string
	least      int64
}

// String implements the Value interface of the flag library.
func (n *wholeNumber) String() string { return n.text }

// Set implements the Value interface of the flag library.
func (n *wholeNumber) Set(text string) error {
	n.text = text
	return nil
}

// Type implements the Value interface of the flag library.
func (n *wholeNumber) Type() string { return "int" }

// value returns the number, or what is wrong with it.
func (n *wholeNumber) value() (int64, error) {
	if n.text == "" {
		return 0, fmt.Errorf("--%s is needed", n.name)
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && n.text[0] != '-':
		return 0, fmt.Errorf("--%s takes a number of at most 63 bits, not %s", n.name, n.text)
	case err != nil || v < n.least:
		return 0, fmt.Errorf("--%s takes a number from %d, not %s", n.name, n.least, cmp.Or(n.text, `""`))
	}
	return v, nil
}

// boundFlags are the flags of firn policy bound.
type boundFlags struct {
	files, commits, entry, pointer, leafFixed, leafCap wholeNumber
}

// policyBoundCommand prints the lower bound.
func (a *app) policyBoundCommand() *cobra.Command {
	number := func(name string, least, value int64) wholeNumber {
		n := wholeNumber{name: name, least: least}
		if value > 0 {
			n.text = strconv.FormatInt(value, 10)
		}
		return n
	}
	f := boundFlags{
		files: number("files-per-commit", 1, 0), commits: number("commits", 1, 0),
		entry: number("entry-bytes", 1, bound.DefaultEntryBytes), pointer: number("pointer-bytes", 1, bound.DefaultPointerBytes),
		leafFixed: number("leaf-fixed-bytes", 0, bound.DefaultLeafFixedBytes), leafCap: number("leaf-cap", 1, bound.DefaultLeafEntries),
	}
	c := a.command(cobra.Command{
		Use:   "bound --files-per-commit K --commits T [--entry-bytes D] [--pointer-bytes P] [--leaf-fixed-bytes F] [--leaf-cap L]",
		Short: "Print what the commits of a table that only grows must write",
		Long: `Print what the commits of a table that only grows must write, whatever the policy: bytes a commit, roots and leaves together,
beyond the fixed price of the roots. The defaults are the prices of a table with 20 statistics columns.

closed_form_bytes  the closed form: leaves cost nothing but their files, and every commit writes one
lower_bound_bytes  what no plan goes below
optimum_bytes      the cheapest plan that keeps the files of each commit together; where a leaf cannot be full of whole
                   commits, a plan that splits commits may be a little cheaper, and lower_bound_bytes says by how much at most

The _total fields have the sums over all commits. Where the optimum would take long to find it is null, and note says why:
that is so beyond a million commits unless K divides L. docs/policy.md has the theory.`,
		Example: "  firn policy bound --files-per-commit 10 --commits 100000",
		Args:    words(0, 0),
	}, func(ctx context.Context, _ []string) error { return a.policyBound(ctx, f) })
	for _, flag := range []struct {
		n     *wholeNumber
		usage string
	}{
		{&f.files, "files that each commit adds"}, {&f.commits, "commits"},
		{&f.entry, "bytes of a data file's entry, in the root and in a leaf"}, {&f.pointer, "bytes of a pointer in the root"},
		{&f.leafFixed, "bytes of a leaf without its entries"}, {&f.leafCap, "the most files of a leaf"},
	} {
		c.Flags().Var(flag.n, flag.n.name, flag.usage)
	}
	return c
}

// model returns what the flags say, or all that is wrong with them.
func (f *boundFlags) model() (m bound.Model, commits int64, err error) {
	var wrong []error
	for _, flag := range []struct {
		n  *wholeNumber
		to *int64
	}{
		{&f.files, &m.FilesPerCommit}, {&f.commits, &commits}, {&f.entry, &m.EntryBytes}, {&f.pointer, &m.PointerBytes},
		{&f.leafFixed, &m.LeafFixedBytes}, {&f.leafCap, &m.LeafEntries},
	} {
		v, err := flag.n.value()
		*flag.to = v
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) == 0 {
		wrong = append(wrong, m.Validate())
	}
	if err := errors.Join(wrong...); err != nil {
		return m, commits, usagef("%w", err)
	}
	return m, commits, nil
}

func (a *app) policyBound(ctx context.Context, f boundFlags) error {
	m, commits, err := f.model()
	if err != nil {
		return err
	}
	closed, err := m.ClosedForm(commits)
	if err != nil {
		return usagef("%w", err)
	}
	lower, err := m.Floor(commits)
	if err != nil {
		return usagef("%w", err)
	}
	optimum, err := a.programBytes(ctx, m, commits)
	var note *tooLongError
	if err != nil && !errors.As(err, &note) {
		return err
	}
	whole, err := a.programBytes(ctx, m.WholeLeaves(), commits)
	switch {
	case err == nil:
		lower = max(lower, whole)
	case !errors.As(err, new(*tooLongError)):
		return err
	}
	optimumCell, optimumTotal, noteCell := nullCell, nullCell, nullCell
	if note != nil {
		noteCell = textCell("no optimum: " + withoutPackages(note.Error()))
	} else {
		optimumCell, optimumTotal = numberCell(perCommit(optimum, commits)), numberCell(optimum)
	}
	return a.printFigures([]figure{
		{"files_per_commit", numberCell(m.FilesPerCommit)}, {"commits", numberCell(commits)},
		{"entry_bytes", numberCell(m.EntryBytes)}, {"pointer_bytes", numberCell(m.PointerBytes)},
		{"leaf_fixed_bytes", numberCell(m.LeafFixedBytes)}, {"leaf_cap", numberCell(m.LeafEntries)},
		{"closed_form_bytes", numberCell(perCommit(closed, commits))},
		{"lower_bound_bytes", numberCell(perCommit(lower, commits))},
		{"optimum_bytes", optimumCell},
		{"closed_form_total_bytes", numberCell(closed)}, {"lower_bound_total_bytes", numberCell(lower)},
		{"optimum_total_bytes", optimumTotal}, {"note", noteCell},
	})
}

// perCommit rounds to whole bytes a commit.
func perCommit(bytes, commits int64) int64 {
	each, rest := bytes/commits, bytes%commits
	if rest >= commits-rest {
		each++
	}
	return each
}

// tooLongError says why a program does not work something out.
type tooLongError struct{ error }

// Unwrap returns the reason.
func (e *tooLongError) Unwrap() error { return e.error }

// programBytes works out what the cheapest plan of the program writes.
func (a *app) programBytes(ctx context.Context, m bound.Model, commits int64) (int64, error) {
	p, err := bound.NewProgram(m)
	if err != nil {
		return 0, &tooLongError{err}
	}
	if err := p.Check(commits); err != nil {
		return 0, &tooLongError{err}
	}
	line := a.newProgress()
	defer line.clear()
	const stride = 1_000 // commits between two looks at whether somebody interrupts
	for next := int64(stride); next < commits && next < bound.MaxProgramCommits && !p.Settled(); next += stride {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		line.show(func() string { return fmt.Sprintf("%d of %d commits", p.Commits(), commits) })
		if err := p.Extend(next); err != nil {
			return 0, err
		}
	}
	if err := p.Extend(commits); err != nil {
		return 0, &tooLongError{err}
	}
	return p.Bytes(commits), nil
}
