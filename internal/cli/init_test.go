package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/policy/choose"
)

func TestInitLike(t *testing.T) {
	folder := in(t)
	out := do(t, "init", "demo.events", "--like", event("01"), "--partition", "day(ts), region", "--property", "a=b=c")
	if got, want := normalize(out, folder), "file://<folder>/warehouse/demo/events/metadata/00000-<uuid>.metadata.json\n"; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	var m struct {
		FormatVersion int    `json:"format-version"`
		Location      string `json:"location"`
		Properties    map[string]string
		Specs         []struct {
			Fields []struct{ Name, Transform string }
		} `json:"partition-specs"`
	}
	if err := json.Unmarshal(readFile(t, strings.TrimPrefix(strings.TrimSpace(out), "file://")), &m); err != nil {
		t.Fatal(err)
	}
	if m.FormatVersion != 4 || m.Location != "file://"+folder+"/warehouse/demo/events" || m.Properties["a"] != "b=c" {
		t.Errorf("metadata: %+v", m)
	}
	if f := m.Specs[0].Fields; len(f) != 2 || f[0].Name != "ts_day" || f[1].Name != "region" || f[1].Transform != "identity" {
		t.Errorf("partition fields: %+v", f)
	}
	refuse(t, 3, "table demo.events: refused: the catalog has a table of this name", "init", "demo.events", "--like", event("01"))
}

