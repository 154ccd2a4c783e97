package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/firn-io/firn/bench/internal/document"
)

// report is what was measured, and how it compares.
type report struct {
	files   int
	results []*result
	ratios  []ratioRow
	// peers are the labels of iceberg-go's tables, in the order of the columns of ratios.
	peers  []string
	judged int
	missed []string
}

// ratioRow is iceberg-go's time divided by firn's, for one change of one of firn's tables.
type ratioRow struct {
	kind  kind
	label string
	cells []string
}

// judge compares the two sides and holds the ratios to their limits.
func judge(results []*result, o options) (report, error) {
	r := report{files: o.files, results: results}
	for _, perManifest := range icebergLayouts(o) {
		r.peers = append(r.peers, manifestsLabel(o.files, perManifest))
	}
	for _, own := range results {
		if own.side != firnSide {
			continue
		}
		row := ratioRow{kind: own.kind, label: own.label}
		for i, label := range r.peers {
			peer := find(results, label, own.kind.peer())
			if peer == nil {
				return report{}, fmt.Errorf("nothing measured of %s: %s", label, own.kind.peer())
			}
			ratio, limit := float64(peer.median())/float64(own.median()), limitOf(own.kind, i)
			text := cell(ratio, limit)
			row.cells = append(row.cells, text)
			if limit == 0 {
				continue
			}
			r.judged++
			if ratio < limit {
				r.missed = append(r.missed, fmt.Sprintf("%s, firn with %s, against %s: %s", own.kind, own.label, label, text))
			}
		}
		r.ratios = append(r.ratios, row)
	}
	return r, nil
}

// limitOf returns the least ratio that is asked of a change against one of iceberg-go's tables; 0 is none.
func limitOf(k kind, peer int) float64 {
	if k != remove {
		return 0
	}
	return [...]float64{500, 20}[peer]
}

// cell returns the ratio with its limit, if it has one, as in "612 ≥ 500"; a miss is bold.
func cell(ratio, limit float64) string {
	switch {
	case limit == 0:
		return document.Count(ratio)
	case ratio < limit:
		return fmt.Sprintf("**%s, not ≥ %s**", document.Count(ratio), document.Count(limit))
	}
	return fmt.Sprintf("%s ≥ %s", document.Count(ratio), document.Count(limit))
}

// find returns the result of iceberg-go for a change of one of its tables, or nil.
func find(results []*result, label string, k kind) *result {
	for _, r := range results {
		if r.side == icebergSide && r.label == label && r.kind == k {
			return r
		}
	}
	return nil
}

// markdown returns the report as a section of a document.
func (r report) markdown(machine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by %s.\n", machine)
	fmt.Fprintf(&b, "\n### One commit, against iceberg-go v0.7: how many times less processor time\n\n")
	document.Header(&b, append([]string{"change", "firn's table"}, prefixed("against ", r.peers)...)...)
	for _, row := range r.ratios {
		document.Row(&b, append([]string{row.kind.String(), row.label}, row.cells...)...)
	}
	fmt.Fprintf(&b, "\n### One commit on a table of %s files\n\n", document.Count(float64(r.files)))
	document.Header(&b, "change", "table", "processor time, median, ms", "least, ms", "commits", "objects written", "bytes written")
	for _, m := range r.results {
		last := m.samples[len(m.samples)-1]
		document.Row(&b, m.kind.String(), m.side+", "+m.label, millis(m.median()), millis(m.least()), strconv.Itoa(len(m.samples)),
			strconv.Itoa(last.objects), document.Count(float64(last.bytes)))
	}
	document.Verdict(&b, r.judged, r.missed)
	return b.String()
}

func manifestsLabel(files, perManifest int) string {
	n := (files + perManifest - 1) / perManifest
	return fmt.Sprintf("%s of %s", plural(n, "manifest"), plural(perManifest, "file"))
}

func leavesLabel(files, perLeaf int) string {
	n := (files + perLeaf - 1) / perLeaf
	return fmt.Sprintf("%s of %s", plural(n, "leaf"), plural(perLeaf, "file"))
}

func looseLabel(files int) string { return plural(files, "loose file") }

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "leaf":
		noun = "leave"
	}
	return document.Count(float64(n)) + " " + noun + "s"
}

func prefixed(prefix string, texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, prefix+text)
	}
	return all
}

func millis(d time.Duration) string { return document.Count(float64(d) / float64(time.Millisecond)) }
