package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/sim"
	"github.com/firn-io/firn/tree"
)

// replayFlags are the flags of firn sim replay.
type replayFlags struct {
	leaves, long, quiet, shrink bool
	trace                       traceFlags
}

// simReplayCommand does a trace again.
func (a *app) simReplayCommand() *cobra.Command {
	var f replayFlags
	c := a.command(cobra.Command{
		Use:   "replay FILE [--leaves] [--long] [--quiet] [--shrink]",
		Short: "Do a trace again, and print the tree at each step",
		Long: `Do the actions of a trace again, and print each with its number, and below it the tree of each branch that it changed, as firn
tree prints one. With --output json or tsv, and with --quiet, only what the run did and found is printed.

The exit code is 1 if the trace finds something, and 5 if it cannot be read, is of another version, or holds an action that
cannot be done where the replay has come to: the message says which.`,
		Example: "  firn sim replay sim-mixed-7-live-set.trace --leaves",
		Args:    words(1, 1),
	}, func(ctx context.Context, args []string) error { return a.simReplay(ctx, args[0], f) })
	flags := c.Flags()
	flags.BoolVar(&f.leaves, "leaves", false, "print the rows of the leaves too")
	flags.BoolVar(&f.long, "long", false, "print every field, statistics included")
	flags.BoolVar(&f.quiet, "quiet", false, "do not print the steps")
	flags.BoolVar(&f.shrink, "shrink", false, "make a trace that finds something smaller, and save that")
	flags.StringVar(&f.trace.folder, "save", ".", "folder for the smaller trace")
	return c
}

func (a *app) simReplay(ctx context.Context, path string, f replayFlags) error {
	t, err := readTrace(path)
	if err != nil {
		return err
	}
	if f.shrink {
		if err := f.trace.prepare(); err != nil {
			return err
		}
	}
	start := sysenv.NowMillis()
	s := &steps{app: a, flags: f, roots: make(map[string]string)}
	var see func(*sim.World, sim.Action) error
	if a.format == formatText && !f.quiet {
		see = func(w *sim.World, action sim.Action) error { return s.see(ctx, w, action) }
	}
	r, err := sim.Replay(ctx, t, false, see)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if see != nil {
		fmt.Fprintln(a.out)
	}
	var kept found
	if f.shrink {
		kept = f.trace.keep(ctx, a, r, "")
	}
	return a.printRun(r, kept, sysenv.NowMillis()-start)
}

// steps prints the steps of a replay.
type steps struct {
	app   *app
	flags replayFlags
	done  int
	// roots are those of the branches after the last step.
	roots map[string]string
}

// see prints an action and the trees that it changed.
func (s *steps) see(ctx context.Context, w *sim.World, action sim.Action) error {
	out := s.app.out
	s.done++
	fmt.Fprintf(out, "%d\t%s\n", s.done, action)
	now := make(map[string]string)
	for _, head := range w.Heads() {
		now[head.Branch] = head.Tree.Root
		if s.roots[head.Branch] == head.Tree.Root {
			continue
		}
		text, err := s.text(ctx, w, head.Tree)
		if err != nil {
			text = err.Error() + "\n" // a tree that cannot be read is what may have been found
		}
		fmt.Fprintf(out, "\t%s\n", head.Branch)
		for line := range strings.Lines(text) {
			fmt.Fprintf(out, "\t  %s", line)
		}
	}
	s.roots = now
	return nil
}

// text returns a tree as firn tree prints it.
func (s *steps) text(ctx context.Context, w *sim.World, t tree.Tree) (string, error) {
	doc := treetext.Doc{Tree: t}
	if s.flags.leaves {
		var err error
		if doc.Leaves, err = w.Leaves(ctx, t); err != nil {
			return "", err
		}
	}
	options := treetext.Options{Hide: treetext.Short &^ treetext.HideHeader}
	if s.flags.long {
		options = treetext.Options{}
	}
	return doc.Format(options), nil
}
