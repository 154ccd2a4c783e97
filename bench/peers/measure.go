package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// kind is a kind of commit that is measured.
type kind uint8

const (
	// remove names the file by its location alone.
	remove kind = iota
	// removeHinted also says where the file stands, as a scan that came before would know. Only firn takes that.
	removeHinted
	appendUnchecked
	appendChecked
)

var kinds = []kind{remove, removeHinted, appendUnchecked, appendChecked}

func (k kind) String() string {
	return [...]string{"remove a file", "remove a file, its place known", "append a file, no check for duplicates",
		"append a file, check for duplicates"}[k]
}

func (k kind) removes() bool { return k == remove || k == removeHinted }

// peer returns the kind that the other side's commit is compared by.
func (k kind) peer() kind {
	if k == removeHinted {
		return remove
	}
	return k
}

// table is a table of one of the sides.
type table interface {
	// prepare returns one commit, which begins with loading the table: it removes or appends file n.
	prepare(ctx context.Context, k kind, n int) (func() error, error)
	// live counts the live files of the table as it is.
	live(ctx context.Context) (int, error)
}

// subject is a table that is measured.
type subject struct {
	table
	side, label  string
	name, folder string
	db           *sql.DB
	// base is the metadata file of the seeded table, seeded are the paths of all its objects.
	base   string
	seeded map[string]bool
}

// sample is one measured commit.
type sample struct {
	// cpu is the processor time of the whole process, in user and system mode, garbage collection included.
	cpu     time.Duration
	objects int
	bytes   int64
}

// result is all samples of one kind of commit on one table.
type result struct {
	side, label string
	kind        kind
	samples     []sample
}

func (r *result) median() time.Duration { return r.sorted()[len(r.samples)/2] }

func (r *result) least() time.Duration { return r.sorted()[0] }

func (r *result) sorted() []time.Duration {
	var times []time.Duration
	for _, s := range r.samples {
		times = append(times, s.cpu)
	}
	slices.Sort(times)
	return times
}

// In a round each kind of commit is measured on each table, several times while that does not take long.
const (
	commitsPerRound = 5
	shortRound      = time.Second
)

// settling is how long a measurement waits before each look at the processor time: the kernel counts the time of a
// thread when it pauses, and until then late by up to a tick, which is as long as a small commit takes.
const settling = 20 * time.Millisecond

// measureAll measures every kind of commit on every table, in rounds. The order turns around from round to round, so
// that no side always follows the other's garbage.
func (b *bench) measureAll(ctx context.Context, rounds int) ([]*result, error) {
	var results []*result
	var subjects []*subject // of the results
	for _, k := range kinds {
		for _, s := range b.subjects {
			if k.peer() == k || s.side == firnSide {
				results = append(results, &result{side: s.side, label: s.label, kind: k})
				subjects = append(subjects, s)
			}
		}
	}
	for round := range rounds {
		fmt.Fprintf(b.progress, "round %d of %d\n", round+1, rounds)
		for i := range results {
			if round%2 == 1 {
				i = len(results) - 1 - i
			}
			if err := b.measureRound(ctx, subjects[i], results[i]); err != nil {
				return nil, fmt.Errorf("%s, %s: %s: %w", results[i].side, results[i].label, results[i].kind, err)
			}
		}
	}
	return results, nil
}

// measureRound adds samples of one kind of commit on one table.
func (b *bench) measureRound(ctx context.Context, s *subject, r *result) error {
	var spent time.Duration
	for n := 0; n < commitsPerRound && spent < shortRound; n++ {
		got, err := b.measure(ctx, s, r.kind, len(r.samples))
		if err != nil {
			return err
		}
		r.samples = append(r.samples, got)
		spent += got.cpu
	}
	return nil
}

// measure measures one commit and undoes it. The number counts the commits of its kind on this table; it chooses the
// file, and after the first the live files are counted.
func (b *bench) measure(ctx context.Context, s *subject, k kind, number int) (sample, error) {
	file, want := b.files+number, b.files+1
	if k.removes() {
		file, want = (b.files/3+number*(b.files/7+1))%b.files, b.files-1
	}
	commit, err := s.prepare(ctx, k, file)
	if err != nil {
		return sample{}, err
	}
	runtime.GC()
	time.Sleep(settling)
	before := processorTime()
	err = commit()
	time.Sleep(settling)
	got := sample{cpu: processorTime() - before}
	if err != nil {
		return sample{}, err
	}
	if number == 0 {
		if n, err := s.live(ctx); err != nil || n != want {
			return sample{}, fmt.Errorf("%d live files after the commit, not %d: %w", n, want, err)
		}
	}
	if err := s.rewind(ctx); err != nil {
		return sample{}, err
	}
	err = s.walk(func(path string, sizeBytes int64) error {
		if s.seeded[path] {
			return nil
		}
		got.objects++
		got.bytes += sizeBytes
		return os.Remove(path)
	})
	return got, err
}

// processorTime returns what this process has used so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // the arguments are constant and valid
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
