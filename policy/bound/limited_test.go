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

func limited(t interface{ Fatal(...any) }, m bound.Model, commits int) []int64 {
	bytes, err := m.Limited(commits)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// plainLimited is the recursion as it is written down, for so many pointers.
func plainLimited(m bound.Model, pointers, commits int) []int64 {
	before := make([]int64, commits+1)
	for n := range before {
		before[n] = m.FilesPerCommit * loosePrice(m) * int64(n) * int64(n+1) / 2
	}
	loose := before
	for range pointers {
		now := slices.Clone(loose)
		for n := 1; n <= commits; n++ {
			for j := 1; j <= n; j++ {
				own := m.FilesPerCommit*m.EntryBytes*int64(j) + m.LeafFixedBytes + m.PointerBytes*int64(n-j+1)
				now[n] = min(now[n], now[j-1]+before[n-j]+own)
			}
		}
		before = now
	}
	return before
}

// TestLimitedIsThePlainRecursion compares all horizons.
func TestLimitedIsThePlainRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := models(t)
		m.RootPointers = rapid.Int64Range(1, 12).Draw(t, "pointers")
		commits := rapid.IntRange(0, 120).Draw(t, "commits")
		if got, want := limited(t, m, commits), plainLimited(m, int(m.RootPointers), commits); !slices.Equal(got, want) {
			t.Fatalf("%+v: %d, plainly %d", m, got, want)
		}
	})
}

// TestLimitedIsTheSearch holds the bound to a search over every plan that keeps the limit, plans that split commits included. Where
// leaves have no cap it is what the cheapest one writes, and where they have one it is no more.
func TestLimitedIsTheSearch(t *testing.T) {
	binding := 0
	for k, commits := range map[int64]int{1: 20, 2: 10, 3: 6, 4: 5} {
		s := newSearch(t, int(k)*commits)
		grid(k, func(m bound.Model) {
			for _, pointers := range []int64{1, 2, 3} {
				m.RootPointers = pointers
				got, best := limited(t, m, commits), searched(t, s, m, commits)
				for n, bytes := range best {
					if got[n] > bytes || m.LeafEntries == bound.Uncapped && got[n] < bytes {
						t.Fatalf("%+v, %d commits: %d, the search has %d", m, n, got[n], bytes)
					}
				}
				if unlimited := newProgram(t, m, commits); m.LeafEntries == bound.Uncapped && unlimited.Bytes(int64(commits)) < got[commits] {
					binding++
				}
			}
		})
	}
	if binding < 100 {
		t.Errorf("only %d models write more because of the limit", binding)
	}
}

// TestLimitedWithRoom is the program wherever the limit is out of reach.
func TestLimitedWithRoom(t *testing.T) {
	for _, k := range []int64{1, 10, 1000} {
		m := bound.Default(k)
		m.LeafEntries = bound.Uncapped / k * k
		const commits = 2_000
		program := newProgram(t, m, commits)
		for _, pointers := range []int64{0, commits} {
			m.RootPointers = pointers
			for n, bytes := range limited(t, m, commits) {
				if bytes != program.Bytes(int64(n)) {
					t.Fatalf("%+v, %d commits: %d, the program has %d", m, n, bytes, program.Bytes(int64(n)))
				}
			}
		}
	}
}

func TestLimitedRefuses(t *testing.T) {
	m := bound.Default(1)
	if _, err := m.Limited(bound.MaxProgramCommits + 1); err == nil || !strings.Contains(err.Error(), "there may be 1000000") {
		t.Errorf("too many commits: %v", err)
	}
	if _, err := m.Limited(-1); err == nil {
		t.Error("a negative horizon is taken")
	}
	m.EntryBytes = math.MaxInt64 / 2
	if _, err := m.Limited(10); !errors.Is(err, bound.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}
