package cli_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/pgtest"
	"github.com/firn-io/firn/internal/s3test"
)

// TestCatalogsAndStores runs the life of a table on each combination of catalog and store, through the command alone.
func TestCatalogsAndStores(t *testing.T) {
	for _, test := range []struct {
		name  string
		names func(t *testing.T) (catalog, warehouse string)
	}{
		{"SQLite and a folder", func(*testing.T) (string, string) { return "sqlite:firn.db", "w" }},
		{"folders alone", func(*testing.T) (string, string) { return "dir:catalog", "w" }},
		{"PostgreSQL and a folder", func(t *testing.T) (string, string) { return pgtest.Schema(t), "w" }},
		{"SQLite and S3", func(t *testing.T) (string, string) {
			s3test.Server(t)
			return "sqlite:firn.db", "s3://" + s3test.Bucket + "/w"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			catalog, warehouse := test.names(t)
			in(t)
			life(t, map[string]string{"FIRN_CATALOG": catalog, "FIRN_WAREHOUSE": warehouse})
		})
	}
}

// life makes a table, changes it in each way, tidies it up and finds it in order, without a file too many.
func life(t *testing.T, env map[string]string) {
	t.Helper()
	do := func(line string, more ...string) string {
		t.Helper()
		args := append(strings.Fields(line), more...)
		r := runWith(t.Context(), "", env, args...)
		if r.code != 0 {
			t.Fatalf("firn %q: %+v", args, r)
		}
		return r.stdout
	}
	do("init a.b --property firn.policy=cap --property firn.policy.rows=3 --partition day(ts)", "--like", event("01"))
	for _, number := range []string{"01", "02", "03", "04", "05", "06"} {
		do("append a.b --move", copyEvent(t, number))
	}
	files := rowsIn(t, do("files a.b --output json"))
	if len(files) != 6 {
		t.Fatalf("%d files", len(files))
	}
	do("delete-rows a.b --positions 3,7-9", files[0]["location"].(string))
	do("delete-rows a.b --positions 10", files[0]["location"].(string))
	do("remove a.b", files[1]["location"].(string))
	do("branch a.b create dev")
	do("replace a.b --branch dev --remove", files[2]["location"].(string), "--add", files[1]["location"].(string))
	do("branch a.b fast-forward main --to dev")
	do("branch a.b drop dev")
	do("maintain a.b")
	if n := strings.Count(do("changes a.b ~1 @main --no-header"), "\n"); n > 2 {
		t.Errorf("%d changes", n)
	}
	do("stats a.b")
	do("restore a.b ~1")
	do("expire a.b --keep 2")
	do("check a.b --history --storage --strict")
	do("orphans a.b --older-than 0s --force --delete")
	if got := do("orphans a.b --older-than 0s --force --output json"); got != "" {
		t.Errorf("orphans after clean-up: %s", got)
	}
	do("check a.b --history --storage --strict")
	do("check --history --storage --strict", env["FIRN_WAREHOUSE"]+"/a/b")
	r := runWith(t.Context(), "", env, "log", "a.c")
	checkFailure(t, r, 6, "no table a.c in catalog", "log")
	if strings.Contains(r.stderr, "password") || strings.Contains(r.stderr, "options=") {
		t.Errorf("the address is shown in full: %s", r.stderr)
	}
}
