package kill_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/sysenv"
	"github.com/firn-io/firn/internal/testtable"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/sqlcatalog"
	"github.com/firn-io/firn/tree"
)

// work is what one process has to do.
type work struct {
	// catalog is the URI of the catalog, and location that of the table.
	catalog, location string
	// name begins the names of the files that the process adds; no other process has it, nor an earlier life of this one.
	name string
	// appends is how many appends each writer has to make.
	appends []int
	// delayMillis bounds the delay between the reading of the table and the swap.
	delayMillis int64
}

// variable is the environment variable that tells a process what to do.
const variable = "FIRN_KILL_WORK"

// String returns the work as [parseWork] reads it.
func (w work) String() string {
	fields := []string{w.catalog, w.location, w.name, strconv.FormatInt(w.delayMillis, 10)}
	for _, n := range w.appends {
		fields = append(fields, strconv.Itoa(n))
	}
	return strings.Join(fields, "\n")
}

func parseWork(text string) (w work, err error) {
	fields := strings.Split(text, "\n")
	if len(fields) < 4 {
		return w, fmt.Errorf("%d fields", len(fields))
	}
	w.catalog, w.location, w.name = fields[0], fields[1], fields[2]
	var wrong error
	w.delayMillis, wrong = strconv.ParseInt(fields[3], 10, 64)
	for _, field := range fields[4:] {
		n, err := strconv.Atoi(field)
		w.appends, wrong = append(w.appends, n), errors.Join(wrong, err)
	}
	return w, wrong
}

// openCatalog opens the catalog at a URI.
func openCatalog(t *testing.T, uri string) store.Catalog {
	t.Helper()
	if strings.HasPrefix(uri, "dir:") {
		catalog, err := dir.OpenCatalog(uri)
		if err != nil {
			t.Fatal(err)
		}
		return catalog
	}
	catalog, err := sqlcatalog.Open(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { catalog.Close() })
	return catalog
}

// slow is a catalog that waits before each swap, which lets other writers in, and tells of each that succeeded.
type slow struct {
	store.Catalog
	delayMillis int64
	swapped     func()
}

// Swap implements [store.Catalog].
func (s slow) Swap(ctx context.Context, id store.TableID, old, new string) error {
	if err := sysenv.Sleep(ctx, rand.Int64N(s.delayMillis+1)); err != nil {
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	}
	err := s.Catalog.Swap(ctx, id, old, new)
	if err == nil {
		s.swapped()
	}
	return err
}

// run does the work with one goroutine for each writer, all on one catalog and one store.
func (w work) run(ctx context.Context, catalog store.Catalog, objects store.Objects, report func(event)) error {
	var group sync.WaitGroup
	errs := make([]error, len(w.appends))
	for n, appends := range w.appends {
		group.Go(func() { errs[n] = w.write(ctx, catalog, objects, n, appends, report) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// write makes the appends of one writer, of one loose file each. It reports each before it begins, when it has landed,
// and when it is done.
func (w work) write(ctx context.Context, catalog store.Catalog, objects store.Objects, writer, appends int, report func(event)) error {
	var f tree.File
	landed := func() { report(event{swapped, writer, f.Location, 0}) }
	table := commit.Open(testtable.ID, slow{catalog, w.delayMillis, landed}, objects, commit.Options{})
	for n := range appends {
		f = testtable.File(n)
		f.Location = fmt.Sprintf("%s/data/%s-%d-%d.parquet", w.location, w.name, writer, n)
		report(event{begun, writer, f.Location, 0})
		x, err := table.Begin(ctx, commit.TxnOptions{MaxAttempts: 1000})
		if err != nil {
			return fmt.Errorf("writer %d: %w", writer, err)
		}
		x.Append(f)
		r, err := x.Commit(ctx)
		if err != nil {
			return fmt.Errorf("writer %d: %w", writer, err)
		}
		report(event{done, writer, f.Location, r.SnapshotID})
	}
	return nil
}

// TestProcess is one of the processes: it does nothing in a process that was not told its work.
func TestProcess(t *testing.T) {
	text, told := os.LookupEnv(variable)
	if !told {
		return
	}
	w, err := parseWork(text)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	report := func(e event) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(os.Stdout, e)
	}
	if err := w.run(t.Context(), openCatalog(t, w.catalog), dir.New(), report); err != nil {
		t.Fatal(err)
	}
}
