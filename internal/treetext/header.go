package treetext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/firn-io/firn/tree"
)

// headerWord begins the line of the snapshot.
const headerWord = "tree"

// wordTimestamps says that the root has the column snapshot_timestamp.
const wordTimestamps = "timestamps"

// headerTexts and headerNumbers are the fields of the snapshot's line; zero and empty ones are left out.
func headerTexts(t *tree.Tree) []headerField[string] {
	return []headerField[string]{
		{"uuid", &t.Origin.TableUUID},
		{"table", &t.Origin.TableLocation},
		{"root", &t.Root},
	}
}

func headerNumbers(t *tree.Tree) []headerField[int64] {
	return []headerField[int64]{
		{"snapshot", &t.Origin.SnapshotID},
		{"seq", &t.SequenceNumber},
		{"timestamp", &t.TimestampMillis},
		{"first_row_id", &t.FirstRowID},
		{"added_rows", &t.AddedRows},
	}
}

type headerField[T any] struct {
	name string
	at   *T
}

func formatHeader(t tree.Tree) string {
	var b strings.Builder
	b.WriteString(headerWord)
	for _, f := range headerNumbers(&t) {
		if *f.at != 0 {
			fmt.Fprintf(&b, " %s=%d", f.name, *f.at)
		}
	}
	if t.ParentSnapshotID.Valid {
		fmt.Fprintf(&b, " parent=%d", t.ParentSnapshotID.Val)
	}
	if t.SchemaID != 0 {
		fmt.Fprintf(&b, " schema=%d", t.SchemaID)
	}
	if t.HasSnapshotTimestamps {
		b.WriteString(" " + wordTimestamps)
	}
	for _, f := range headerTexts(&t) {
		if *f.at != "" {
			fmt.Fprintf(&b, " %s=%s", f.name, quote(*f.at))
		}
	}
	return b.String()
}

// parseHeader reads the words of the snapshot's line.
func parseHeader(t *tree.Tree, header []string) error {
	seen := map[string]bool{}
	for _, word := range header {
		name, text, _ := strings.Cut(word, "=")
		if seen[name] {
			return fmt.Errorf("%.40s is given twice", name)
		}
		seen[name] = true
		if err := setHeader(t, name, text); err != nil {
			return fmt.Errorf("%.40s: %w", name, err)
		}
	}
	return nil
}

func setHeader(t *tree.Tree, name, text string) (err error) {
	for _, f := range headerNumbers(t) {
		if f.name == name {
			*f.at, err = parseInt(text, 64)
			return err
		}
	}
	for _, f := range headerTexts(t) {
		if f.name == name {
			*f.at, err = unquote(text)
			return err
		}
	}
	switch name {
	case "parent":
		t.ParentSnapshotID.Valid = true
		t.ParentSnapshotID.Val, err = parseInt(text, 64)
	case "schema":
		t.SchemaID, err = strconv.Atoi(text)
	case wordTimestamps:
		t.HasSnapshotTimestamps = true
	default:
		err = errors.New("there is no such field")
	}
	return err
}
