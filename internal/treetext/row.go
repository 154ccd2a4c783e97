package treetext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/firn-io/firn/mdv"
	"github.com/firn-io/firn/tree"
)

// kind is the first word of a row: what it stands for, and the format version that goes without saying.
type kind struct {
	word    string
	content tree.Content
	version int32
}

// kinds are all kinds of rows. The first one that fits a manifest's content and version names it, else the first one
// that fits its content.
var kinds = []kind{
	{"loose", tree.Data, 0},
	{"leaf", tree.DataManifest, tree.FormatVersion},
	{"legacy", tree.DataManifest, 0},
	{"deletes", tree.DeleteManifest, 0},
	{"posdel", tree.PositionDeletes, 0},
	{"eqdel", tree.EqualityDeletes, 0},
	{"unknown", 0, 0},
}

// The words of a row that are no fields.
const (
	wordMasked = "masked"
	// wordInfo and wordNoInfo say that a row breaks the rule that manifest_info is set exactly for manifests
	// (rules 2.1.3).
	wordInfo, wordNoInfo = "info", "noinfo"
	wordNoStatus         = "?"
	wordLive             = "live"
	wordVersion          = "version"
)

func kindOf(e tree.Entry) kind {
	for _, k := range kinds {
		if k.content == e.Content && e.Manifest.Valid && k.version == e.Manifest.Val.FormatVersion {
			return k
		}
	}
	for _, k := range kinds {
		if k.content == e.Content {
			return k
		}
	}
	return kinds[len(kinds)-1]
}

// formatRow prints a row of a root.
func formatRow(e tree.Entry, live string) string {
	return kindOf(e).word + " " + formatEntry(e, live)
}

// formatLeafRow prints a row of a leaf, without its position.
func formatLeafRow(row tree.Row, mask mdv.Bitmap) string {
	var b strings.Builder
	if isMasked(mask, row.Position) {
		b.WriteString(wordMasked + " ")
	}
	if row.Entry.Content != tree.Data {
		b.WriteString(kindOf(row.Entry).word + " ")
	}
	b.WriteString(formatEntry(row.Entry, unknownLive))
	return b.String()
}

// formatEntry prints what follows the kind.
func formatEntry(e tree.Entry, live string) string {
	var b strings.Builder
	status := wordNoStatus
	if e.Tracking.Status != 0 {
		status = e.Tracking.Status.String()
	}
	fmt.Fprintf(&b, "%s %s", status, quote(e.Location))
	isManifest := e.Content.IsManifest()
	switch {
	case isManifest && !e.Manifest.Valid:
		b.WriteString(" " + wordNoInfo)
	case !isManifest && e.Manifest.Valid:
		b.WriteString(" " + wordInfo)
	}
	if isManifest {
		fmt.Fprintf(&b, " %s=%s/%d", wordLive, live, e.RecordCount)
	}
	if version := e.Manifest.Val.FormatVersion; e.Manifest.Valid && version != kindOf(e).version {
		fmt.Fprintf(&b, " %s=%d", wordVersion, version)
	}
	for _, f := range fields {
		if text, shown := f.print(e); shown {
			fmt.Fprintf(&b, " %s=%s", f.name, text)
		}
	}
	return b.String()
}

// parsed is a row with what its text claims beyond the entry.
type parsed struct {
	entry tree.Entry
	// live is the number of live rows as it stands in the text; empty for a row without.
	live   string
	masked bool
}

// parseRow reads the words of a row; those of a leaf may lack the kind.
func parseRow(row []string, inLeaf bool) (parsed, error) {
	var p parsed
	if inLeaf && len(row) > 0 && row[0] == wordMasked {
		p.masked, row = true, row[1:]
	}
	if len(row) < 2 {
		return p, errors.New("want kind, status and location")
	}
	k, found := kindNamed(row[0])
	switch {
	case found:
		row = row[1:]
	case inLeaf:
		k = kinds[0]
	default:
		return p, fmt.Errorf("%.40q is no kind of row", row[0])
	}
	if len(row) < 2 {
		return p, errors.New("want kind, status and location")
	}
	e := &p.entry
	e.Content, e.FileFormat = k.content, defaultFormat
	e.Manifest.Valid = k.content.IsManifest()
	e.Manifest.Val.FormatVersion = k.version
	var err error
	if e.Tracking.Status, err = parseStatus(row[0]); err != nil {
		return p, err
	}
	if e.Location, err = unquote(row[1]); err != nil {
		return p, err
	}
	return p, p.parseFields(row[2:])
}

func kindNamed(word string) (kind, bool) {
	for _, k := range kinds {
		if k.word == word {
			return k, true
		}
	}
	return kind{}, false
}

func parseStatus(word string) (tree.Status, error) {
	if word == wordNoStatus {
		return 0, nil
	}
	return tree.ParseStatus(word)
}

// parseFields reads the words after the location.
func (p *parsed) parseFields(row []string) error {
	seen := map[string]bool{}
	for _, word := range row {
		name, text, _ := strings.Cut(word, "=")
		key := name
		if isBitmap(text) && !strings.Contains(text, "#") {
			key += "{}" // the two fields called dv
		}
		if seen[key] {
			return fmt.Errorf("%.40s is given twice", name)
		}
		seen[key] = true
		if err := p.parseField(name, text); err != nil {
			return fmt.Errorf("%.40s: %w", name, err)
		}
	}
	if m := p.entry.Manifest; !m.Valid && !isBlank(m.Val) {
		return errors.New("a row without manifest info has fields of it")
	}
	return nil
}

// isBlank reports whether nothing is set.
func isBlank(m tree.ManifestInfo) bool {
	for _, t := range tallies(&m) {
		if *t.files != 0 || *t.rows != 0 {
			return false
		}
	}
	return m.MinSequenceNumber == 0 && m.DV == nil && m.FormatVersion == 0
}

func (p *parsed) parseField(name, text string) error {
	e := &p.entry
	switch name {
	case wordInfo:
		e.Manifest.Valid = true
		return nil
	case wordNoInfo:
		e.Manifest = iceberg.Optional[tree.ManifestInfo]{}
		return nil
	case wordLive:
		live, all, _ := strings.Cut(text, "/")
		if _, err := strconv.ParseUint(live, 10, 63); err != nil && live != unknownLive {
			return errors.New("want the number of live rows, or ?, and the number of rows")
		}
		p.live = live
		return number(recordCount).parse(e, all)
	case wordVersion:
		version, err := parseInt(text, 32)
		e.Manifest.Val.FormatVersion = int32(version)
		return err
	}
	for _, f := range fields {
		if f.name == name {
			return f.parse(e, text)
		}
	}
	return errors.New("there is no such field")
}
