package mapped_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/store/dir"
	"github.com/firn-io/firn/store/mapped"
	"github.com/firn-io/firn/store/mem"
	"github.com/firn-io/firn/store/storetest"
)

// rule returns the rule that the text stands for.
func rule(t *testing.T, text string) mapped.Rule {
	t.Helper()
	r, err := mapped.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestObjects(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		return mapped.New(new(mem.Objects), rule(t, "s3://b/t=mem://copy")), "s3://b/t/"
	})
}

func TestObjectsWithInnerRules(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		objects := new(mem.Objects)
		rules := []mapped.Rule{rule(t, "s3://b/t/a=mem://a"), rule(t, "s3://b/t/a/deeper=mem://b"), rule(t, "s3://b/t/k=mem://k")}
		return mapped.New(objects, rules...), "s3://b/t/"
	})
}

func TestLocalFolder(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		schemes := mapped.Schemes{"file": dir.New()}
		return mapped.New(schemes, rule(t, "s3://b/t="+t.TempDir())), "s3://b/t/"
	})
}

func TestSchemes(t *testing.T) {
	storetest.TestObjects(t, func(t *testing.T) (store.Objects, string) {
		return mapped.Schemes{"file": dir.New(), "mem": new(mem.Objects)}, "mem:"
	})
}

func TestSchemesRefuse(t *testing.T) {
	ctx := t.Context()
	schemes := mapped.Schemes{"mem": new(mem.Objects), "a": new(mem.Objects)}
	for name, want := range map[string]string{
		"s3://b/x": `no store for scheme "s3", only for ["a" "mem"]`,
		"MEM:x":    `no store for scheme "MEM"`,
		"/local":   "the name has no scheme",
		"":         "the name has no scheme",
	} {
		_, get := schemes.Get(ctx, name, 0)
		_, getRange := schemes.GetRange(ctx, name, 0, nil)
		_, stat := schemes.Stat(ctx, name)
		errs := []error{get, getRange, stat, schemes.Put(ctx, name, nil), schemes.Delete(ctx, name)}
		for _, err := range schemes.List(ctx, name) {
			errs = append(errs, err)
		}
		for _, err := range errs {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", name, err, want)
			}
		}
		if len(errs) != 6 {
			t.Errorf("%q: %d answers of 6 calls", name, len(errs))
		}
	}
}

func TestParseRule(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]mapped.Rule{
		"s3://b/t=/copy/t":        {From: "s3://b/t/", To: "file:///copy/t/"},
		"s3://b/t/=/copy/t":       {From: "s3://b/t/", To: "file:///copy/t/"},
		"s3://b/t=/copy/t/":       {From: "s3://b/t/", To: "file:///copy/t/"},
		"s3://=/":                 {From: "s3://", To: "file:///"},
		"s3:=s3a:":                {From: "s3:/", To: "s3a:/"},
		"file:/w=copy":            {From: "file:/w/", To: "file://" + here + "/copy/"},
		"/w/x=../day=1":           {From: "file:///w/x/", To: "file://" + filepath.Dir(here) + "/day=1/"},
		"s3://b/t=/with space/%2": {From: "s3://b/t/", To: "file:///with space/%2/"},
		"1:x=a+b-c.1:y":           {From: "file://" + here + "/1:x/", To: "a+b-c.1:y/"},
	} {
		got, err := mapped.ParseRule(text)
		if err != nil || got != want {
			t.Errorf("ParseRule(%q) = %v, %v, want %v", text, got, err, want)
		}
		if again, err := mapped.ParseRule(got.String()); err != nil || again != got {
			t.Errorf("ParseRule(%q) = %v, %v, want the same rule", got, again, err)
		}
	}
	for _, text := range []string{"", "s3://b/t", "=", "s3://b/t=", "=/copy"} {
		if got, err := mapped.ParseRule(text); err == nil {
			t.Errorf("ParseRule(%q) = %v, want an error", text, got)
		}
	}
}

// reach is the definition of what rules do, name by name.
func reach(rules []mapped.Rule, name string) string {
	var best *mapped.Rule
	for i, r := range rules {
		if strings.HasPrefix(name, r.From) && (best == nil || len(r.From) > len(best.From)) {
			best = &rules[i]
		}
	}
	if best == nil {
		return name
	}
	return best.To + strings.TrimPrefix(name, best.From)
}

// TestListIsWhatCanBeReached compares listings with a model that tries every name.
func TestListIsWhatCanBeReached(t *testing.T) {
	path := rapid.StringMatching(`x:/([ab-]/){0,3}`)
	rest := rapid.StringMatching(`([ab-]/){0,2}[ab-]`)
	rapid.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		rules := make([]mapped.Rule, rapid.IntRange(0, 4).Draw(t, "rules"))
		for i := range rules {
			rules[i] = mapped.Rule{From: path.Draw(t, "from"), To: path.Draw(t, "to")}
		}
		inner := new(mem.Objects)
		objects := mapped.New(inner, rules...)
		reachable := make(map[string]bool)
		for range rapid.IntRange(0, 12).Draw(t, "objects") {
			name := path.Draw(t, "folder") + rest.Draw(t, "rest")
			err := inner.Put(ctx, name, []byte(name))
			if err != nil {
				continue // drawn before
			}
			for _, r := range append(rules, mapped.Rule{}) {
				if after, ok := strings.CutPrefix(name, r.To); ok && reach(rules, r.From+after) == name {
					reachable[r.From+after] = true
				}
			}
		}
		prefix := rapid.OneOf(path, rest).Draw(t, "prefix")
		var want, got []string
		for _, name := range slices.Sorted(maps.Keys(reachable)) {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		for info, err := range objects.List(ctx, prefix) {
			if err != nil {
				t.Fatal(err)
			}
			data, err := objects.Get(ctx, info.Name, 0)
			if err != nil || string(data) != reach(rules, info.Name) {
				t.Fatalf("%s reaches %q, %v, want %s", info.Name, data, err, reach(rules, info.Name))
			}
			got = append(got, info.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("rules %v, prefix %q (-want +got):\n%s", rules, prefix, diff)
		}
	})
}

func Example() {
	copied, err := mapped.ParseRule("s3://bucket/table=/mnt/copy")
	if err != nil {
		fmt.Println(err)
		return
	}
	local := mapped.Schemes{"file": dir.New()}
	objects := mapped.New(local, copied)

	fmt.Println(copied)
	_, err = objects.Stat(context.Background(), "s3://bucket/table/metadata/1.json")
	fmt.Println(err)
	_, err = objects.Stat(context.Background(), "s3://bucket/table2/metadata/1.json")
	fmt.Println(err)
	// Output:
	// s3://bucket/table/=file:///mnt/copy/
	// stat file:///mnt/copy/metadata/1.json: not found: no such file or directory
	// stat s3://bucket/table2/metadata/1.json: no store for scheme "s3", only for ["file"]
}
