package bound_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/bound"
)

func newProgram[N int | int64](t interface{ Fatal(...any) }, m bound.Model, commits N) *bound.Program {
	p, err := bound.NewProgram(m)
	if err == nil {
		err = p.Extend(int64(commits))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plain is the program as it is written down, with no thought of speed.
func plain(m bound.Model, commits int) []int64 {
	a := make([]int64, commits+1)
	batch := m.FilesPerCommit * m.EntryBytes
	for n := int64(1); n < int64(len(a)); n++ {
		a[n] = m.FilesPerCommit * loosePrice(m) * n * (n + 1) / 2
		for j := int64(1); j <= n; j++ {
			leaves := (j*m.FilesPerCommit + m.LeafEntries - 1) / m.LeafEntries
			a[n] = min(a[n], a[j-1]+a[n-j]+batch*j+leaves*m.LeafFixedBytes+leaves*m.PointerBytes*(n-j+1))
		}
	}
	return a
}

// replay writes what a plan says, commit by commit, and counts.
func replay(t interface{ Fatalf(string, ...any) }, m bound.Model, pushes []int) int64 {
	var components []int // commits of each, oldest first
	loose, bytes := 0, int64(0)
	leaves := func(commits int) int64 {
		return (int64(commits)*m.FilesPerCommit + m.LeafEntries - 1) / m.LeafEntries
	}
	for commit, push := range pushes {
		loose++
		if push > 0 {
			taken := loose
			for loose = 0; taken < push; components = components[:len(components)-1] {
				taken += components[len(components)-1]
			}
			if taken != push {
				t.Fatalf("%+v: commit %d pushes %d commits, and cuts a component or leaves loose files behind", m, commit+1, push)
			}
			components = append(components, push)
			bytes += leaves(push)*m.LeafFixedBytes + int64(push)*m.FilesPerCommit*m.EntryBytes
		}
		bytes += int64(loose) * m.FilesPerCommit * loosePrice(m)
		for _, c := range components {
			bytes += leaves(c) * m.PointerBytes
		}
	}
	return bytes
}

// models draws models of all kinds: caps below, at and above the files of a commit, leaves for nothing and beyond price.
func models(t *rapid.T) bound.Model {
	upTo := func(label string, least int64) int64 {
		return rapid.Int64Range(least, rapid.SampledFrom([]int64{3, 40, 700, 30_000}).Draw(t, label+" at most")).Draw(t, label)
	}
	m := bound.Model{
		FilesPerCommit: rapid.Int64Range(1, 60).Draw(t, "k"), EntryBytes: upTo("d", 1), PointerBytes: upTo("p", 1),
		LeafFixedBytes: upTo("F", 0), LeafEntries: upTo("L", 1),
	}
	if rapid.Bool().Draw(t, "loose files have a price of their own") {
		m.LooseBytes = upTo("l", 1)
	}
	if rapid.Bool().Draw(t, "whole commits") {
		m.LeafEntries = (m.LeafEntries%50 + 1) * m.FilesPerCommit
	}
	return m
}

// TestProgramIsThePlainOne compares all horizons, and what the plans cost that the program says it has found.
func TestProgramIsThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, commits := models(t), rapid.IntRange(0, 300).Draw(t, "commits")
		p := newProgram(t, m, commits)
		for n, want := range plain(m, commits) {
			if p.Bytes(int64(n)) != want {
				t.Fatalf("%+v, %d commits: %d, plainly %d", m, n, p.Bytes(int64(n)), want)
			}
			if n%29 == 0 || n == commits {
				if cost := replay(t, m, p.Pushes(n)); cost != want {
					t.Fatalf("%+v, %d commits: the plan costs %d, not %d", m, n, cost, want)
				}
			}
		}
	})
}

// TestProgramIsThePlainOneForLong does the same for models as tables have them.
func TestProgramIsThePlainOneForLong(t *testing.T) {
	wide := bound.Model{FilesPerCommit: 10, EntryBytes: 2_500, PointerBytes: 2_600, LeafFixedBytes: 125_000, LeafEntries: 3_300}
	unlike := bound.Model{FilesPerCommit: 7, EntryBytes: 1, PointerBytes: 1_000_000, LeafFixedBytes: 1, LeafEntries: 3}
	loose := bound.Default(10)
	loose.LooseBytes = 310
	for _, m := range []bound.Model{bound.Default(1), bound.Default(10), bound.Default(10_000), wide, unlike, loose} {
		const commits = 3_000
		p := newProgram(t, m, commits)
		for n, want := range plain(m, commits) {
			if p.Bytes(int64(n)) != want {
				t.Fatalf("%+v, %d commits: %d, plainly %d", m, n, p.Bytes(int64(n)), want)
			}
		}
		if cost := replay(t, m, p.Pushes(commits)); cost != p.Bytes(commits) {
			t.Errorf("%+v: the plan costs %d, not %d", m, cost, p.Bytes(commits))
		}
	}
}

