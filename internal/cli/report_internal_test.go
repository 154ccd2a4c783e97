package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store"
)

// TestReportUnknown prints the token that asks again, in both forms of an error.
func TestReportUnknown(t *testing.T) {
	unknown := &commit.UnknownError{
		Err:   errors.New("connection reset"),
		Token: commit.Token{Table: store.TableID{Namespace: "a", Name: "b"}, SnapshotID: 7, Metadata: []string{"m"}},
	}
	var stderr bytes.Buffer
	a := &app{stderr: &stderr, format: formatText}
	if code := a.report(t.Context(), unknown); code != exitUnknown {
		t.Errorf("code %d", code)
	}
	lines := strings.Split(stderr.String(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "firn: ") || !strings.HasPrefix(lines[1], "firn outcome a.b - ") {
		t.Fatalf("%q", lines)
	}
	_, text, _ := strings.Cut(lines[1], ": ")
	var token commit.Token
	if err := json.Unmarshal([]byte(text), &token); err != nil || token.SnapshotID != 7 || token.Table != unknown.Token.Table {
		t.Errorf("%q: %+v, %v", text, token, err)
	}
	stderr.Reset()
	a.format = formatJSON
	a.report(t.Context(), unknown)
	var line failure
	if err := json.Unmarshal(stderr.Bytes(), &line); err != nil || line.Code != exitUnknown || line.Token == nil || line.Token.SnapshotID != 7 {
		t.Errorf("%s: %+v, %v", stderr.String(), line, err)
	}
}
