package mergeappend_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/policy/mergeappend"
)

// TestMerge: the newest bin waits until it has enough manifests, older ones do not, and a manifest that fills a bin stays alone.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name    string
		fixed   int64 // what a manifest takes beside a byte for each file
		appends []int64
		want    []int64 // the files of each manifest, oldest first
		merged  int     // by the last append
	}{
		{"too few", 0, []int64{1, 2}, []int64{1, 2}, 0},
		{"enough", 0, []int64{1, 2, 3}, []int64{6}, 3},
		{"and on with the merged one", 0, []int64{1, 2, 3, 1, 1}, []int64{8}, 3},
		{"an older bin is merged at once", 0, []int64{4, 4, 3}, []int64{8, 3}, 2},
		{"but not one alone", 0, []int64{9, 4}, []int64{9, 4}, 0},
		{"larger than a bin", 0, []int64{4, 20, 1}, []int64{4, 20, 1}, 0},
		{"a full bin stays", 0, []int64{5, 5, 1, 1, 1, 1}, []int64{10, 3, 1}, 0},
		{"what is merged is smaller", 1, []int64{3, 3, 2}, []int64{6, 2}, 2},
		{"and so it is merged again", 1, []int64{3, 3, 2, 1}, []int64{8, 1}, 2},
	} {
		table := mergeappend.Table{Sizes: mergeappend.Sizes{ManifestBytes: c.fixed, EntryBytes: 1}, MinCount: 3, TargetBytes: 10}
		var cost mergeappend.Cost
		for _, files := range c.appends {
			cost = table.Append(files)
		}
		if diff := cmp.Diff(c.want, table.ManifestFiles()); diff != "" || cost.Merged != c.merged {
			t.Errorf("%s: merged %d, want %d; %s", c.name, cost.Merged, c.merged, diff)
		}
	}
}

// TestAppendCounts: a commit pays for its own manifest, for the merged one in which that is, and for the list of what is left. Entries
// of earlier commits are carried.
func TestAppendCounts(t *testing.T) {
	table := mergeappend.Table{MinCount: 2, Sizes: mergeappend.Sizes{
		ManifestBytes: 1000, EntryBytes: 100, CarriedBytes: 10, ListBytes: 7000, RowBytes: 50, MergedRowBytes: 5,
	}}
	for i, want := range []mergeappend.Cost{
		{ListBytes: 7050, ManifestBytes: 1300, Objects: 2},
		{ListBytes: 7055, ManifestBytes: 1400 + 1000 + 4*100 + 3*100 + 3*10, Objects: 3, Merged: 2},
		{},
	} {
		got := table.Append([]int64{3, 4, 0}[i])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("append %d: %s", i, diff)
		}
	}
	if table.Manifests() != 1 || table.Files != 7 {
		t.Errorf("%d manifests, %d files", table.Manifests(), table.Files)
	}
}

// TestFastAppend: without merges each commit adds a manifest and nothing more.
func TestFastAppend(t *testing.T) {
	table := mergeappend.Table{Sizes: mergeappend.Estimate(20), Fast: true}
	for i := range 300 {
		if cost := table.Append(10); cost.Objects != 2 || cost.Merged != 0 || cost.ManifestBytes != table.Sizes.Manifest(10, 0) {
			t.Fatalf("append %d: %+v", i, cost)
		}
	}
	if table.Manifests() != 300 {
		t.Errorf("%d manifests", table.Manifests())
	}
}

// TestEveryFileIsListed: whatever the commits, each file is in a manifest, and the newest bin is the only one of more than one manifest.
func TestEveryFileIsListed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := mergeappend.Table{
			Sizes: mergeappend.Estimate(rapid.IntRange(0, 100).Draw(t, "columns")), Fast: rapid.Bool().Draw(t, "fast"),
			MinCount: rapid.IntRange(0, 12).Draw(t, "min count"), TargetBytes: rapid.Int64Range(0, 200_000).Draw(t, "target"),
		}
		var sum int64
		for _, n := range rapid.SliceOfN(rapid.Int64Range(-1, 500), 1, 120).Draw(t, "appends") {
			before := table.Manifests()
			cost := table.Append(n)
			sum += max(0, n)
			if table.Listed() != sum || table.Files != sum {
				t.Fatalf("%d files were added, the table has %d, %d of them listed", sum, table.Files, table.Listed())
			}
			if n > 0 && cost.ListBytes < table.Sizes.List(table.Manifests(), 0) || cost.Objects < 2 && n > 0 {
				t.Fatalf("cost %+v with %d manifests", cost, table.Manifests())
			}
			if n > 0 && table.Manifests() != before+1-cost.Merged+(max(2, cost.Objects)-2) {
				t.Fatalf("%d manifests, before %d, %+v", table.Manifests(), before, cost)
			}
		}
	})
}

// TestTheory: with the prices of an older estimate, which took it that a manifest is left alone once it is full, the bins of the real
// rule cost more: a bin that is merged gets smaller, and takes in more again.
func TestTheory(t *testing.T) {
	for _, c := range []struct {
		files, commits int64
		estimate, want float64
	}{{1, 100_000, 54_600, 73_206}, {10, 100_000, 62_800, 84_629}, {100, 10_000, 112_000, 151_942}} {
		table := mergeappend.Table{Sizes: mergeappend.Sizes{ManifestBytes: 4850, EntryBytes: 276, ListBytes: 3430, RowBytes: 120}}
		var sum int64
		for range c.commits {
			cost := table.Append(c.files)
			sum += cost.Bytes()
		}
		got := math.Round(float64(sum) / float64(c.commits))
		if got != c.want || got < c.estimate {
			t.Errorf("%d files a commit: %.0f bytes, want %.0f, at least %.0f", c.files, got, c.want, c.estimate)
		}
	}
}