// TestProgramExtends reaches a horizon in steps.
func TestProgramExtends(t *testing.T) {
	m := bound.Default(10)
	whole, steps := newProgram(t, m, 500), newProgram(t, m, 0)
	for _, commits := range []int64{3, 3, 100, 7, 500} {
		if err := steps.Extend(commits); err != nil {
			t.Fatal(err)
		}
	}
	if steps.Commits() != 500 || steps.Bytes(500) != whole.Bytes(500) || !slices.Equal(steps.Pushes(499), whole.Pushes(499)) {
		t.Errorf("%d commits in steps: %d, at once %d", steps.Commits(), steps.Bytes(500), whole.Bytes(500))
	}
}

// TestProgramSettles compares what follows from the horizons that were worked out with the plain program.
func TestProgramSettles(t *testing.T) {
	settled := 0
	rapid.Check(t, func(t *rapid.T) {
		m := models(t)
		full := rapid.Int64Range(1, 25).Draw(t, "commits of a full leaf")
		m.LeafEntries = full * m.FilesPerCommit
		const commits = 700
		p := newProgram(t, m, commits)
		if p.Settled() {
			settled++
		}
		for n, want := range plain(m, commits) {
			if p.Bytes(int64(n)) != want {
				t.Fatalf("%+v, %d commits: %d, plainly %d; worked out to %d", m, n, p.Bytes(int64(n)), want, p.Commits())
			}
		}
		if cost := replay(t, m, p.Pushes(commits)); cost != p.Bytes(commits) {
			t.Fatalf("%+v: the plan costs %d, not %d", m, cost, p.Bytes(commits))
		}
	})
	if settled < 30 {
		t.Errorf("%d models settled", settled)
	}
}

// TestProgramSettlesOnTables has horizons for which no other way of counting is fast enough: each full leaf adds what it must.
func TestProgramSettlesOnTables(t *testing.T) {
	for _, k := range []int64{1, 10, 100, 1_000} {
		m := bound.Default(k).WholeLeaves()
		const commits = 100_000_000 / 7
		p, full := newProgram(t, m, commits), m.LeafEntries/k
		if !p.Settled() || p.Commits() > 100_000 {
			t.Errorf("k = %d: settled %t after %d commits", k, p.Settled(), p.Commits())
		}
		want := p.Bytes(full-1) + m.FilesPerCommit*m.EntryBytes*full + m.LeafFixedBytes + m.PointerBytes*(commits-full+1)
		if got := p.Bytes(commits) - p.Bytes(commits-full); got != want {
			t.Errorf("k = %d: the last full leaf adds %d, want %d", k, got, want)
		}
		if floor, err := m.Floor(commits); err != nil || floor > p.Bytes(commits) {
			t.Errorf("k = %d: %d is below the floor %d, %v", k, p.Bytes(commits), floor, err)
		}
	}
}

func TestProgramRefuses(t *testing.T) {
	if _, err := bound.NewProgram(bound.Model{LeafFixedBytes: -1, LooseBytes: -1, RootPointers: -1}); err == nil || strings.Count(err.Error(), "want a number") != 7 {
		t.Errorf("a model with seven faults: %v", err)
	}
	m := bound.Default(1)
	m.LeafEntries = math.MaxInt64
	if _, err := bound.NewProgram(m); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a cap beyond bounds: %v", err)
	}
	dear, small := bound.Default(10), bound.Default(10)
	dear.EntryBytes, small.LeafEntries = 1<<56, 1
	never := bound.Default(10)
	never.LeafEntries = 10 * 2_000_000
	for _, c := range []struct {
		m       bound.Model
		commits int64
		text    string
	}{
		{bound.Default(10), bound.MaxProgramCommits + 1, "no longer horizons follow"},
		{never, bound.MaxProgramCommits + 1, "no longer horizons follow"},
		{bound.Default(1), -1, "commits: -1"},
		{small, 100_000, "steps, it makes at most 2000000000"},
		{dear, 10, "too large"},
	} {
		p := newProgram(t, c.m, 0)
		if err := p.Extend(c.commits); err == nil || !strings.Contains(err.Error(), c.text) || p.Commits() != 0 {
			t.Errorf("%+v, %d commits: %v, want %q", c.m, c.commits, err, c.text)
		}
		if err := p.Check(c.commits); err == nil {
			t.Errorf("%+v, %d commits: checked", c.m, c.commits)
		}
	}
	// A leaf that costs more than ever comes back: nothing is settled after a million commits.
	never = bound.Default(10)
	never.LeafFixedBytes, never.LeafEntries = 1e11, 10
	p := newProgram(t, never, 0)
	if err := p.Extend(bound.MaxProgramCommits + 1); err == nil || p.Settled() || p.Commits() != bound.MaxProgramCommits {
		t.Errorf("leaves beyond price: %d commits, settled %t, %v", p.Commits(), p.Settled(), err)
	}
	if p := newProgram(t, dear, 0); !errors.Is(p.Check(10), bound.ErrTooLarge) {
		t.Error("the error is not ErrTooLarge")
	}
}

func BenchmarkProgram(b *testing.B) {
	for b.Loop() {
		newProgram(b, bound.Default(10), 20_000)
	}
}
