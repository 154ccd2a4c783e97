package treetext

import (
	"fmt"
	"strings"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// Doc is a tree together with the rows of those leaves that are to be shown.
type Doc struct {
	Tree tree.Tree
	// Leaves are rows by the stored location of their pointer, raw or after inheritance. The rows of a leaf that no
	// pointer names are not printed.
	Leaves map[string][]tree.Row
}

// Hide is a set of parts of the text form.
type Hide uint

// The parts that can be left out.
const (
	// HideHeader hides the snapshot's line.
	HideHeader Hide = 1 << iota
	// HideNumbers hides ids, sequence numbers, row ids and timestamps.
	HideNumbers
	// HideCounts hides a manifest's counts by status and its lowest sequence number.
	HideCounts
	// HideFile hides format, size, spec, partition, sort order, key metadata, split offsets, and of a file's deletion
	// vector all but its cardinality.
	HideFile
	// HideStats hides statistics.
	HideStats
	// HideForeign hides foreign columns.
	HideForeign

	// Short hides all of these: what is left is kind, status, location, counts of live rows and of records, bitmaps and
	// the cardinality of deletion vectors.
	Short = HideHeader | HideNumbers | HideCounts | HideFile | HideStats | HideForeign
)

// Options say how a tree is printed. The zero Options hide nothing.
type Options struct {
	Hide Hide
}

// Format prints the tree, a line for every row, and below a pointer the rows of its leaf if they are given.
func (d Doc) Format(o Options) string {
	shown := d.Shown(o)
	var b strings.Builder
	if o.Hide&HideHeader == 0 {
		b.WriteString(formatHeader(shown.Tree))
		b.WriteByte('\n')
	}
	for i, e := range shown.Tree.Rows {
		b.WriteString(formatRow(e, d.live(d.Tree.Rows[i])))
		b.WriteByte('\n')
		if !e.Content.IsManifest() {
			continue
		}
		mask, _ := maskOf(e)
		for _, row := range shown.Leaves[e.Location] {
			fmt.Fprintf(&b, "  %d %s\n", row.Position, formatLeafRow(row, mask))
		}
		delete(shown.Leaves, e.Location) // shown once
	}
	return b.String()
}

// Shown returns the part of the tree that these options print: hidden fields have their null or default value, and
// leaves without a pointer are gone.
func (d Doc) Shown(o Options) Doc {
	shown := Doc{Tree: d.Tree}
	if o.Hide&HideHeader != 0 {
		shown.Tree = tree.Tree{}
	}
	shown.Tree.Rows = nil
	for _, e := range d.Tree.Rows {
		shown.Tree.Rows = append(shown.Tree.Rows, o.shown(e))
		if !e.Content.IsManifest() || shown.Leaves[e.Location] != nil {
			continue
		}
		for _, row := range d.Leaves[e.Location] {
			if shown.Leaves == nil {
				shown.Leaves = map[string][]tree.Row{}
			}
			row.Entry = o.shown(row.Entry)
			shown.Leaves[e.Location] = append(shown.Leaves[e.Location], row)
		}
	}
	return shown
}

func (o Options) shown(e tree.Entry) tree.Entry {
	for _, f := range fields {
		if o.Hide&f.hide != 0 {
			f.clear(&e)
		}
	}
	return e
}

// unknownLive stands for the number of live rows of a manifest whose deletion vector cannot be read.
const unknownLive = "?"

// live returns how many rows of a manifest live: by its rows where they are given, else by its counts, less what is
// masked.
func (d Doc) live(ref tree.Entry) string {
	if !ref.Content.IsManifest() {
		return ""
	}
	mask, err := maskOf(ref)
	if err != nil {
		return unknownLive
	}
	count := int64(0)
	if rows := d.Leaves[ref.Location]; len(rows) > 0 {
		for _, row := range rows {
			if row.Entry.Tracking.Status.Live() && !isMasked(mask, row.Position) {
				count++
			}
		}
		return fmt.Sprint(count)
	}
	info := ref.Manifest.Val
	switch masked := int64(mask.Cardinality()); {
	case masked == ref.RecordCount:
		return "0"
	case masked > 0 && info.DeletedFiles+info.ReplacedFiles > 0:
		return unknownLive // the mask may hold dead rows too
	}
	count = int64(info.AddedFiles) + int64(info.ExistingFiles) + int64(info.ModifiedFiles) - int64(mask.Cardinality())
	return fmt.Sprint(max(count, 0))
}

func maskOf(ref tree.Entry) (mdv.Bitmap, error) {
	if ref.Manifest.Val.DV == nil {
		return mdv.Bitmap{}, nil
	}
	return mdv.Parse(ref.Manifest.Val.DV)
}

func isMasked(mask mdv.Bitmap, position int64) bool {
	return 0 <= position && position <= mdv.MaxPosition && mask.Contains(uint32(position))
}
