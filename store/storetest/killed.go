package storetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/firn-io/firn/store"
)

// killedFolder is the environment variable that tells a process that it is one of those to be killed, and where
// the catalog is.
const killedFolder = "FIRN_STORETEST_KILLED"

// killedGoal is the count at which the processes stop.
const killedGoal = 60

// TestCatalogKilled checks a catalog that several processes share, while some of them are killed in the middle
// of their work (B38). open opens the catalog that is kept in a folder, making it when it is not there. The
// calling test runs again in each of the processes, so it is a test function of its own that does nothing else.
func TestCatalogKilled(t *testing.T, open func(folder string) (store.Catalog, error)) {
	folder, child := os.LookupEnv(killedFolder)
	if !child {
		folder = t.TempDir()
	}
	catalog, err := open(folder)
	if err != nil {
		t.Fatal(err)
	}
	count := counter{desk{ctx: t.Context(), catalog: catalog}, store.TableID{Namespace: "killed", Name: "counter"}}
	if child {
		if err := count.up(os.Stdout); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := count.swap(count.id, "", "0 by nobody"); err != nil {
		t.Fatal(err)
	}
	acks, kills := runKilled(t, folder)
	last, err := count.value()
	if err != nil {
		t.Fatal(err)
	}
	if err := acks.check(last, kills); err != nil {
		t.Fatal(err)
	}
}

// counter is a catalog entry whose location begins with a number.
type counter struct {
	desk
	id store.TableID
}

// value returns the number.
func (c counter) value() (int, error) {
	location, err := c.catalog.Load(c.ctx, c.id)
	if err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(location, " ")
	return strconv.Atoi(digits)
}

// up counts until the goal is reached and reports each of its own swaps after it was acknowledged.
func (c counter) up(report io.Writer) error {
	for {
		old, err := c.catalog.Load(c.ctx, c.id)
		if err != nil {
			return err
		}
		digits, _, _ := strings.Cut(old, " ")
		n, err := strconv.Atoi(digits)
		if err != nil || n >= killedGoal {
			return err
		}
		err = c.catalog.Swap(c.ctx, c.id, old, fmt.Sprintf("%d by process %d", n+1, os.Getpid()))
		switch {
		case err == nil:
			fmt.Fprintf(report, "ack %d\n", n+1)
		case !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrRefused):
			return err
		}
	}
}

// tally collects which numbers were acknowledged, and how often.
type tally struct {
	mu    sync.Mutex
	times map[int]int
}

// add counts one acknowledgement.
func (a *tally) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times[n]++
}

// check compares with the value at the end: a number is acknowledged once, and one that is not was reached by a
// process that was killed before it could say so.
func (a *tally) check(last, kills int) error {
	missing := 0
	for n := 1; n <= last; n++ {
		if a.times[n] > 1 {
			return fmt.Errorf("%d swaps to number %d were acknowledged", a.times[n], n)
		}
		if a.times[n] == 0 {
			missing++
		}
	}
	if last != killedGoal || len(a.times) != last-missing || missing > kills {
		return fmt.Errorf("the count ends at %d of %d, with %d numbers acknowledged, after %d kills",
			last, killedGoal, len(a.times), kills)
	}
	return nil
}

// runKilled runs processes that count, kills some of them after their first acknowledgements, and returns what
// was acknowledged and how many were killed.
func runKilled(t *testing.T, folder string) (*tally, int) {
	acks := &tally{times: make(map[int]int)}
	var group sync.WaitGroup
	lives := []int{3, 6, 9, killedGoal + 1, killedGoal + 1}
	kills := make([]bool, len(lives))
	for i, life := range lives {
		group.Go(func() {
			killed, err := runUntil(t, folder, life, acks)
			if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
			kills[i] = killed
		})
	}
	group.Wait()
	total := 0
	for _, killed := range kills {
		if killed {
			total++
		}
	}
	return acks, total
}

// runUntil runs one process until it has acknowledged so many swaps; then it is killed.
func runUntil(t *testing.T, folder string, life int, acks *tally) (killed bool, err error) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), killedFolder+"="+folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var others []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		digits, ok := strings.CutPrefix(lines.Text(), "ack ")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil {
			others = append(others, lines.Text())
			continue
		}
		acks.add(n)
		if life--; life == 0 {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				return killed, err
			}
		}
	}
	if err := cmd.Wait(); err != nil && !killed {
		return killed, fmt.Errorf("%w: %s", err, strings.Join(others, "; "))
	}
	return killed, nil
}
