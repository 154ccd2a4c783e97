package oracle_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/invariants"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/oracle"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/mem"
)

const fixtures = "../testdata/interop/java-1.12.0"

// loaded returns a table that Java wrote, in memory.
func loaded(t *testing.T, table string) (*mem.Objects, oracle.Target) {
	t.Helper()
	objects := new(mem.Objects)
	target := oracle.Target{Objects: objects}
	folder := filepath.Join(fixtures, table)
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name := "s3://firn-fixtures/" + table + "/" + filepath.ToSlash(rel)
		if metadata.IsFileName(name) {
			target.Metadata = name
		}
		return objects.Put(t.Context(), name, data)
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects, target
}

// collect returns the findings, and the error that ended them.
func collect(ctx context.Context, target oracle.Target, o oracle.Options) ([]oracle.Finding, error) {
	var all []oracle.Finding
	for f, err := range oracle.Check(ctx, target, o) {
		if err != nil {
			return all, err
		}
		all = append(all, f)
	}
	return all, nil
}

// rules returns the distinct rules of findings, in order.
func rules(findings []oracle.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	return slices.Compact(ids)
}

// edit changes the metadata of a table.
func edit(t *testing.T, objects *mem.Objects, target oracle.Target, change func(m map[string]any)) {
	t.Helper()
	data, err := objects.Get(t.Context(), target.Metadata, 0)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m)
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	replace(t, objects, target.Metadata, data)
}

