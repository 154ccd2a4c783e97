package world

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/internal/treetext"
	"github.com/firn-io/firn/tree"
)

// The record count and size of a file that a script does not describe.
const (
	defaultRecords = 100
	defaultBytes   = 1000
)

// noFileOptions are options of the commands that add files which do not describe these, by command.
var noFileOptions = map[string][]string{"add": {"by"}, "replace": {"by", "at"}, "compact": {"by", "at", "asof"}}

// files returns the data files of a command: its names, all with the fields of its options.
func (w *World) files(c command, names []string) ([]tree.File, error) {
	line := "loose ADDED file"
	for _, o := range c.options {
		if !slices.Contains(noFileOptions[c.verb], o.name) {
			line += " " + o.name + "=" + o.text
		}
	}
	doc, err := treetext.Parse(line)
	if err != nil {
		return nil, err
	}
	e := doc.Tree.Rows[0]
	file := tree.File{
		Format: e.FileFormat, RecordCount: e.RecordCount, FileSizeBytes: e.FileSizeBytes,
		SpecID: e.SpecID, Partition: e.Partition, Stats: e.Stats, SortOrderID: e.SortOrderID,
		SplitOffsets: e.SplitOffsets, KeyMetadata: e.KeyMetadata, DeletionVector: e.DeletionVector,
		DataSequenceNumber: e.Tracking.SequenceNumber,
	}
	if file.RecordCount == 0 {
		file.RecordCount = defaultRecords
	}
	if file.FileSizeBytes == 0 {
		file.FileSizeBytes = defaultBytes
	}
	if dv := &file.DeletionVector; dv.Valid {
		dv.Val.Location = tree.Resolve(w.names.location, dv.Val.Location)
	}
	if file.Partition != nil && !file.SpecID.Valid {
		file.SpecID = iceberg.Optional[int32]{Valid: true}
	}
	var files []tree.File
	for _, name := range names {
		file.Location = tree.Resolve(w.names.location, name)
		files = append(files, file)
	}
	return files, nil
}

// targets returns the files to remove or to change, by name or as a snapshot shows them.
func (w *World) targets(ctx context.Context, c command, names []string) ([]commit.Target, error) {
	var targets []commit.Target
	for _, name := range names {
		target := commit.Target{Location: tree.Resolve(w.names.location, name)}
		if _, describesFiles := noFileOptions[c.verb]; !describesFiles {
			n, err := c.number("seq", 0)
			if err != nil {
				return nil, err
			}
			target.FileSequenceNumber = iceberg.Optional[int64]{Val: n, Valid: n != 0}
		}
		if _, given := c.option("at"); given {
			located, err := w.find(ctx, c, target.Location)
			if err != nil {
				return nil, err
			}
			target = commit.At(located)
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// find returns a live file of a snapshot.
func (w *World) find(ctx context.Context, c command, location string) (tree.Located, error) {
	t, err := w.at(ctx, c)
	if err != nil {
		return tree.Located{}, err
	}
	for located, err := range tree.Live(ctx, t, tree.Full, w.codec.Leaves(w.objects)) {
		if err != nil {
			return tree.Located{}, err
		}
		if located.Location == location {
			return located, nil
		}
	}
	return tree.Located{}, fmt.Errorf("%s is not live there", location)
}

// number returns a number that an option gives.
func (c command) number(name string, otherwise int64) (int64, error) {
	text, given := c.option(name)
	if !given {
		return otherwise, nil
	}
	return strconv.ParseInt(text, 10, 64)
}

// yes reports whether an option says yes.
func (c command) yes(name string) (bool, error) {
	text, given := c.option(name)
	if given && text != "yes" {
		return false, fmt.Errorf("want %s=yes or no such option", name)
	}
	return given, nil
}

// unquote returns the text of an option that may be quoted.
func unquote(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}
