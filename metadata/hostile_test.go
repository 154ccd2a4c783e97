package metadata_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/firn-io/firn/metadata"
)

// smallest is a v4 table with all that is required, one column, one snapshot, and places to hook on to.
const smallest = `{
  "format-version": 4, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "s3://b/t",
  "last-sequence-number": 1, "last-updated-ms": 1000, "last-column-id": 2, "current-schema-id": 0,
  "schemas": [{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "required": true, "type": "long"}]}],
  "default-spec-id": 0,
  "partition-specs": [{"spec-id": 0, "fields": [{"source-id": 1, "field-id": 1000, "name": "p", "transform": "bucket[8]"}]}],
  "last-partition-id": 1000, "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}],
  "properties": {"a": "b"}, "current-snapshot-id": 7, "next-row-id": 5,
  "snapshots": [{"snapshot-id": 7, "sequence-number": 1, "timestamp-ms": 1000, "root-manifest": "m/r.parquet",
    "summary": {"operation": "append"}, "schema-id": 0, "first-row-id": 0, "added-rows": 5}],
  "snapshot-log": [{"timestamp-ms": 1000, "snapshot-id": 7}],
  "metadata-log": [{"timestamp-ms": 900, "metadata-file": "m/00000-x.metadata.json"}],
  "refs": {"main": {"snapshot-id": 7, "type": "branch"}}
}`

// edited replaces one part of the smallest table, which must be there.
func edited(t testing.TB, from, to string) string {
	t.Helper()
	if !strings.Contains(smallest, from) {
		t.Fatalf("the smallest table has no %s", from)
	}
	return strings.Replace(smallest, from, to, 1)
}

