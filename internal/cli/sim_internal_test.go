package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/firn-io/firn/sim"
)

// failingReport returns the report of a trace that finds something: a clean-up that spares nothing.
func failingReport(t *testing.T) sim.Report {
	t.Helper()
	trace, err := sim.ReadTrace(strings.NewReader("firn sim trace 1\nconfig {\"Writers\":2,\"Seed\":3}\nstart 2\nstep 2\nstep 2\nstart 1\n" +
		"step 1\nstart 2 clean-up 0\nstep 2\nstep 2\nstep 2\nstep 2\nstep 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Replay(t.Context(), trace, false, nil)
	if err != nil || len(r.Violations) == 0 {
		t.Fatal(err, r.Violations)
	}
	return r
}

func newTestApp(f format) (a *app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &app{out: bufio.NewWriter(stdout), stderr: stderr, format: f}, stdout, stderr
}

// TestKeepTrace: what a run finds is saved with the command that finds it again, and the code is that of findings.
func TestKeepTrace(t *testing.T) {
	folder := t.TempDir()
	r := failingReport(t)
	for _, whole := range []bool{false, true} {
		a, stdout, _ := newTestApp(formatText)
		kept := traceFlags{folder: folder, whole: whole}.keep(t.Context(), a, r, "firn sim run --seed 3\nstep 99")
		if kept.path != filepath.Join(folder, "sim-mixed-3-unreadable.trace") {
			t.Fatalf("%+v", kept)
		}
		if smaller := kept.actions < len(r.Trace.Actions); smaller == whole {
			t.Errorf("no-shrink %t: %d of %d actions", whole, kept.actions, len(r.Trace.Actions))
		}
		saved, err := readTrace(kept.path)
		if err != nil || len(saved.Actions) != kept.actions {
			t.Errorf("%v, %d actions", err, len(saved.Actions))
		}
		if text, _ := os.ReadFile(kept.path); !strings.Contains(string(text), "# found by firn sim run --seed 3 step 99\n") {
			t.Errorf("the trace does not say where it is from:\n%s", text)
		}
		if err := a.printRun(r, kept, 1000); !errors.Is(err, errFindings) {
			t.Errorf("got %v", err)
		}
		a.out.Flush()
		for _, want := range []string{"violations           1\n", "again: firn sim run --seed 3\nstep 99\n", "firn sim replay " + kept.path + "\n"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("no %q in:\n%s", want, stdout)
			}
		}
	}
	if files, _ := os.ReadDir(folder); len(files) != 1 {
		t.Errorf("more than the trace is left: %v", files)
	}
}

// TestUnsavedTrace: a trace that has no place is said, and the code is still that of findings.
func TestUnsavedTrace(t *testing.T) {
	a, stdout, stderr := newTestApp(formatJSON)
	r := failingReport(t)
	kept := traceFlags{folder: filepath.Join(t.TempDir(), "gone"), whole: true}.keep(t.Context(), a, r, "")
	if kept.path != "" || !strings.Contains(stderr.String(), "the trace could not be saved: ") {
		t.Errorf("%+v, %s", kept, stderr)
	}
	if err := a.printRun(r, kept, 1000); !errors.Is(err, errFindings) {
		t.Errorf("got %v", err)
	}
	a.out.Flush()
	if !strings.Contains(stdout.String(), `"trace":null`) || !strings.Contains(stdout.String(), `"violations":1,`) {
		t.Errorf("the answer is %s", stdout)
	}
}

// TestSoakFound: a soak that found something says what, in its file, in its answer and by its code.
func TestSoakFound(t *testing.T) {
	folder := t.TempDir()
	r := failingReport(t)
	result := soakResult{
		Version: soakVersion, DurationMillis: 500,
		SoakReport: sim.SoakReport{Seed: 5, Shard: 1, Shards: 1, Runs: 1, Counts: r.Counts, TraceHash: r.TraceHash},
		Found:      []foundRun{{0, 3, "mixed", "firn sim run --seed 3", "x.trace", r.Violations}},
	}
	if err := result.save(folder); err != nil {
		t.Fatal(err)
	}
	for _, f := range []format{formatText, formatJSON} {
		a, stdout, _ := newTestApp(f)
		if err := a.simReport([]string{folder}); !errors.Is(err, errFindings) {
			t.Errorf("got %v", err)
		}
		a.out.Flush()
		for _, want := range []string{"unreadable", "firn sim run --seed 3", "x.trace"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: no %s in %s", f, want, stdout)
			}
		}
	}
	a, _, stderr := newTestApp(formatText)
	if err := a.unsaved(result, syscall.ENOSPC); !errors.Is(err, errFindings) || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("got %v, %s", err, stderr)
	}
	result.Found = nil
	if err := a.unsaved(result, syscall.ENOSPC); codeOf(err) != exitEnvironment {
		t.Errorf("got %v", err)
	}
}