func replace(t *testing.T, objects *mem.Objects, name string, data []byte) {
	t.Helper()
	if err := objects.Delete(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if err := objects.Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
}

// object returns the name of the one object with such an end.
func object(t *testing.T, objects *mem.Objects, end string) string {
	t.Helper()
	var found []string
	for info, err := range objects.List(t.Context(), "s3:") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(info.Name, end) {
			found = append(found, info.Name)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%q end in %s", found, end)
	}
	return found[0]
}

func TestRules(t *testing.T) {
	all := oracle.Rules()
	if len(all) != len(invariants.All())+1+3+2+9 {
		t.Errorf("%d rules for %d invariants", len(all), len(invariants.All()))
	}
	seen := make(map[string]bool)
	for _, rule := range all {
		if seen[rule.ID] || rule.Statement == "" || rule.SpecRule == "" || rule.Symptom == "" || rule.Advice == "" {
			t.Errorf("%+v", rule)
		}
		seen[rule.ID] = true
		if found, ok := oracle.Lookup(rule.ID); !ok || !reflect.DeepEqual(found, rule) {
			t.Errorf("Lookup(%s) = %+v", rule.ID, found)
		}
	}
	if _, ok := oracle.Lookup("NONE"); ok {
		t.Error("Lookup finds NONE")
	}
}

func TestFindingFails(t *testing.T) {
	for _, test := range []struct {
		severity       oracle.Severity
		lenient, fails bool
	}{{oracle.Error, true, true}, {oracle.Warning, false, true}, {oracle.Notice, false, false}} {
		f := oracle.Finding{Severity: test.severity}
		if f.Fails(false) != test.lenient || f.Fails(true) != test.fails {
			t.Errorf("%s: fails %t, strict %t", test.severity, f.Fails(false), f.Fails(true))
		}
	}
}

func TestFindingInJSON(t *testing.T) {
	got, err := json.Marshal(oracle.Finding{Rule: "X", Severity: oracle.Error, Row: -1, Object: "o"})
	want := `{"rule":"X","severity":"error","snapshot":null,"object":"o","row":null,"field":"","expected":"","found":"","message":""}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	got, err = json.Marshal(oracle.Finding{Snapshot: 8271093846510000602, Row: 0})
	if err != nil || !strings.Contains(string(got), `"snapshot":8271093846510000602,"object":"","row":0,`) {
		t.Errorf("%s, %v", got, err)
	}
}

// TestUnreadableMetadata is an error: there is nothing to check.
func TestUnreadableMetadata(t *testing.T) {
	objects, target := loaded(t, "leaves")
	replace(t, objects, target.Metadata, []byte("{"))
	var parse *metadata.ParseError
	if _, err := collect(t.Context(), target, oracle.Options{}); !errors.As(err, &parse) {
		t.Errorf("broken: %v", err)
	}
	if err := objects.Delete(t.Context(), target.Metadata); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t.Context(), target, oracle.Options{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("missing: %v", err)
	}
}

// TestTableLocation takes the location from the caller where the metadata has none.
func TestTableLocation(t *testing.T) {
	objects, target := loaded(t, "leaves")
	edit(t, objects, target, func(m map[string]any) { delete(m, "location") })
	if _, err := collect(t.Context(), target, oracle.Options{}); err == nil {
		t.Error("no location, and no error")
	}
	target.TableLocation = "s3://firn-fixtures/leaves"
	findings, err := collect(t.Context(), target, oracle.Options{History: true})
	if err != nil || len(findings) != 0 {
		t.Errorf("%+v, %v", findings, err)
	}
}

func TestUnknownRules(t *testing.T) {
	_, target := loaded(t, "leaves")
	var unknown *oracle.OptionError
	_, err := collect(t.Context(), target, oracle.Options{Rules: []string{"E-DOTS", "NONE"}, Skip: []string{"ALSO-NONE"}})
	if !errors.As(err, &unknown) || unknown.ID != "NONE" || !strings.Contains(err.Error(), "ALSO-NONE") {
		t.Errorf("%v", err)
	}
	_, err = collect(t.Context(), target, oracle.Options{Skip: []string{"C-ADDED"}})
	if !errors.As(err, &unknown) || unknown.ID != "C-ADDED" || !unknown.Promised {
		t.Errorf("%v", err)
	}
}

// TestStopping reads no more when nobody listens any more.
func TestStopping(t *testing.T) {
	_, target := loaded(t, "wide")
	n := 0
	for range oracle.Check(t.Context(), target, oracle.Options{History: true}) {
		n++
		if n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d findings, want 2", n)
	}
}

// TestSingleFiles checks files by themselves.
func TestSingleFiles(t *testing.T) {
	objects, _ := loaded(t, "mdv")
	root := object(t, objects, "-root-4.parquet")
	put := func(name string, data string) string {
		if err := objects.Put(t.Context(), name, []byte(data)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, test := range []struct {
		name string
		as   oracle.Role
		rule string
		err  error
	}{
		{root, oracle.Either, "", nil},
		{root, oracle.Root, "", nil},
		{root, oracle.Leaf, "L-DATA-ONLY", nil},
		{object(t, objects, "-m0.parquet"), oracle.Either, "", nil},
		{object(t, objects, "-m0.parquet"), oracle.Leaf, "", nil},
		{object(t, objects, "-m0.parquet"), oracle.Root, "R-EXPLICIT", nil},
		{put("mem:text", "0x01010000010000000107\n"), oracle.Either, "", nil},
		{put("mem:long", "010000000100000000"), oracle.Either, "E-MDV-CANONICAL", nil},
		{put("mem:other", "something else"), oracle.Either, "", oracle.ErrFile},
		{put("mem:empty", ""), oracle.Either, "", oracle.ErrFile},
		{put("mem:avro", "Obj\x01"), oracle.Either, "", treeio.ErrLegacy},
		{"mem:nowhere", oracle.Either, "", store.ErrNotFound},
	} {
		target := oracle.Target{Objects: objects, File: test.name}
		findings, err := collect(t.Context(), target, oracle.Options{As: test.as})
		if !errors.Is(err, test.err) || test.rule == "" != (len(findings) == 0) || test.rule != "" && !slices.Contains(rules(findings), test.rule) {
			t.Errorf("%s as %d: %q, %v, want %q, %v", test.name, test.as, rules(findings), err, test.rule, test.err)
		}
	}
	for _, name := range []string{put("mem:cut", "\x01\x01\x00"), put("mem:cut.parquet", "PAR")} {
		if _, err := collect(t.Context(), oracle.Target{Objects: objects, File: name}, oracle.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTotals: the totals of the current snapshot are judged whatever else is checked, those of earlier ones with their history.
func TestTotals(t *testing.T) {
	s := goodTable(t)
	last := len(metadataOf(t, s.Store).Snapshots) - 1
	s.edit(func(m map[string]any) {
		for _, n := range []int{last - 1, last} {
			m["snapshots"].([]any)[n].(map[string]any)["summary"].(map[string]any)["total-records"] = "99"
		}
	})
	for _, c := range []struct {
		options oracle.Options
		want    int
	}{
		{oracle.Options{}, 1}, {oracle.Options{Rules: []string{"T-TOTALS"}}, 1}, {oracle.Options{Data: true, Storage: true}, 1},
		{oracle.Options{History: true}, 2}, {oracle.Options{Skip: []string{"T-TOTALS"}}, 0},
	} {
		findings, err := collect(t.Context(), s.target(), c.options)
		n := 0
		for _, f := range findings {
			if f.Rule == "T-TOTALS" && f.Field == "summary.total-records" && f.Snapshot != 0 {
				n++
			}
		}
		if err != nil || n != c.want {
			t.Errorf("%+v: %v, %v, want %d findings of T-TOTALS", c.options, findings, err, c.want)
		}
	}
}
