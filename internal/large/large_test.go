package large_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firn-io/firn/internal/cli"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store/dir"
)

const (
	// maxMiB is how much memory the check of a table may take, however many files it has.
	maxMiB = 512
	// usualEntries is the size of the table in every run of the tests, and fullEntries that of make check-large.
	usualEntries, fullEntries = 20_000, 10_000_000
)

// variable tells a process to run firn with its arguments and to print its peak of memory at the end.
const variable = "FIRN_LARGE_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(variable) == "" {
		os.Exit(m.Run())
	}
	code := cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	fmt.Fprintf(os.Stderr, "peak %d KiB\n", peakKiB())
	os.Exit(code)
}

// peakKiB returns the most memory that the process ever had, as the kernel counts it; 0 where it does not tell.
func peakKiB() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	peak := regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`).FindSubmatch(status)
	if peak == nil {
		return 0
	}
	n, err := strconv.Atoi(string(peak[1]))
	if err != nil {
		return 0
	}
	return n
}

// entries returns how many files the table is to have: FIRN_LARGE, or the usual number.
func entries(t *testing.T) int {
	text := os.Getenv("FIRN_LARGE")
	if text == "" {
		return usualEntries
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < roundTo {
		t.Fatalf("FIRN_LARGE is %q, it must be a number from %d on", text, roundTo)
	}
	return n
}

// TestCheckLarge makes a table in which one file is live twice and has its history checked by firn in a process of its own. That
// finds this file, with as much memory as the limit allows.
func TestCheckLarge(t *testing.T) {
	begin := time.Now()
	x := makeTable(t, t.TempDir(), entries(t))
	t.Logf("%d entries, made in %.0f s", x.entries, time.Since(begin).Seconds())
	checkSpilled(t, x)
	begin = time.Now()
	var found, told bytes.Buffer
	firn := exec.CommandContext(t.Context(), os.Args[0], "--catalog", "dir:"+x.folder+"/catalog", "check", "--history", "--strict", tableID.String())
	firn.Env = append(os.Environ(), variable+"=1", "TMPDIR="+x.folder)
	firn.Stdout, firn.Stderr = &found, &told
	err := firn.Run()
	seconds := time.Since(begin).Seconds()
	if code := firn.ProcessState.ExitCode(); code != 1 {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, found.String(), told.String())
	}
	if lines := strings.Split(strings.TrimSpace(found.String()), "\n"); len(lines) != 1 || !strings.Contains(lines[0], "T-LIVE-ONCE") {
		t.Errorf("found:\n%s\nwant one file that is live twice", found.String())
	}
	checkFolder(t, x)
	peak := 0
	_, line, _ := strings.Cut(told.String(), "peak ")
	if _, err := fmt.Sscanf(line, "%d KiB", &peak); err != nil || peak == 0 {
		unknownPeak(t, told.String())
	}
	t.Logf("%d entries, %.0f seconds, %d MiB at the peak", x.entries, seconds, peak>>10)
	if peak>>10 > maxMiB {
		t.Errorf("%d MiB of memory, at most %d are allowed", peak>>10, maxMiB)
	}
}

// unknownPeak ends a test that does not know what memory was taken. Linux tells, and who asks for a size asks for this.
func unknownPeak(t *testing.T, told string) {
	const text = "the system does not tell the peak of memory of a process: %s"
	if runtime.GOOS == "linux" || os.Getenv("FIRN_LARGE") != "" {
		t.Fatalf(text, told)
	}
	t.Skipf(text, told)
}

// checkSpilled checks the table with as large a part of it in the spill as a table of the full size has. The large one is
// left to the other process.
func checkSpilled(t *testing.T, x *table) {
	if x.entries > usualEntries {
		return
	}
	head, err := x.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	target := oracle.Target{Objects: dir.New(), Metadata: head.MetadataLocation}
	o := oracle.Options{History: true, SpillFolder: x.folder, FilesInMemory: max(1, 131_072*x.entries/fullEntries)}
	var found []string
	for f, err := range oracle.Check(t.Context(), target, o) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f.Rule)
	}
	if len(found) != 1 || found[0] != "T-LIVE-ONCE" {
		t.Errorf("found %v, want one file that is live twice", found)
	}
}

// checkFolder checks that nothing is left of what was spilled.
func checkFolder(t *testing.T, x *table) {
	files, err := os.ReadDir(x.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "firn-check-") {
			t.Errorf("%s is left", f.Name())
		}
	}
}