// TestWriteWhole: on a full disk there is neither a part of the file nor anything else, and an old file stays.
func TestWriteWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x")
	full := func(w io.Writer) error {
		fmt.Fprint(w, "half")
		return syscall.ENOSPC
	}
	if err := writeWhole(path, full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
	whole := func(w io.Writer) error {
		_, err := fmt.Fprint(w, "all of it")
		return err
	}
	if err := writeWhole(path, whole); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(path, full); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(path); string(text) != "all of it" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestWriteWholeKeepsWhatIsNoFile: a pipe stays a pipe, and a link a link. As root one could do away with the devices of a machine.
func TestWriteWholeKeepsWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	whole := func(w io.Writer) error {
		_, err := fmt.Fprint(w, "all of it")
		return err
	}
	pipe, file, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "file"), filepath.Join(folder, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // opens without waiting for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := errors.Join(writeWhole(pipe, whole), writeWhole(link, whole)); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink, file: 0} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != kind {
			t.Fatalf("%s is now %v, %v", path, info, err)
		}
	}
	got := make([]byte, len("all of it"))
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "all of it" {
		t.Errorf("through the pipe came %q, %v", got, err)
	}
	if text, err := os.ReadFile(link); string(text) != "all of it" {
		t.Errorf("through the link came %q, %v", text, err)
	}
	if err := writeWhole(folder, whole); err == nil {
		t.Error("a folder was written")
	}
}

// TestProgress: the line is for terminals, changes not too often, and is taken away.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := int64(1000)
	p := &progress{out: &out, terminal: true, nowMillis: func() int64 { return now }}
	for i := range 5 {
		p.show(func() string { return fmt.Sprint("at ", i) })
		now += 100
	}
	p.clear()
	p.clear()
	if want := "\r\x1b[Kat 0\r\x1b[Kat 2\r\x1b[Kat 4\r\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	p = (&app{stderr: &out}).newProgress()
	p.show(func() string { return "x" })
	p.clear()
	if out.Len() > 0 {
		t.Errorf("%q where there is no terminal", out.String())
	}
}

// TestShellWord: a shell reads a line of words as these words, whatever they hold.
func TestShellWord(t *testing.T) {
	words := []string{"", "plain-1.2/x=y,_", "two words", "$HOME", "`id`", `a"b`, "it's", `back\slash`, "!x", "new\nline", "ä", "*", "#", "~", "'"}
	got, err := exec.Command("sh", "-c", "printf '%s\\0' "+shellLine(words)).Output()
	if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(got) != want {
		t.Errorf("got %q, want %q (%v)", got, want, err)
	}
	if shellWord("a.b/c") != "a.b/c" {
		t.Error("a plain word is quoted")
	}
}

// TestPeakMemory reads what the system says.
func TestPeakMemory(t *testing.T) {
	if n, known := highWaterMark("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t   1234 kB\nVmRSS:\t 5 kB\n"); n != 1234 || !known {
		t.Errorf("got %d, %t", n, known)
	}
	for _, text := range []string{"", "VmHWM:\tmuch\n"} {
		if _, known := highWaterMark(text); known {
			t.Errorf("%q has none", text)
		}
	}
	if n := peakMemory(); n < 1<<20 {
		t.Errorf("the peak is %d bytes", n)
	}
}
