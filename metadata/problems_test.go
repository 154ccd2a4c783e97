package metadata_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
)

func TestProblems(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"uuid", "9c12d441-03fe", "9c12d441_03fe", `$.table-uuid: "9c12d441_03fe-4693-9a96-a0705ddf69c1" is not a UUID (rules 14.6)`},
		{"negative counter", `"last-updated-ms": 1000`, `"last-updated-ms": -1`, "$.last-updated-ms: -1 is negative (rules 14.6)"},
		{"sort order", `"default-sort-order-id": 0`, `"default-sort-order-id": 1`, "$.default-sort-order-id: 1 is not among the sort-orders (rules 14.6)"},
		{"last column", `"last-column-id": 2`, `"last-column-id": 0`, "$.schemas[0]: field id 1 is above last-column-id 0 (rules 14.6)"},
		{"column name", `"type": "long"}`, `"type": "long"}, {"id": 2, "name": "id", "required": false, "type": "int"}`, `$.schemas[0]: the name "id" stands twice`},
		{"unknown column", `"required": true, "type": "long"`, `"required": true, "type": "unknown"`, `$.schemas[0]: "id" of type unknown must be optional and without a default`},
		{"partition source", `"source-id": 1`, `"source-id": 9`, "$.partition-specs[0].fields[0]: partition source 9 is in no schema (rules 2.7.1)"},
		{"last partition", `"last-partition-id": 1000`, `"last-partition-id": 999`, "$.partition-specs[0].fields[0]: field-id 1000 is above last-partition-id 999 (rules 14.6)"},
		{"both roots", `"root-manifest": "m/r.parquet"`, `"root-manifest": "m/r.parquet", "manifest-list": "m/l.avro"`, "$.snapshots[0]: the snapshot has 2 of root-manifest, manifest-list and manifests, not one of them (rules 14.2)"},
		{"no root", `"root-manifest": "m/r.parquet",`, ``, "$.snapshots[0]: the snapshot has 0 of root-manifest, manifest-list and manifests, not one of them (rules 14.2)"},
		{"empty root", `"root-manifest": "m/r.parquet"`, `"root-manifest": ""`, "$.snapshots[0].root-manifest: the location is empty (rules 14.1)"},
		{"no operation", `{"operation": "append"}`, `{}`, "$.snapshots[0].summary: the operation is missing (rules 14.1)"},
		{"no sequence number", `"sequence-number": 1, `, ``, "$.snapshots[0].sequence-number: the number is missing or 0 (rules 14.1)"},
		{"sequence number", `"last-sequence-number": 1`, `"last-sequence-number": 0`, "$.snapshots[0]: sequence-number 1 is not from 0 to last-sequence-number 0 (rules 14.1)"},
		{"no row ids", `"first-row-id": 0, `, ``, "$.snapshots[0]: first-row-id and added-rows are required (rules 14.1)"},
		{"row ids", `"next-row-id": 5`, `"next-row-id": 4`, "$.snapshots[0]: first-row-id 0 plus added-rows 5 exceeds next-row-id 4 (rules 8.1)"},
		{"row id overflow", `"first-row-id": 0`, `"first-row-id": 9223372036854775807`, "$.snapshots[0]: first-row-id 9223372036854775807 plus added-rows 5 exceeds next-row-id 5 (rules 8.1)"},
		{"negative rows", `"added-rows": 5`, `"added-rows": -5`, "$.snapshots[0]: first-row-id 0 or added-rows -5 is negative (rules 8.1)"},
		{"schema of a snapshot", `"schema-id": 0, "first-row-id"`, `"schema-id": 3, "first-row-id"`, "$.snapshots[0]: schema-id 3 is not among the schemas (rules 14.1)"},
		{"tag", `"refs": {`, `"refs": {"v 1": {"snapshot-id": 8, "type": "tag"}, `, `$.refs["v 1"]: snapshot 8 is not among the snapshots (rules 14.6)`},
		{"type of a ref", `"type": "branch"`, `"type": "tag"`, `$.refs.main: the type is "tag" (rules 14.6)`},
		{"main", `"current-snapshot-id": 7, `, ``, "$.current-snapshot-id: it does not agree with the branch main (rules 14.6)"},
		{"log", `"snapshot-log": [`, `"snapshot-log": [{"timestamp-ms": 1001, "snapshot-id": 7}, `, "$.snapshot-log[1].timestamp-ms: the log steps back from 1001 to 1000 (rules 14.3)"},
		{"root manifest in version 3", `"format-version": 4`, `"format-version": 3`, "$.snapshots[0].root-manifest: a table of format version 3 has no root manifests (rules 14.2)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := metadata.Parse([]byte(edited(t, test.from, test.to)), metadata.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Problems(); len(got) != 1 || got[0].String() != test.want {
				t.Errorf("got  %v\nwant %s", got, test.want)
			}
		})
	}
}

// Each list of things with ids reports an id that stands twice.
func TestProblemsOfIDsTwice(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{`"sort-orders": [`, `"sort-orders": [{"order-id": 0}, `, "order-id 0 stands twice"},
		{`"schemas": [`, `"schemas": [{"type": "struct", "schema-id": 0, "fields": []}, `, "schema-id 0 stands twice"},
		{`"partition-specs": [`, `"partition-specs": [{"spec-id": 0, "fields": []}, `, "spec-id 0 stands twice"},
		{`"snapshots": [`, `"snapshots": [{"snapshot-id": 7, "timestamp-ms": 1, "manifest-list": "l"}, `, "snapshot-id 7 stands twice"},
		{`"snapshots": [`, `"snapshots": [{"snapshot-id": 6, "sequence-number": 1, "timestamp-ms": 1, "manifest-list": "l"}, `, "sequence-number 1 stands twice"},
	} {
		m, err := metadata.Parse([]byte(edited(t, test.from, test.to)), metadata.Limits{})
		if err != nil {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		found := false
		for _, p := range m.Problems() {
			found = found || strings.Contains(p.Message, test.want)
		}
		if !found {
			t.Errorf("no problem says that %s: %v", test.want, m.Problems())
		}
	}
}
