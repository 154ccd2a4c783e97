package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// boundAnswer is what firn policy bound prints in JSON.
type boundAnswer struct {
	Commits    int64
	LeafCap    int64  `json:"leaf_cap"`
	ClosedForm int64  `json:"closed_form_bytes"`
	LowerBound int64  `json:"lower_bound_bytes"`
	Optimum    *int64 `json:"optimum_bytes"`
	Total      *int64 `json:"optimum_total_bytes"`
	Note       *string
}

func boundJSON(t *testing.T, flags string) boundAnswer {
	t.Helper()
	text := do(t, strings.Fields("policy bound --output json "+flags)...)
	var a boundAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return a
}

func TestPolicyBound(t *testing.T) {
	for flags, want := range map[string][3]int64{
		"--files-per-commit 10 --commits 20000":                            {16_547, 23_109, 23_109},
		"--files-per-commit 1000 --commits 20000":                          {588_685, 670_441, 673_625},
		"--files-per-commit 10 --commits 20000 --leaf-fixed-bytes 2000":    {16_547, 17_792, 17_792},
		"--files-per-commit 10 --commits 10000000 --leaf-cap 30400":        {26_766, 581_804, 581_804},
		"--files-per-commit 1 --commits 1":                                 {552, 276, 276},
		"--files-per-commit 2 --commits 4 --leaf-cap 3 --entry-bytes 1000": {2_850, 5_000, 5_000},
		"--files-per-commit 10 --commits 20000 --leaf-cap 3300 --entry-bytes 2500 --pointer-bytes 2600 --leaf-fixed-bytes 125000": {
			141_661, 234_799, 234_799},
	} {
		a := boundJSON(t, flags)
		if a.Optimum == nil || a.Total == nil || a.Note != nil {
			t.Errorf("%s: no optimum: %+v", flags, a)
			continue
		}
		if got := [3]int64{a.ClosedForm, a.LowerBound, *a.Optimum}; got != want {
			t.Errorf("%s: %d, want %d", flags, got, want)
		}
		if low, high := (*a.Optimum-1)*a.Commits, (*a.Optimum+1)*a.Commits; *a.Total < low || *a.Total > high {
			t.Errorf("%s: %d bytes a commit, %d in all", flags, *a.Optimum, *a.Total)
		}
	}
}

// TestPolicyBoundTooLong has no optimum, and says so.
func TestPolicyBoundTooLong(t *testing.T) {
	for flags, note := range map[string]string{
		"--files-per-commit 10 --commits 1000001":                     "the program works out 1000000",
		"--files-per-commit 70000 --commits 200000":                   "steps, it makes at most",
		"--files-per-commit 10 --commits 2000000 --leaf-cap 10000000": "no longer horizons follow",
	} {
		a := boundJSON(t, flags)
		if a.Optimum != nil || a.Total != nil || a.Note == nil || !strings.Contains(*a.Note, note) || a.LowerBound <= 0 {
			t.Errorf("%s: %+v, want no optimum: %s", flags, a, note)
		}
	}
	text := do(t, strings.Fields("policy bound --files-per-commit 10 --commits 1000001")...)
	if !strings.Contains(text, "\nnote ") || strings.Contains(text, "optimum_bytes") {
		t.Errorf("text: %s", text)
	}
}

func TestPolicyBoundForms(t *testing.T) {
	flags := strings.Fields("policy bound --files-per-commit 10 --commits 1000")
	compare(t, "policy-bound", do(t, flags...)+do(t, append(flags, "--output", "tsv")...)+do(t, append(flags, "--output", "json")...))
}

// TestPolicyBoundRefuses reports all that is wrong at once.
func TestPolicyBoundRefuses(t *testing.T) {
	for flags, texts := range map[string][]string{
		"": {"--files-per-commit is needed", "--commits is needed"},
		"--files-per-commit 0 --commits=-3 --entry-bytes x --pointer-bytes 1.5 --leaf-fixed-bytes=-1 --leaf-cap 99999999999999999999": {
			"--files-per-commit takes a number from 1, not 0", "--commits takes a number from 1, not -3", "--entry-bytes takes a number from 1, not x",
			"--pointer-bytes takes a number from 1, not 1.5", "--leaf-fixed-bytes takes a number from 0, not -1",
			"--leaf-cap takes a number of at most 63 bits, not 99999999999999999999"},
		"--files-per-commit 9000000000000000000 --commits 1 --leaf-cap 9000000000000000000": {"files per commit: 9", "entries of a leaf: 9"},
		"--files-per-commit 1000 --commits 9000000000000000000":                             {"too large to count in 64 bits"},
		"--files-per-commit 1 --commits 1 extra":                                            {"takes no words, not 1 word"},
	} {
		for _, text := range texts {
			refuse(t, 2, text, strings.Fields("policy bound "+flags)...)
		}
	}
}