func TestInitSchema(t *testing.T) {
	in(t)
	r := runWith(t.Context(), visitSchema, nil, "init", "a.b", "--schema", "-", "--output", "json")
	var created struct {
		Table            string
		MetadataLocation string `json:"metadata_location"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &created); err != nil || created.Table != "a.b" {
		t.Errorf("%+v: %v", r, err)
	}
	if !exists(strings.TrimPrefix(created.MetadataLocation, "file://")) {
		t.Errorf("no metadata file %s", created.MetadataLocation)
	}
	do(t, "check", "a.b", "--strict")
}

func TestInitRefuses(t *testing.T) {
	noRegion(t)
	in(t)
	writeFile(t, "schema.json", []byte(visitSchema))
	writeFile(t, "broken.json", []byte(`{"fields": [{"name": "id"`))
	writeFile(t, "double.json", []byte(`{"fields": [{"name": "id", "type": "long"}, {"name": "id", "type": "long"}]}`))
	for _, test := range []struct {
		code int
		text string
		args string
	}{
		{2, "one of --schema FILE.json and --like FILE.parquet: see firn help init", "a.b"},
		{2, "one of --schema FILE.json and --like", "a.b --schema schema.json --like x.parquet"},
		{2, "NAMESPACE.NAME", "ab --schema schema.json"},
		{2, "KEY=VALUE", "a.b --schema schema.json --property x"},
		{2, "given twice", "a.b --schema schema.json --property x=1 --property x=2"},
		{2, `names "best"`, "a.b --schema schema.json --property firn.policy=best"},
		{2, "not a number from 1", "a.b --schema schema.json --property firn.policy.root-bytes=-1"},
		{2, "nonsense", "a.b --schema schema.json --partition nonsense(id)"},
		{2, "nothing", "a.b --schema schema.json --partition day(nothing)"},
		{5, "broken.json", "a.b --schema broken.json"},
		{5, "double.json", "a.b --schema double.json"},
		{5, "malformed Parquet", "a.b --like schema.json"},
		{6, "not found", "a.b --schema nowhere.json"},
		{6, "not found", "a.b --like nowhere.parquet"},
		{6, "no such file or directory", "a.b --schema schema.json --catalog sqlite:nowhere/firn.db"},
		{6, "", "a.b --schema schema.json --warehouse schema.json"},
		{6, `no store for scheme "gs", only for file and s3: --map gs://bucket=FOLDER`,
			"a.b --schema schema.json --warehouse gs://bucket/prefix"},
		{6, "no region: set AWS_REGION", "a.b --schema schema.json --warehouse s3://bucket/prefix"},
		{2, `'/' cannot stand in a name`, "demo.a/b --schema schema.json"},
		{2, `'\\' cannot stand in a name`, `demo.a\b --schema schema.json`},
		{2, `':' cannot stand in a name`, "a:b.c --schema schema.json"},
	} {
		refuse(t, test.code, test.text, append([]string{"init"}, strings.Split(test.args, " ")...)...)
	}
	refuse(t, 6, "no table a.b", "log", "a.b")
	if left, _ := filepath.Glob("warehouse/*/*/*/*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestInitIntoAnotherTable refuses the place of a table that the catalog does not have, and makes nothing.
func TestInitIntoAnotherTable(t *testing.T) {
	folder := newTable(t)
	do(t, "append", "a.b", event("01"))
	newest := "file://" + only(t, folder+"/warehouse/a/b/metadata/00001-*.metadata.json")
	before := do(t, "log", "a.b")
	files, _ := filepath.Glob("warehouse/a/b/*/*")
	again := []string{"init", "a.b", "--like", event("01"), "--catalog"}
	for _, catalog := range []string{"sqlite:second.db", "dir:second"} {
		refuse(t, 3, "file://"+folder+"/warehouse/a/b has metadata files", append(again, catalog)...)
		refuse(t, 3, "firn register a.b "+newest, append(again, catalog)...)
	}
	if exists("second.db") || exists("second") {
		t.Error("a catalog was made")
	}
	writeFile(t, "warehouse/a/b/metadata/00001-other.metadata.json", readFile(t, strings.TrimPrefix(newest, "file://")))
	refuse(t, 3, "firn register with one of ", append(again, "sqlite:second.db")...)
	if err := os.Remove("warehouse/a/b/metadata/00001-other.metadata.json"); err != nil {
		t.Fatal(err)
	}
	if after, _ := filepath.Glob("warehouse/a/b/*/*"); !slices.Equal(after, files) {
		t.Errorf("files %q, want %q", after, files)
	}
	refuse(t, 3, "the catalog has a table of this name", append(again, "sqlite:firn.db")...)
	do(t, append(again, "sqlite:second.db", "--warehouse", "other")...)
	do(t, "register", "a.b", newest, "--catalog", "sqlite:third.db")
	if log := do(t, "log", "a.b", "--catalog", "sqlite:third.db"); log != before {
		t.Errorf("log of the registered table:\n%s", log)
	}
}

// TestInitNotices tells of properties that look like this program's and are not, and refuses those that look like settings.
func TestInitNotices(t *testing.T) {
	in(t)
	writeFile(t, "schema.json", []byte(visitSchema))
	known := "known are " + strings.Join(choose.Properties(), ", ") + "\n"
	r := run(t, "init", "a.b", "--schema", "schema.json", "--property", "firn.polcy=cap", "--property", "firn.policy=cap",
		"--property", "firn.policy.rows=8", "--property", "firn.policy.batch=9", "--property", "owner=me")
	if want := "property firn.polcy is kept, but has no meaning: " + known; r.code != 0 || r.stderr != want {
		t.Errorf("code %d, %q, want %q", r.code, r.stderr, want)
	}
	r = run(t, "init", "a.c", "--schema", "schema.json", "--property", "firn.policy.row=8", "--property", "firn.policy.ratio=1",
		"--property", "firn.policy=best", "--property", "firn.policy.leaf-rows=9999999")
	if r.code != 2 {
		t.Errorf("code %d, %q", r.code, r.stderr)
	}
	for _, want := range []string{
		`names "best", known are`, `no table property "firn.policy.row", ` + known[:len(known)-1],
		`firn.policy.ratio is "1", not a number from 2 to 9223372036854775807`, `firn.policy.leaf-rows is "9999999", not a number from 1 to 2097152`,
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%q lacks %q", r.stderr, want)
		}
	}
	if r := run(t, "log", "a.c"); r.code == 0 {
		t.Error("a table was made")
	}
}
