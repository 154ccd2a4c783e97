package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// kind is a kind of change that an exploration combines. Writers that do the same kind aim at the same files, so that they
// meet; what they add differs. The second operation of a writer aims elsewhere than its first.
type kind struct {
	name    string
	program func(writer, operation int) Program
}

// The files of the table on which every exploration begins, see startPrograms.
const (
	maskedFile1, maskedFile2 = 4, 5 // in a leaf half of which is masked
	leafFile                 = 8    // in a leaf of which one file is masked
	deletedFile              = 10   // loose, and one of its rows is deleted
	looseFile1, looseFile2   = 13, 14
	startRecords             = 4 // of each file
	// firstNewFile is above the numbers of all those, and lastNewFile of all that writers add.
	firstNewFile, lastNewFile = 1000, 2000
)

// startRows is the cap of the table: its root has room for one more row, so that some changes write a leaf and some do not.
const startRows = 6

// startPrograms make the table: a leaf the files 1 to 3 of which are masked, a leaf the file 10 of which moved into the root
// when a row of it was deleted, and two loose files. The older snapshots are let go: what is read often is to be short.
var startPrograms = []string{
	"add 1-3 records=4", "add 4-6 records=4", "add 7-9 records=4", "remove 1-3", "add 10-12 records=4", "delete 10 rows=0",
	"add 13 records=4", "add 14 records=4", "expire 2",
}

// kinds are all kinds of changes.
var kinds = []kind{
	{"append", func(w, n int) Program { return single(Op{Verb: Add, New: fresh(w, n), Records: startRecords}) }},
	{"remove", func(_, n int) Program { return single(Op{Verb: Remove, Files: loose(n)}) }},
	{"remove-masked", func(_, n int) Program { return single(Op{Verb: Remove, Files: masked(n)}) }},
	{"delete-rows", func(w, n int) Program {
		return single(Op{Verb: Delete, Files: []int64{[]int64{deletedFile, leafFile}[n%2]}, Rows: vector(uint64(w)), Merge: n%2 == 0})
	}},
	{"replace", func(w, n int) Program {
		return single(Op{Verb: Replace, Files: elsewhere(n)[:1], New: fresh(w, n), Records: startRecords})
	}},
	{"compact", func(w, n int) Program {
		return single(Op{Verb: Compact, Files: elsewhere(n), New: fresh(w, n), Records: startRecords})
	}},
	{"refresh", func(_, n int) Program { return single(Op{Verb: Refresh, Files: elsewhere(n)[:1]}) }},
	{"where", func(int, int) Program { return single(Op{Verb: Where, Lower: looseFile1, Upper: lastNewFile}) }},
	{"maintain", func(int, int) Program { return Program{Maintenance: true} }},
	{"restore", func(int, int) Program { return single(Op{Verb: Restore, Number: 1}) }},
	{"empty", func(int, int) Program { return Program{} }},
	{"schema", func(int, int) Program { return single(Op{Verb: AddColumn}) }},
}

func single(op Op) Program { return Program{Ops: []Op{op}} }

// fresh is the file that an operation of a writer adds.
func fresh(writer, operation int) Range {
	n := int64(firstNewFile + 10*writer + operation)
	return Range{n, n}
}

func loose(operation int) []int64  { return []int64{[]int64{looseFile1, looseFile2}[operation%2]} }
func masked(operation int) []int64 { return []int64{[]int64{maskedFile1, maskedFile2}[operation%2]} }

// elsewhere are two files of places that the other kinds aim at too.
func elsewhere(operation int) []int64 {
	return [][]int64{{deletedFile, looseFile1}, {maskedFile1, looseFile2}}[operation%2]
}

// ChangeKinds returns the names of the kinds of changes that an exploration combines: append, remove (a loose file),
// remove-masked (a file of a leaf half of which is masked), delete-rows (of a loose file that has deleted rows, then of
// one in a leaf), replace, compact, refresh, where (serializable), maintain (which folds the masked leaf), restore (the
// snapshot before), empty (a commit without a change) and schema (which makes no snapshot).
func ChangeKinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// kindsByName returns kinds by their names, all for none.
func kindsByName(names []string) ([]kind, error) {
	if len(names) == 0 {
		return kinds, nil
	}
	var found []kind
	for _, name := range names {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind of change %q: want some of %s", name, strings.Join(ChangeKinds(), ", "))
		}
		found = append(found, kinds[i])
	}
	return found, nil
}

// startWorld makes a world for so many writers with the table on which explorations begin, and returns it with the
// actions that made it. One more writer makes them, so that the others have no memory of the table.
func startWorld(ctx context.Context, writers int) (*World, []Action, error) {
	w, err := NewWorld(Config{Writers: writers + 1, Rows: startRows, FullEvery: 1, plainMetadata: true})
	if err != nil {
		return nil, nil, err
	}
	s := &session{world: w, hash: newHash()}
	for _, text := range startPrograms {
		p, err := parseProgram(text)
		if err != nil {
			return nil, nil, err
		}
		if err := s.do(ctx, Action{Kind: Start, Writer: writers + 1, Program: p}); err != nil {
			return nil, nil, err
		}
		for w.writers[writers].run != nil {
			if err := s.do(ctx, Action{Kind: Step, Writer: writers + 1}); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(w.violations) > 0 {
		return nil, nil, fmt.Errorf("the table to begin with: %s", w.violations[0])
	}
	return w, s.actions, nil
}
