package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/store"
)

// TestOutcome asks about commits that happened, did not happen, and may still happen.
func TestOutcome(t *testing.T) {
	newTable(t)
	first := rowsIn(t, do(t, "append", "a.b", copyEvent(t, "01"), "--output", "json"))[0]
	second := rowsIn(t, do(t, "append", "a.b", copyEvent(t, "02"), "--output", "json"))[0]
	base, current := first["metadata_location"].(string), second["metadata_location"].(string)
	token := commit.Token{Table: store.TableID{Namespace: "a", Name: "b"}, SnapshotID: 1, BaseMetadata: base}
	for _, test := range []struct {
		code          int
		text          string
		base, written string
	}{
		{0, "committed", base, current},
		{0, "not committed", base, base + "-other"},
		{4, "unknown", current, base + "-other"},
	} {
		token.BaseMetadata, token.Metadata = test.base, []string{test.written}
		data, err := json.Marshal(token)
		if err != nil {
			t.Fatal(err)
		}
		for form, want := range map[string]string{
			"text": test.text + "\n", "json": `{"outcome":"` + test.text + `","snapshot_id":1}` + "\n",
			"tsv": "outcome\tsnapshot_id\n" + test.text + "\t1\n",
		} {
			r := runWith(t.Context(), string(data), nil, "outcome", "a.b", "-", "--output", form)
			if r.code != test.code || r.stdout != want {
				t.Errorf("%s, %s: %+v", test.text, form, r)
			}
		}
	}
	writeFile(t, "token.json", []byte("{"))
	refuse(t, 5, "token token.json: malformed", "outcome", "a.b", "token.json")
	writeFile(t, "token.json", []byte(`{"table":{"Namespace":"a","Name":"x"}}`))
	refuse(t, 2, "the token is of table a.x, not a.b", "outcome", "a.b", "token.json")
	refuse(t, 6, "not found", "outcome", "a.b", "nowhere.json")
	if help := do(t, "help", "outcome"); !strings.Contains(help, "code 4") {
		t.Errorf("help: %s", help)
	}
}
