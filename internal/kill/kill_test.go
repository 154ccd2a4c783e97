package kill_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store/dir"
)

// manyWriters is how many goroutines there are in a run without kills.
const manyWriters = 64

// size is how much a run does.
type size struct {
	// processes are those of a run with kills, with so many writers each, each of which makes so many appends.
	processes, writers, appends int
	// killEvery is the mean time between two kills.
	killEvery time.Duration
}

// sizeOf returns the size of the case itself if FIRN_KILL is full, else one for every day.
func sizeOf() size {
	if os.Getenv("FIRN_KILL") == "full" {
		return size{4, 16, 20, time.Second}
	}
	return size{4, 8, 1, 250 * time.Millisecond}
}

// properties begin retries quickly, spread those of many writers, and leave everything loose.
var properties = map[string]string{
	"firn.policy": "never", "commit.retry.min-wait-ms": "2", "commit.retry.max-wait-ms": "3000",
}

// TestKilled has processes append to one table at the same time, kills one of them at random moments and starts it again
// (B38): the snapshots are those of the acknowledged appends, and at most one more for each kill.
func TestKilled(t *testing.T) {
	for _, place := range []struct {
		name    string
		catalog func(t *testing.T, folder string) string
	}{
		{"folder", func(_ *testing.T, folder string) string { return "dir:" + filepath.Join(folder, "catalog") }},
		{"SQLite", func(_ *testing.T, folder string) string { return "sqlite:" + filepath.Join(folder, "catalog.db") }},
		{"PostgreSQL", func(t *testing.T, _ string) string { return pgtest.Schema(t) }},
	} {
		t.Run(place.name, func(t *testing.T) {
			folder := t.TempDir()
			w := work{catalog: place.catalog(t, folder), location: "file://" + folder + "/t", delayMillis: 10}
			on := testtable.On{Objects: dir.New(), Catalog: openCatalog(t, w.catalog), ID: testtable.ID, Location: w.location}
			if err := on.Make(t.Context(), properties); err != nil {
				t.Fatal(err)
			}
			l := newLedger()
			runProcesses(t, w, sizeOf(), l)
			verify(t, on, l)
		})
	}
}

// TestMany has many goroutines append to one table in memory; none is killed (B38).
func TestMany(t *testing.T) {
	s, err := testtable.New(t.Context(), properties)
	if err != nil {
		t.Fatal(err)
	}
	appends := slices.Repeat([]int{sizeOf().appends}, manyWriters)
	w := work{location: testtable.Location, name: "f", appends: appends, delayMillis: 10}
	l := newLedger()
	if err := w.run(t.Context(), s.Catalog, s.Objects, l.note); err != nil {
		t.Fatal(err)
	}
	verify(t, s.On(), l)
}

// runProcesses runs the processes until each has made its appends, and kills one now and then.
func runProcesses(t *testing.T, w work, n size, l *ledger) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	victims := make(chan struct{})
	go func() {
		for ctx.Err() == nil {
			time.Sleep(n.killEvery/2 + rand.N(n.killEvery))
			select {
			case victims <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	var group sync.WaitGroup
	for p := range n.processes {
		group.Go(func() {
			lives := life{ledger: l, left: slices.Repeat([]int{n.appends}, n.writers)}
			for born := 0; !lives.over(); born++ {
				w := w
				w.name, w.appends, lives.open = fmt.Sprintf("p%d.%d", p, born), slices.Clone(lives.left), make(map[int]string)
				if err := runProcess(w, &lives, victims); err != nil {
					t.Errorf("process %d: %v", p, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// runProcess runs one process to its end, or until it is the next victim.
func runProcess(w work, l *life, victims <-chan struct{}) error {
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcess$", "-test.count=1")
	cmd.Env = append(os.Environ(), variable+"="+w.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended, killed := make(chan struct{}), make(chan bool)
	go func() {
		select {
		case <-victims:
			killed <- cmd.Process.Kill() == nil
		case <-ended:
			killed <- false
		}
	}()
	var others []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if e, ok := parseEvent(lines.Text()); ok {
			l.note(e)
		} else {
			others = append(others, lines.Text())
		}
	}
	close(ended)
	wasKilled := <-killed
	err = cmd.Wait()
	switch {
	case wasKilled:
		l.ledger.killed(l.open)
	case err != nil:
		return fmt.Errorf("%w: %s", err, strings.Join(others, "; "))
	case !l.over():
		return errors.New("it ended before its work was done")
	}
	return nil
}
