package treetext

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// printPositions prints a bitmap as its positions, {0,2-5}; one whose bytes are not canonical as its bytes.
func printPositions(data []byte) (string, bool) {
	if b, err := mdv.Parse(data); err == nil {
		if canonical, err := b.AppendBinary(nil); err == nil && bytes.Equal(canonical, data) {
			return "{" + b.String() + "}", true
		}
	}
	return formatBytes(data), data != nil
}

func parsePositions(text string) ([]byte, error) {
	if !strings.HasPrefix(text, "{") {
		return parseBytes(text)
	}
	b, err := mdv.ParseText(strings.TrimSuffix(text[1:], "}"))
	if err != nil {
		return nil, err
	}
	return b.AppendBinary([]byte{})
}

func printMask(e tree.Entry) (string, bool) { return printPositions(e.Manifest.Val.DV) }

// printVector prints where a row-level deletion vector is, and its cardinality: d.puffin@4+40#2.
func printVector(e tree.Entry) (string, bool) {
	dv := e.DeletionVector.Val
	cardinality := "#" + strconv.FormatInt(dv.Cardinality, 10)
	if dv.Location == "" && dv.OffsetBytes == 0 && dv.SizeBytes == 0 {
		return cardinality, e.DeletionVector.Valid
	}
	return fmt.Sprintf("%s@%d+%d%s", quote(dv.Location), dv.OffsetBytes, dv.SizeBytes, cardinality), e.DeletionVector.Valid
}

func clearVectorPlace(e *tree.Entry) {
	dv := &e.DeletionVector.Val
	dv.Location, dv.OffsetBytes, dv.SizeBytes = "", 0, 0
}

// isBitmap tells the deletion vector of a manifest from that of a file.
func isBitmap(text string) bool { return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "0x") }

// parseDV reads a manifest's deletion vector, {0,2-5}, or a file's.
func parseDV(e *tree.Entry, text string) (err error) {
	if isBitmap(text) && !strings.Contains(text, "#") {
		e.Manifest.Val.DV, err = parsePositions(text)
		return err
	}
	wrong := errors.New("want location@offset+size#cardinality, or positions in braces")
	place, cardinality, found := cutLast(text, '#')
	if !found {
		return wrong
	}
	dv := &e.DeletionVector.Val
	e.DeletionVector.Valid = true
	if dv.Cardinality, err = parseInt(cardinality, 64); err != nil {
		return err
	}
	if place == "" {
		return nil
	}
	place, size, foundSize := cutLast(place, '+')
	location, offset, foundOffset := cutLast(place, '@')
	if !foundSize || !foundOffset {
		return wrong
	}
	if dv.SizeBytes, err = parseInt(size, 64); err != nil {
		return err
	}
	if dv.OffsetBytes, err = parseInt(offset, 64); err != nil {
		return err
	}
	dv.Location, err = unquote(location)
	return err
}

// cutLast splits text at the last separator.
func cutLast(text string, separator byte) (before, after string, found bool) {
	i := strings.LastIndexByte(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// tally is one pair of a manifest's counts.
type tally struct {
	status tree.Status
	files  *int32
	rows   *int64
}

func tallies(m *tree.ManifestInfo) []tally {
	return []tally{
		{tree.Added, &m.AddedFiles, &m.AddedRows},
		{tree.Existing, &m.ExistingFiles, &m.ExistingRows},
		{tree.Deleted, &m.DeletedFiles, &m.DeletedRows},
		{tree.Replaced, &m.ReplacedFiles, &m.ReplacedRows},
		{tree.Modified, &m.ModifiedFiles, &m.ModifiedRows},
	}
}

// printCounts prints files and records by status: {added:3/300,deleted:1/10}.
func printCounts(e tree.Entry) (string, bool) {
	var parts []string
	for _, t := range tallies(&e.Manifest.Val) {
		if *t.files != 0 || *t.rows != 0 {
			parts = append(parts, fmt.Sprintf("%s:%d/%d", strings.ToLower(t.status.String()), *t.files, *t.rows))
		}
	}
	return "{" + strings.Join(parts, ",") + "}", len(parts) > 0
}

func clearCounts(e *tree.Entry) {
	for _, t := range tallies(&e.Manifest.Val) {
		*t.files, *t.rows = 0, 0
	}
}

func parseCounts(e *tree.Entry, text string) error {
	return eachMember(text, ":", func(name, counts string) error {
		for _, t := range tallies(&e.Manifest.Val) {
			if strings.ToLower(t.status.String()) != name {
				continue
			}
			before, after, _ := strings.Cut(counts, "/")
			files, err := parseInt(before, 32)
			if err != nil {
				return err
			}
			*t.files = int32(files)
			*t.rows, err = parseInt(after, 64)
			return err
		}
		return errors.New("there is no such status")
	})
}

// eachMember calls f with the name and the text of every member of {name:text,...}, or of {name=text,...}. A name
// given twice is an error.
func eachMember(text, separator string, f func(name, text string) error) error {
	items, err := list(text, '{', '}')
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, item := range items {
		name, member, found := strings.Cut(item, separator)
		if !found || seen[name] {
			return fmt.Errorf("%.40q is no name and text, or a second one", item)
		}
		seen[name] = true
		if err := f(name, member); err != nil {
			return fmt.Errorf("%.40s: %w", name, err)
		}
	}
	return nil
}

// eachColumn calls f with the id and the text of every member of {id:text,...}; ids ascend.
func eachColumn(text string, f func(id int, text string) error) error {
	last, begun := int64(0), false
	return eachMember(text, ":", func(name, text string) error {
		id, err := parseInt(name, 32)
		if err != nil {
			return err
		}
		if begun && id <= last {
			return errors.New("ids must ascend")
		}
		last, begun = id, true
		return f(int(id), text)
	})
}

var tupleAccess = value(func(e *tree.Entry) *tree.Tuple { return &e.Partition }, printTuple, parseTuple)

func printTuple(t tree.Tuple) (string, bool) {
	var parts []string
	for _, v := range t {
		parts = append(parts, fmt.Sprintf("%d:%s", v.FieldID, formatValue(v.Value)))
	}
	return "{" + strings.Join(parts, ",") + "}", t != nil
}

func parseTuple(text string) (tree.Tuple, error) {
	t := tree.Tuple{}
	err := eachColumn(text, func(id int, text string) error {
		v, err := parseValue(text)
		t = append(t, tree.PartitionValue{FieldID: id, Value: v})
		return err
	})
	return t, err
}

var splitsAccess = value(func(e *tree.Entry) *[]int64 { return &e.SplitOffsets }, printSplits, parseSplits)

func printSplits(offsets []int64) (string, bool) {
	var parts []string
	for _, offset := range offsets {
		parts = append(parts, strconv.FormatInt(offset, 10))
	}
	return "[" + strings.Join(parts, ",") + "]", offsets != nil
}

func parseSplits(text string) ([]int64, error) {
	items, err := list(text, '[', ']')
	if err != nil {
		return nil, err
	}
	offsets := []int64{}
	for _, item := range items {
		offset, err := parseInt(item, 64)
		if err != nil {
			return nil, err
		}
		offsets = append(offsets, offset)
	}
	return offsets, nil
}
