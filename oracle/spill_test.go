package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firn-io/firn/oracle"
)

// small holds one file of a table in memory and spills the others.
func small(t *testing.T) oracle.Options {
	return oracle.Options{History: true, FilesInMemory: 1, SpillFolder: t.TempDir()}
}

func checkNothingLeft(t *testing.T, o oracle.Options) {
	t.Helper()
	left, err := os.ReadDir(o.SpillFolder)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func sortFindings(findings []oracle.Finding) {
	slices.SortFunc(findings, func(a, b oracle.Finding) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// A table that does not fit in memory has the findings that it has in memory, and nothing is left on the disk.
func TestSpilledTable(t *testing.T) {
	tables, err := os.ReadDir(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if !table.IsDir() {
			continue
		}
		objects, target := loaded(t, table.Name())
		for _, damage := range []bool{false, true} {
			if damage { // every snapshot has the root of the last one
				edit(t, objects, target, func(m map[string]any) {
					all := m["snapshots"].([]any)
					for _, s := range all {
						s.(map[string]any)["root-manifest"] = all[len(all)-1].(map[string]any)["root-manifest"]
						delete(s.(map[string]any), "parent-snapshot-id")
					}
				})
			}
			want, err := collect(t.Context(), target, oracle.Options{History: true})
			if err != nil {
				t.Fatal(err)
			}
			o := small(t)
			got, err := collect(t.Context(), target, o)
			sortFindings(want)
			sortFindings(got) // many shares of a few files each have an order of their own
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, damaged %t: in memory -, spilled +: %v\n%s", table.Name(), damage, err, diff)
			}
			checkNothingLeft(t, o)
		}
	}
}

// A disk that takes nothing ends the check with an error that names it, and no finding is made of what is missing.
func TestSpillThatFails(t *testing.T) {
	_, target := loaded(t, "leaves")
	o := small(t)
	o.MaxSpillBytes = 1
	findings, err := collect(t.Context(), target, o)
	if err == nil || len(findings) > 0 || !strings.Contains(err.Error(), filepath.Join(o.SpillFolder, "firn-check-")) {
		t.Errorf("%v, %v", findings, err)
	}
	checkNothingLeft(t, o)
	o.SpillFolder = filepath.Join(o.SpillFolder, "none")
	findings, err = collect(t.Context(), target, o)
	if err == nil || len(findings) > 0 || !strings.Contains(err.Error(), o.SpillFolder) {
		t.Errorf("%v, %v", findings, err)
	}
	o.FilesInMemory = 0
	if findings, err = collect(t.Context(), target, o); err != nil || len(findings) > 0 {
		t.Errorf("a small table needs the folder: %v, %v", findings, err)
	}
}

// A consumer that has had enough leaves nothing on the disk either.
func TestSpillOfAStoppedCheck(t *testing.T) {
	objects, target := loaded(t, "leaves")
	edit(t, objects, target, func(m map[string]any) {
		all := m["snapshots"].([]any)
		all[len(all)-1].(map[string]any)["first-row-id"] = 0
	})
	o := small(t)
	stopped := 0
	for most := range 3 {
		n := 0
		for range oracle.Check(t.Context(), target, o) {
			if n++; n > most {
				stopped++
				break
			}
		}
		checkNothingLeft(t, o)
	}
	if stopped == 0 {
		t.Error("no check was stopped")
	}
}
