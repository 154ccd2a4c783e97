package treetext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// maxBitmapBytes limits what the bitmaps of one text may take: a range of positions is short, its bitmap is not.
const maxBitmapBytes = 32 << 20

// Parse reads the text form of a tree. An error names the line and the field.
func Parse(text string) (Doc, error) {
	var p parser
	for line := range strings.Lines(text) {
		p.number++
		if err := p.line(strings.TrimRight(line, " \t\r\n")); err != nil {
			return Doc{}, fmt.Errorf("treetext: line %d: %w", p.number, err)
		}
	}
	for i, c := range p.claims {
		if err := p.verify(i, c); err != nil {
			return Doc{}, fmt.Errorf("treetext: line %d: %w", c.line, err)
		}
	}
	return p.doc, nil
}

// parser collects a tree line by line.
type parser struct {
	doc    Doc
	number int // of the line
	// claims are what the lines of the root's rows say about live rows.
	claims []claim
	// mask is that of the last row, and leaf its location if the rows that follow are its leaf's.
	mask        mdv.Bitmap
	begun       bool // a line was read
	bitmapBytes int
}

type claim struct {
	live string
	line int
	// leaf says that rows of the leaf follow the line.
	leaf bool
}

func (p *parser) line(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	row, err := words(strings.ReplaceAll(line, "\t", " "))
	if err != nil {
		return err
	}
	first := !p.begun
	p.begun = true
	switch {
	case line[0] == ' ' || line[0] == '\t':
		return p.leafRow(row)
	case row[0] != headerWord:
		return p.rootRow(row)
	case !first:
		return errors.New("the snapshot's line comes first")
	}
	return parseHeader(&p.doc.Tree, row[1:])
}

func (p *parser) rootRow(row []string) error {
	parsed, err := parseRow(row, false)
	if err != nil {
		return err
	}
	p.doc.Tree.Rows = append(p.doc.Tree.Rows, parsed.entry)
	p.claims = append(p.claims, claim{live: parsed.live, line: p.number})
	p.mask, _ = maskOf(parsed.entry) // an unreadable one masks nothing here
	return p.charge(parsed.entry)
}

func (p *parser) leafRow(row []string) error {
	last := len(p.claims) - 1
	if last < 0 || !p.doc.Tree.Rows[last].Content.IsManifest() {
		return errors.New("an indented row belongs to a manifest, and there is none above it")
	}
	ref := p.doc.Tree.Rows[last]
	if !p.claims[last].leaf && p.doc.Leaves[ref.Location] != nil {
		return errors.New("the rows of this leaf stand above already")
	}
	p.claims[last].leaf = true
	position, err := parseInt(row[0], 64)
	if err != nil {
		return fmt.Errorf("position: %w", err)
	}
	parsed, err := parseRow(row[1:], true)
	if err != nil {
		return err
	}
	if parsed.masked != isMasked(p.mask, position) {
		return fmt.Errorf("row %d is marked as masked, or not, against the deletion vector of its manifest", position)
	}
	if p.doc.Leaves == nil {
		p.doc.Leaves = map[string][]tree.Row{}
	}
	p.doc.Leaves[ref.Location] = append(p.doc.Leaves[ref.Location], tree.Row{Position: position, Entry: parsed.entry})
	return p.charge(parsed.entry)
}

// charge counts the bytes of an entry's bitmaps against the limit.
func (p *parser) charge(e tree.Entry) error {
	p.bitmapBytes += len(e.Manifest.Val.DV) + len(e.Tracking.DeletedPositions) + len(e.Tracking.ReplacedPositions)
	if p.bitmapBytes > maxBitmapBytes {
		return fmt.Errorf("the bitmaps take more than %d bytes", maxBitmapBytes)
	}
	return nil
}

// verify compares the number of live rows in the text with the one that follows from counts, rows and bitmaps, unless
// it cannot be known.
func (p *parser) verify(row int, c claim) error {
	ref := p.doc.Tree.Rows[row]
	_, counted := printCounts(ref)
	known := counted || p.doc.Leaves[ref.Location] != nil
	want := p.doc.live(ref)
	if known && c.live != "" && c.live != unknownLive && want != unknownLive && c.live != want {
		return fmt.Errorf("live: it says %s rows, but there are %s", c.live, want)
	}
	return nil
}
