package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun measures small tables: every commit does what it should on both sides, every table is rewound, and the report
// lands in a document.
func TestRun(t *testing.T) {
	document := filepath.Join(t.TempDir(), "d.md")
	if err := os.WriteFile(document, []byte("a\n"+section.Begin+"old\n"+section.End+"b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	folder := t.TempDir()
	args := []string{"-files", "20", "-leaf-files", "5", "-rounds", "1", "-folder", folder, "-write", document}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"against 20 manifests of 1 file", "against 4 manifests of 5 files", "\n| remove a file | 4 leaves of 5 files | ",
		"\n| append a file, check for duplicates | 20 loose files | ", "\n6 figures have a limit, ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	written, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\n" + section.Begin + "\n" + out.String() + "\n" + section.End + "b\n"; string(written) != want {
		t.Errorf("the document holds\n%s", written)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := run(t.Context(), append(args, "-check"), io.Discard, io.Discard); err == nil {
		t.Error("20 files can hardly reach the limits of 10,000, but the check found no miss")
	}
}

// TestMeasureRewinds: a commit leaves the table as it was, and what it wrote is counted.
func TestMeasureRewinds(t *testing.T) {
	o := options{files: 6, leafFiles: 3, rounds: 1}
	b, err := openBench(t.Context(), t.TempDir(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, s := range b.subjects {
		for number := range 3 {
			got, err := b.measure(t.Context(), s, appendChecked, number)
			if err != nil {
				t.Fatal(err)
			}
			if got.objects < 2 || got.bytes == 0 || got.cpu <= 0 {
				t.Errorf("%s: %+v", s.label, got)
			}
			if n, err := s.live(t.Context()); n != o.files || err != nil {
				t.Errorf("%s: %d live files after rewinding, %v", s.label, n, err)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	o := options{files: 10, leafFiles: 5}
	results := []*result{
		{side: firnSide, label: "own", kind: remove, samples: []sample{{cpu: 3}, {cpu: 1}, {cpu: 2}}},
		{side: icebergSide, label: manifestsLabel(10, 1), kind: remove, samples: []sample{{cpu: 1000 * time.Nanosecond}}},
		{side: icebergSide, label: manifestsLabel(10, 5), kind: remove, samples: []sample{{cpu: 39 * time.Nanosecond}}},
	}
	r, err := judge(results, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.ratios[0].cells, "; "); got != "500 ≥ 500; **19.5, not ≥ 20**" {
		t.Error(got)
	}
	if r.judged != 2 || len(r.missed) != 1 {
		t.Errorf("%d judged, missed %q", r.judged, r.missed)
	}
	if _, err := judge(results[:2], o); err == nil {
		t.Error("a missing measurement passed")
	}
}
