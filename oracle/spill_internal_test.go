package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is put, read and given back in any order: each piece is what it was, and the file does not grow beyond what is
// kept at once and the pages that pieces of other sizes left.
func TestSpillFile(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := newSpillFile(Options{SpillFolder: folder})
		kept := make(map[int64][]byte)
		most := make(map[int64]int64) // pieces at once, by pages
		now := make(map[int64]int64)
		var order []int64
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(order) > 0 && rapid.Bool().Draw(t, "drop") {
				which := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				at := order[which]
				order = append(order[:which], order[which+1:]...)
				s.Drop(at, int64(len(kept[at])))
				now[pages(int64(len(kept[at])))]--
				delete(kept, at)
				continue
			}
			data := bytes.Repeat([]byte{byte(i)}, rapid.IntRange(1, 3*spillPage).Draw(t, "bytes"))
			at, err := s.Put(data)
			if err != nil {
				t.Fatal(err)
			}
			if _, taken := kept[at]; taken {
				t.Fatalf("place %d is given twice", at)
			}
			kept[at], order = data, append(order, at)
			n := pages(int64(len(data)))
			now[n]++
			most[n] = max(most[n], now[n])
		}
		for at, data := range kept {
			got := make([]byte, len(data))
			if err := s.Get(got, at); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("at %d: %v", at, err)
			}
		}
		bound := int64(0)
		for n, pieces := range most {
			bound += n * pieces * spillPage
		}
		if s.end > bound {
			t.Errorf("the file has %d bytes, %d are enough", s.end, bound)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	checkEmpty(t, folder)
}

func checkEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// Nothing is left of the file even while it is used, so that no kind of end can leave anything.
func TestSpillFileHasNoName(t *testing.T) {
	folder := t.TempDir()
	s := newSpillFile(Options{SpillFolder: folder})
	if _, err := s.Put([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if !s.named {
		checkEmpty(t, folder)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	checkEmpty(t, folder)
}

func TestSpillFileIsBounded(t *testing.T) {
	s := newSpillFile(Options{SpillFolder: t.TempDir(), MaxSpillBytes: 2 * spillPage})
	for range 2 {
		if _, err := s.Put([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Put([]byte("x"))
	if err == nil || !strings.Contains(err.Error(), s.name) || !strings.Contains(err.Error(), "more than 8192 bytes") {
		t.Errorf("%v", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// disk is a file on a disk that fails.
type disk struct {
	*os.File
	err error
}

func (d disk) WriteAt([]byte, int64) (int, error) {
	return 0, &os.PathError{Op: "write", Path: d.Name(), Err: d.err}
}

// A full disk is an error that names the file, and the file goes.
func TestSpillFileOnAFullDisk(t *testing.T) {
	folder, full := t.TempDir(), errors.New("no space left on device")
	s := newSpillFile(Options{SpillFolder: folder})
	s.create = func(folder string) (file, string, error) {
		f, err := os.Create(filepath.Join(folder, "firn-check-1"))
		return disk{f, full}, filepath.Join(folder, "firn-check-1"), err
	}
	_, err := s.Put([]byte("x"))
	want := fmt.Sprintf("temporary file %s: no space left on device", s.name)
	if !errors.Is(err, full) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	checkEmpty(t, folder)
}
