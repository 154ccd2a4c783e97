package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store"
)

// stubborn is a store that deletes nothing.
type stubborn struct{ store.Objects }

func (stubborn) Delete(context.Context, string) error { return errors.New("permission denied") }

// moving returns a transaction that is about to move a file, and the file.
func moving(t *testing.T) (*transaction, []inspected) {
	t.Helper()
	t.Chdir(t.TempDir())
	source, err := os.ReadFile(filepath.Join(testEvents, "events-01.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("source.parquet", source, 0o666); err != nil {
		t.Fatal(err)
	}
	getenv := func(string) string { return "" }
	code := Run(t.Context(), []string{"init", "a.b", "--like", "source.parquet"}, nil, new(bytes.Buffer), os.Stderr, getenv)
	if code != exitDone {
		t.Fatalf("init: code %d", code)
	}
	a := &app{out: bufio.NewWriter(new(bytes.Buffer)), stderr: new(bytes.Buffer), getenv: getenv, format: formatText}
	a.names.Getenv = getenv
	t.Cleanup(func() { a.close() })
	x, err := a.begin(t.Context(), "a.b", "main")
	if err != nil {
		t.Fatal(err)
	}
	files, err := x.inspect(t.Context(), []string{"source.parquet"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return x, files
}

var testEvents, _ = filepath.Abs("../../testdata/events")

// TestMoveCannotDelete says that the commit is done and the source is not gone.
func TestMoveCannotDelete(t *testing.T) {
	x, files := moving(t)
	x.objects = stubborn{x.objects}
	err := x.move(t.Context(), files)
	if err == nil || !strings.Contains(err.Error(), "the commit is done, but the moved file is still there: permission denied") {
		t.Errorf("error %v", err)
	}
	if code := exitCode(t.Context(), err); code != exitEnvironment {
		t.Errorf("code %d, want %d", code, exitEnvironment)
	}
	if head, err := x.table.Head(t.Context()); err != nil || len(head.Tree.Rows) != 1 {
		t.Errorf("head %+v, %v, want one file", head, err)
	}
}

// TestMoveRacesWithAppend: another writer adds the very file that is being moved, under its own name, and commits first.
// The file stays, for the table refers to it.
func TestMoveRacesWithAppend(t *testing.T) {
	x, files := moving(t)
	getenv := func(string) string { return "" }
	if code := Run(t.Context(), []string{"append", "a.b", "source.parquet"}, nil, new(bytes.Buffer), os.Stderr, getenv); code != exitDone {
		t.Fatalf("append: code %d", code)
	}
	if err := x.move(t.Context(), files); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("source.parquet"); err != nil {
		t.Errorf("a file that the table refers to is gone: %v", err)
	}
	if notice := x.stderr.(*bytes.Buffer).String(); !strings.Contains(notice, "another writer added it") {
		t.Errorf("notices %q", notice)
	}
}

// TestMoveCopyInDoubt: the put of the copy may have landed; the copy goes, so that the command can be repeated.
func TestMoveCopyInDoubt(t *testing.T) {
	x, files := moving(t)
	x.objects = doubtful{x.objects}
	if err := x.move(t.Context(), files); err == nil {
		t.Error("moved without a copy")
	}
	if copies, _ := filepath.Glob("warehouse/a/b/data/*.parquet"); len(copies) != 0 {
		t.Errorf("copies left: %q", copies)
	}
}

// doubtful is a store whose puts land and are reported as unknown.
type doubtful struct{ store.Objects }

func (d doubtful) Put(ctx context.Context, name string, data []byte) error {
	return errors.Join(d.Objects.Put(ctx, name, data), store.ErrUnknown)
}

// TestEnter: an error of the swap is no proof that the entry was not made.
func TestEnter(t *testing.T) {
	id := store.TableID{Namespace: "a", Name: "b"}
	if err := enter(t.Context(), lost{"here"}, id, "here"); err != nil {
		t.Errorf("an entry that was made: %v", err)
	}
	if err := enter(t.Context(), lost{"elsewhere"}, id, "here"); !errors.Is(err, errOutcome) {
		t.Errorf("an entry that may still be made: %v", err)
	}
}

// TestMoveOfUnknownOutcome keeps source and copy, for the commit may have happened.
func TestMoveOfUnknownOutcome(t *testing.T) {
	x, files := moving(t)
	table := commit.Open(x.table.ID(), lost{x.base.MetadataLocation}, x.objects, commit.Options{})
	txn, err := table.Begin(t.Context(), commit.TxnOptions{MaxAttempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	x.txn = txn
	err = x.move(t.Context(), files)
	if code := exitCode(t.Context(), err); code != exitUnknown {
		t.Errorf("code %d, want %d: %v", code, exitUnknown, err)
	}
	copies, _ := filepath.Glob("warehouse/a/b/data/*.parquet")
	if _, err := os.Stat("source.parquet"); err != nil || len(copies) != 1 {
		t.Errorf("the source: %v, the copies: %q", err, copies)
	}
}

// lost is a catalog that loses the answers to swaps.
type lost struct{ location string }

func (l lost) Load(context.Context, store.TableID) (string, error) { return l.location, nil }

func (l lost) Swap(context.Context, store.TableID, string, string) error { return store.ErrUnknown }
