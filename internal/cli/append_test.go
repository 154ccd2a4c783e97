package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestAppend adds real files in several commits, until entries are pushed down.
func TestAppend(t *testing.T) {
	folder := newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=3")
	var answers strings.Builder
	for _, numbers := range [][]string{{"01"}, {"02", "03"}, {"04"}, {"05", "06", "07"}} {
		args := []string{"append", "a.b"}
		for _, number := range numbers {
			args = append(args, event(number))
		}
		answers.WriteString(do(t, args...))
	}
	compare(t, "append", normalize(answers.String()+do(t, "tree", "a.b", "--leaves")+do(t, "files", "a.b"), folder))
	if r := run(t, "check", "a.b", "--history", "--strict"); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
}

func TestAppendInJSON(t *testing.T) {
	newTable(t)
	var answer map[string]any
	if err := json.Unmarshal([]byte(do(t, "append", "a.b", event("01"), event("05"), "--output", "json")), &answer); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{
		"sequence_number": 1.0, "added_files": 2.0, "removed_files": 0.0, "leaves_written": 0.0, "leaves_opened": 0.0, "attempts": 1.0,
	} {
		if answer[field] != want {
			t.Errorf("%s is %v, want %v", field, answer[field], want)
		}
	}
	if location, _ := answer["metadata_location"].(string); !exists(strings.TrimPrefix(location, "file://")) {
		t.Errorf("no metadata file %q", location)
	}
}

// TestAppendRefuses leaves the table as it was, whatever is wrong, and says everything that is.
func TestAppendRefuses(t *testing.T) {
	newVisits(t)
	writeParquet(t, "eu.parquet", visit{1, "eu"}, visit{2, "eu"})
	writeParquet(t, "us.parquet", visit{3, "us"})
	writeParquet(t, "both.parquet", visit{1, "eu"}, visit{2, "us"})
	writeParquet(t, "other.parquet", struct {
		ID string `parquet:"id"`
	}{"x"})
	writeFile(t, "broken.parquet", readFile(t, "eu.parquet")[:50])
	do(t, "append", "a.b", "eu.parquet")
	before := do(t, "log", "a.b", "--output", "json")
	for _, test := range []struct {
		code int
		text string
		args string
	}{
		{3, "live in the table already", "eu.parquet"},
		{3, "live in the table already", "us.parquet eu.parquet"},
		{3, "given twice", "us.parquet us.parquet"},
		{3, "given twice", "us.parquet ./us.parquet"},
		{3, "partition field region", "both.parquet"},
		{3, "column id", "other.parquet"},
		{3, "column id", "other.parquet both.parquet"},
		{3, "partition field region", "other.parquet both.parquet"},
		{5, "broken.parquet", "broken.parquet"},
		{5, "partition field region", "both.parquet broken.parquet"},
		{6, "nowhere.parquet: not found", "nowhere.parquet broken.parquet us.parquet"},
		{6, "not found", "."},
		{2, "partition value x", "us.parquet --partition-values {\"x\":1}"},
		{2, "partition values", "us.parquet --partition-values {"},
	} {
		refuse(t, test.code, test.text, append([]string{"append", "a.b"}, strings.Split(test.args, " ")...)...)
	}
	if after := do(t, "log", "a.b", "--output", "json"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
	refuse(t, 2, "read only", "append", "warehouse/a/b", "us.parquet")
	refuse(t, 6, "no table a.c in catalog sqlite:firn.db", "append", "a.c", "us.parquet")
}

// TestAppendWithoutRows skips a file without rows, and makes no commit if there is no other.
func TestAppendWithoutRows(t *testing.T) {
	newVisits(t)
	writeParquet[visit](t, "none.parquet")
	writeParquet(t, "eu.parquet", visit{1, "eu"})
	r := run(t, "append", "a.b", "none.parquet")
	if r.code != 0 || r.stdout != "" || r.stderr != "none.parquet: skipped, it has no rows\n" {
		t.Errorf("a file without rows: %+v", r)
	}
	if log := do(t, "log", "a.b", "--no-header"); log != "" {
		t.Errorf("log: %s", log)
	}
	r = run(t, "append", "a.b", "none.parquet", "eu.parquet")
	if r.code != 0 || !strings.Contains(r.stdout, "added 1 file,") || !strings.Contains(r.stderr, "none.parquet: skipped") {
		t.Errorf("with another file: %+v", r)
	}
}

// TestAppendPartitionValues takes the partition from the user where the file does not tell.
func TestAppendPartitionValues(t *testing.T) {
	in(t)
	writeFile(t, "schema.json", []byte(visitSchema))
	do(t, "init", "a.b", "--schema", "schema.json", "--partition", "region, bucket(4, id)")
	type row struct {
		ID int64 `parquet:"id"`
	}
	writeParquet(t, "bare.parquet", row{1}, row{1})
	do(t, "append", "a.b", "bare.parquet", "--partition-values", `{"region": "eu"}`)
	var file struct{ Partition map[string]any }
	if err := json.Unmarshal([]byte(do(t, "files", "a.b", "--output", "json")), &file); err != nil {
		t.Fatal(err)
	}
	if file.Partition["region"] != "eu" || file.Partition["id_bucket"] == nil {
		t.Errorf("partition %v", file.Partition)
	}
	newTable(t)
	refuse(t, 3, "partition field ts_day", "append", "a.b", event("01"), "--partition-values", `{"ts_day": 7}`)
}

// TestAppendNameMapping finds the columns of a file without ids by the names that the table's mapping lists.
func TestAppendNameMapping(t *testing.T) {
	in(t)
	writeFile(t, "schema.json", []byte(visitSchema))
	mapping := `[{"field-id": 1, "names": ["number"]}, {"field-id": 2, "names": ["region"]}]`
	do(t, "init", "a.b", "--schema", "schema.json", "--property", "schema.name-mapping.default="+mapping)
	type row struct {
		Number int64  `parquet:"number"`
		Region string `parquet:"region"`
	}
	writeParquet(t, "mapped.parquet", row{42, "eu"})
	do(t, "append", "a.b", "mapped.parquet")
	root := only(t, filepath.Join("warehouse", "a", "b", "metadata", "snap-*.parquet"))
	if rows := do(t, "manifest", root, "--output", "json"); !strings.Contains(rows, `"id":{"lower_bound":42,"upper_bound":42,`) {
		t.Errorf("statistics of the renamed column: %s", rows)
	}
}
