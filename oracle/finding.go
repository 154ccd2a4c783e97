package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/firn-io/firn/invariants"
)

// Severity says how bad a finding is. Its value is the word that reports print.
type Severity string

// The severities.
const (
	// Error marks what is broken, or what readers may read differently.
	Error Severity = "error"
	// Warning marks a departure from draft or open rules, or from good practice.
	Warning Severity = "warning"
	// Notice marks what is in order but was not checked (IV9).
	Notice Severity = "notice"
)

// Finding is one thing that a check found.
type Finding struct {
	// Rule is the ID of the rule, see [Lookup].
	Rule     string
	Severity Severity
	// Snapshot is the id of the snapshot under check, 0 if the finding is not about one.
	Snapshot int64
	// Object is the location of a manifest or metadata file.
	Object string
	// Row is the ordinal of a row in the object, -1 if the object as a whole is meant.
	Row int64
	// Field names the field by the names of the format, dotted; empty if none is meant.
	Field string
	// Expected and Found say what should be there and what is.
	Expected, Found string
	// Message says all of this in one line.
	Message string
}

// Fails reports whether the finding makes a check fail: an error always does, a warning if warnings count, a
// notice never.
func (f Finding) Fails(strict bool) bool {
	return f.Severity == Error || strict && f.Severity == Warning
}

// MarshalJSON returns an object with the fields rule, severity, snapshot, object, row, field, expected, found and
// message, in this order; snapshot and row are null where they are not known.
func (f Finding) MarshalJSON() ([]byte, error) {
	object := struct {
		Rule     string   `json:"rule"`
		Severity Severity `json:"severity"`
		Snapshot *int64   `json:"snapshot"`
		Object   string   `json:"object"`
		Row      *int64   `json:"row"`
		Field    string   `json:"field"`
		Expected string   `json:"expected"`
		Found    string   `json:"found"`
		Message  string   `json:"message"`
	}{f.Rule, f.Severity, nil, f.Object, nil, f.Field, f.Expected, f.Found, f.Message}
	if f.Snapshot != 0 {
		object.Snapshot = &f.Snapshot
	}
	if f.Row >= 0 {
		object.Row = &f.Row
	}
	return json.Marshal(object)
}

// fromViolation returns a violation as a finding.
func fromViolation(v invariants.Violation) Finding {
	return Finding{
		Rule: v.ID, Severity: severityOf(v.Severity), Snapshot: v.Snapshot, Object: v.Object, Row: v.Row,
		Field: v.Field, Expected: v.Expected, Found: v.Found, Message: v.Message(),
	}
}

func severityOf(s invariants.Severity) Severity {
	if s == invariants.Error {
		return Error
	}
	return Warning
}

// finding returns what a rule of this package found in an object.
func (r Rule) finding(snapshot int64, object, expected, found string) Finding {
	return Finding{
		Rule: r.ID, Severity: r.Severity, Snapshot: snapshot, Object: object, Row: -1,
		Expected: expected, Found: found,
		Message: fmt.Sprintf("%s: %s: expected %s, found %s", r.ID, cmp.Or(object, "the table"), expected, oneLine(found)),
	}
}

// oneLine keeps the lines of joined errors apart by semicolons.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", "; ") }
