package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firn-io/firn/sim"
)

// traceFlags say what becomes of the trace of a run that found something.
type traceFlags struct {
	folder string
	whole  bool
}

func (f *traceFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.folder, "save", ".", "folder for the traces of runs that find something")
	c.Flags().BoolVar(&f.whole, "no-shrink", false, "save such a trace as it is")
}

// prepare makes the folder, so that a run of hours does not end with a trace that has no place.
func (f traceFlags) prepare() error { return os.MkdirAll(f.folder, 0o777) }

// found is where the trace of a run went that found something: path is empty if it could not be saved.
type found struct {
	path    string
	actions int
	// again is the command that makes the run again.
	again string
}

// keep makes the trace of a run smaller and saves it, if the run found something.
func (f traceFlags) keep(ctx context.Context, a *app, r sim.Report, again string) found {
	if len(r.Violations) == 0 {
		return found{}
	}
	t := r.Trace
	if len(t.Actions) == 0 && r.Actions > 0 {
		a.notice("a run of %s has no trace", count(r.Actions, "action", "actions"))
		return found{again: again}
	}
	if !f.whole {
		a.notice("found %s: making the trace of %s smaller", r.Violations[0].Check, count(len(t.Actions), "action", "actions"))
		small, err := sim.Shrink(ctx, t)
		if err != nil {
			a.notice("the trace could not be made as small as it may be: %v", err)
		}
		t = small // the smallest that was reached, the trace itself if none was
	}
	kept := found{actions: len(t.Actions), again: again}
	path := filepath.Join(f.folder, traceName(r))
	err := writeWhole(path, func(w io.Writer) error {
		if err := t.Write(w); err != nil {
			return err
		}
		if again != "" {
			_, err := fmt.Fprintf(w, "# found by %s\n", strings.ReplaceAll(again, "\n", " "))
			return err
		}
		return nil
	})
	if err != nil {
		a.notice("the trace could not be saved: %v", err)
		return kept
	}
	kept.path = path
	return kept
}

// traceName returns the name of the file of a trace.
func traceName(r sim.Report) string {
	plain := func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' {
			return c
		}
		return '_'
	}
	return fmt.Sprintf("sim-%s-%d-%s.trace", strings.Map(plain, r.Trace.Config.Profile.Name), r.Seed, strings.Map(plain, r.Violations[0].Check))
}

// canWrite finds out what keeps a file from being written, before there is anything to write: it is a folder, or its folder is none.
func canWrite(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder", path)
	}
	return isFolder(filepath.Dir(path))
}

func isFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder", path)
	}
	return err
}

// writeWhole writes a file as a whole or not at all. What stands there and is no file, such as a device or a pipe, stays and is
// written to, and of a link the file that it names.
func writeWhole(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if !info.Mode().IsRegular() {
			return writeInto(path, write)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // without effect once it has its name
	b := bufio.NewWriter(file)
	err = write(b)
	for _, step := range []func() error{b.Flush, func() error { return file.Chmod(0o644) }, file.Sync} {
		if err == nil {
			err = step()
		}
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// writeInto writes to a device or a pipe.
func writeInto(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(file)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// readTrace reads a trace from a file.
func readTrace(path string) (sim.Trace, error) {
	file, err := os.Open(path)
	if err != nil {
		return sim.Trace{}, err
	}
	defer file.Close()
	t, err := sim.ReadTrace(file)
	if err == nil {
		err = t.Config.Validate()
	}
	if isAny[*fs.PathError](err) { // the file could not be read, whatever it holds
		return t, err
	} else if err != nil {
		return t, fmt.Errorf("%s: %w: %w", path, errMalformed, err)
	}
	return t, nil
}
