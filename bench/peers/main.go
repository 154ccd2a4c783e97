// Command peers measures commits of firn against the same commits of iceberg-go, in one process and in turns: removing
// one file and appending one file, on tables of the same files. It prints processor times, what was written, and the
// ratios next to their limits. README.md says how to read them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"

	"github.com/firn-io/firn/bench/internal/document"
)

// section is the part of a document that holds the figures.
var section = document.Section{Begin: "<!-- peers: written by make peers -->\n", End: "<!-- end of peers -->\n"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// options are the settings of a run.
type options struct {
	// files are the live files of each table, leafFiles those of one leaf or of one of the larger manifests.
	files, leafFiles int
	rounds           int
	// folder is where the tables are kept while it runs; empty for the system's folder of temporary files.
	folder string
	// document is written to, if there is one.
	document string
	// check makes a missed limit an error.
	check bool
	// profile begins the names of processor profiles that are written instead; empty for none.
	profile string
}

func parseOptions(args []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.IntVar(&o.files, "files", 10_000, "live `files` of each table")
	flags.IntVar(&o.leafFiles, "leaf-files", 1000, "`files` of a leaf, and of one of the larger manifests")
	flags.IntVar(&o.rounds, "rounds", 7, "`number` of rounds; in each, every kind of commit is measured on every table")
	flags.StringVar(&o.folder, "folder", "", "`folder` for the tables; the folder of temporary files by default")
	flags.StringVar(&o.document, "write", "", "write the figures into a `document`, between its two lines for them")
	flags.BoolVar(&o.check, "check", false, "end with 1 if a figure missed its limit")
	flags.StringVar(&o.profile, "profile", "", "write processor profiles of removals to `PREFIX`t0.pprof and so on, in the order of seeding, instead of figures")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 || o.files < 2 || o.leafFiles < 1 || o.rounds < 1 {
		return options{}, fmt.Errorf("at least two files, one file a leaf and one round are needed, and no other arguments")
	}
	return o, nil
}

// run measures and reports.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parseOptions(args, progress)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(o.folder, "firn-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b, err := openBench(ctx, folder, o, progress)
	if err != nil {
		return err
	}
	defer b.close()
	if o.profile != "" {
		return b.profile(ctx, o)
	}
	results, err := b.measureAll(ctx, o.rounds)
	if err != nil {
		return err
	}
	r, err := judge(results, o)
	if err != nil {
		return err
	}
	text := r.markdown(fmt.Sprintf("%s on %s/%s with %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	fmt.Fprint(out, text)
	if o.document != "" {
		if err := section.Write(o.document, text); err != nil {
			return err
		}
	}
	if o.check && len(r.missed) > 0 {
		return fmt.Errorf("%d of %d figures missed their limit", len(r.missed), r.judged)
	}
	return nil
}

// profile writes a processor profile of the removals from each table.
func (b *bench) profile(ctx context.Context, o options) error {
	for _, s := range b.subjects {
		f, err := os.Create(o.profile + s.name + ".pprof")
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return errors.Join(err, f.Close())
		}
		for round := 0; round < o.rounds && err == nil; round++ {
			_, err = b.measure(ctx, s, remove, round)
		}
		pprof.StopCPUProfile()
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