func TestSmallestIsClean(t *testing.T) {
	m, err := metadata.Parse([]byte(smallest), metadata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if problems := m.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, from, to, path, reason string }{
		{"version 5", `"format-version": 4`, `"format-version": 5`, "$.format-version", "version 5 is not supported"},
		{"version as text", `"format-version": 4`, `"format-version": "4"`, "$.format-version", "expected an integer, found a string"},
		{"no version", `"format-version": 4, `, ``, "$", "format-version is missing"},
		{"no uuid", `"table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", `, ``, "$", "table-uuid is missing"},
		{"null next-row-id", `"next-row-id": 5`, `"next-row-id": null`, "$", "next-row-id is missing"},
		{"no last-column-id", `"last-column-id": 2, `, ``, "$", "last-column-id is missing"},
		{"fraction", `"next-row-id": 5`, `"next-row-id": 5.0`, "$.next-row-id", "expected an integer, found 5.0"},
		{"exponent", `"next-row-id": 5`, `"next-row-id": 5e0`, "$.next-row-id", "expected an integer"},
		{"beyond 64 bits", `"next-row-id": 5`, `"next-row-id": 9223372036854775808`, "$.next-row-id", "does not fit 64 bits"},
		{"huge number", `"next-row-id": 5`, `"next-row-id": ` + strings.Repeat("9", 5000), "$.next-row-id", "does not fit 64 bits"},
		{"id beyond 32 bits", `"last-column-id": 2`, `"last-column-id": 2147483648`, "$.last-column-id", "does not fit 32 bits"},
		{"leading zero", `"next-row-id": 5`, `"next-row-id": 05`, "$.next-row-id", "invalid character '5' after object key:value pair"},
		{"lone minus", `"next-row-id": 5`, `"next-row-id": -`, "$.next-row-id", "invalid character ',' in numeric literal"},
		{"name twice", `"next-row-id": 5`, `"next-row-id": 5, "next-row-id": 6`, "$.next-row-id", "stands twice"},
		{"unknown name twice", `"next-row-id": 5`, `"next-row-id": 5, "x": {"y": 1, "y": 2}`, "$.x.y", "stands twice"},
		{"name twice, escaped", `"a": "b"`, `"a": "b", "\u0061": "c"`, "$.properties.a", "stands twice"},
		{"property of a wrong type", `"a": "b"`, `"a.b": 1`, `$.properties["a.b"]`, "expected a string, found a number"},
		{"properties of a wrong type", `{"a": "b"}`, `[]`, "$.properties", "expected an object, found an array"},
		{"snapshots as an object", `"snapshots": [`, `"snapshots": {`, "$.snapshots", "expected an array, found an object"},
		{"snapshot without id", `"snapshot-id": 7, "seq`, `"seq`, "$.snapshots[0]", "snapshot-id is missing"},
		{"summary of a wrong type", `"operation": "append"`, `"operation": true`, "$.snapshots[0].summary.operation", "expected a string, found a boolean"},
		{"ref without type", `"snapshot-id": 7, "type": "branch"`, `"snapshot-id": 7`, "$.refs.main", "type is missing"},
		{"log entry", `{"timestamp-ms": 1000, "snapshot-id": 7}`, `{"snapshot-id": 7}`, "$.snapshot-log[0]", "timestamp-ms is missing"},
		{"no such current schema", `"current-schema-id": 0`, `"current-schema-id": 1`, "$", "current-schema-id 1 is not among"},
		{"no such default spec", `"default-spec-id": 0`, `"default-spec-id": 1`, "$", "default-spec-id 1 is not among"},
		{"no such current snapshot", `"current-snapshot-id": 7`, `"current-snapshot-id": 8`, "$", "current-snapshot-id 8 is not among"},
		{"unknown type", `"type": "long"`, `"type": "longer"`, "$.schemas[0].fields[0].type", `unknown type "longer"`},
		{"bad decimal", `"type": "long"`, `"type": "decimal(39, 2)"`, "$.schemas[0].fields[0].type", "unknown type"},
		{"field without id", `"id": 1, "name"`, `"name"`, "$.schemas[0].fields[0]", "id is missing"},
		{"id in another case", `"id": 1, "name"`, `"ID": 1, "name"`, "$.schemas[0].fields[0]", "id is missing"},
		{"field id twice", `"type": "long"}`, `"type": "long"}, {"id": 1, "name": "b", "required": false, "type": "int"}`, "$.schemas[0].fields[1].id", "field id 1 stands twice"},
		{"element id twice", `"type": "long"`, `"type": {"type": "list", "element-id": 1, "element": "int", "element-required": true}`, "$.schemas[0].fields[0].type.element-id", "stands twice"},
		{"list without element", `"type": "long"`, `"type": {"type": "list", "element-id": 2, "element-required": true}`, "$.schemas[0].fields[0].type", "element is missing"},
		{"map without key-id", `"type": "long"`, `"type": {"type": "map", "key": "int", "value-id": 3, "value": "int", "value-required": true}`, "$.schemas[0].fields[0].type", "key-id is missing"},
		{"unknown nested type", `"type": "long"`, `"type": {"type": "set"}`, "$.schemas[0].fields[0].type", `unknown nested type "set"`},
		{"schema that is no struct", `"type": "struct"`, `"type": "list"`, "$.schemas[0].type", "not \"list\""},
		{"bucket of 0", `bucket[8]`, `bucket[0]`, "$.partition-specs[0].fields[0].transform", `"bucket[0]" is invalid`},
		{"partition field without source", `"source-id": 1, `, ``, "$.partition-specs[0].fields[0]", "needs a source-id"},
		{"two kinds of source", `"source-id": 1`, `"source-id": 1, "source-ids": [1]`, "$.partition-specs[0].fields[0]", "not both"},
		{"two documents", `"refs": {"main": {"snapshot-id": 7, "type": "branch"}}` + "\n}", `"refs": {}} {}`, "$", "invalid character '{' after top-level value"},
		{"trailing comma", `"type": "branch"}}`, `"type": "branch"}},`, "$", "invalid character '}' looking for beginning of object key string"},
		{"missing comma", `"a": "b"`, `"a": "b" "c": "d"`, "$.properties", `invalid character '"' after object key:value pair`},
		{"comment", `"next-row-id": 5`, `/* */ "next-row-id": 5`, "$", "invalid character '/' looking for beginning of object key string"},
		{"byte that is no UTF-8", `"a": "b"`, "\"a\": \"\xff\"", "$.properties.a", "not valid UTF-8"},
		{"half a surrogate pair", `"a": "b"`, `"a": "\ud83d"`, "$.properties.a", "half of a surrogate pair"},
		{"halves in the wrong order", `"a": "b"`, `"a": "\ude00\ud83d"`, "$.properties.a", "half of a surrogate pair"},
		{"unknown escape", `"a": "b"`, `"a": "\x"`, "$.properties.a", "invalid character 'x' in string escape code"},
		{"short escape", `"a": "b"`, `"a": "\u12"`, "$.properties.a", "hexadecimal character escape"},
		{"line break in a string", `"a": "b"`, "\"a\": \"\n\"", "$.properties.a", "in string literal"},
		{"NaN", `"a": "b"`, `"a": "b"}, "x": {"y": NaN`, "$.x.y", "invalid character 'N' looking for beginning of value"},
		{"misspelled word", `"a": "b"`, `"a": "b"}, "x": {"y": tru`, "$.x.y", "in literal true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := metadata.Parse([]byte(edited(t, test.from, test.to)), metadata.Limits{})
			var parse *metadata.ParseError
			if !errors.As(err, &parse) {
				t.Fatalf("error: %v", err)
			}
			if parse.Path != test.path || !strings.Contains(parse.Reason, test.reason) {
				t.Errorf("got  %s: %s\nwant %s: %s", parse.Path, parse.Reason, test.path, test.reason)
			}
			if len(err.Error()) > 300 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

// What is no JSON is reported where it stands.
func TestOffsetOfBrokenJSON(t *testing.T) {
	text := edited(t, `"a": "b"`, `"a": "b\c"`)
	_, err := metadata.Parse([]byte(text), metadata.Limits{})
	var parse *metadata.ParseError
	if !errors.As(err, &parse) || parse.Offset != strings.Index(text, `c"},`) {
		t.Errorf("got %v, want byte %d", err, strings.Index(text, `c"},`))
	}
}

func TestTruncated(t *testing.T) {
	for i := range len(smallest) {
		if _, err := metadata.Parse([]byte(smallest[:i]), metadata.Limits{}); err == nil {
			t.Errorf("the first %d bytes were read", i)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := edited(t, `"a": "b"}`, `"a": "b"}, "x": `+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000))
	for _, test := range []struct {
		name, text, want string
		limits           metadata.Limits
	}{
		{"depth by default", deep, "nested deeper than 200 levels", metadata.Limits{}},
		{"depth", smallest, "nested deeper than 4 levels", metadata.Limits{MaxDepth: 4}},
		{"values", smallest, "more than 20 values", metadata.Limits{MaxValues: 20}},
		{"bytes", smallest, "more than 100 bytes", metadata.Limits{MaxBytes: 100}},
	} {
		_, err := metadata.Parse([]byte(test.text), test.limits)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	depths := metadata.Limits{MaxDepth: 5, MaxValues: 60, MaxBytes: int64(len(smallest))}
	if _, err := metadata.Parse([]byte(smallest), depths); err != nil {
		t.Errorf("limits that just fit: %v", err)
	}
}

// A name that stands twice is found in objects of any size.
func TestNameTwiceInLargeObject(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 18, 1000} {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"k` + strings.Repeat("x", i) + `": "v", `)
		}
		if _, err := metadata.Parse([]byte(edited(t, `"a": "b"`, b.String()+`"a": "b"`)), metadata.Limits{}); err != nil {
			t.Errorf("%d names: %v", n, err)
		}
		for _, twice := range []string{"k", "k" + strings.Repeat("x", n-1)} {
			_, err := metadata.Parse([]byte(edited(t, `"a": "b"`, b.String()+`"`+twice+`": "b"`)), metadata.Limits{})
			if err == nil || !strings.Contains(err.Error(), "stands twice") {
				t.Errorf("%d names: %v", n, err)
			}
		}
	}
}
