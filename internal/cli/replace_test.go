package cli_test

import (
	"strings"
	"testing"
)

// TestReplaceLists takes several words for a flag, in every order that flags allow.
func TestReplaceLists(t *testing.T) {
	for _, form := range []string{
		"replace a.b --remove one two --add three four",
		"replace a.b --add three four --remove one two",
		"replace a.b --add three --remove one --add four --remove two",
		"replace a.b --add=three four --remove=one two",
		"replace --remove one two --add three four -- a.b",
		"--output json replace --branch main a.b --remove one two --add three four",
	} {
		newVisits(t)
		for _, name := range []string{"one", "two", "three", "four"} {
			writeParquet(t, name, visit{1, "eu"})
		}
		do(t, "append", "a.b", "one", "two")
		do(t, strings.Fields(form)...)
		files := do(t, "files", "a.b", "--no-header")
		if strings.Count(files, "\n") != 2 || !strings.Contains(files, "/three") || !strings.Contains(files, "/four") {
			t.Errorf("%s: %s", form, files)
		}
		if log := do(t, "log", "a.b", "--output", "tsv", "--no-header"); !strings.Contains(log, "\toverwrite\t") {
			t.Errorf("%s: %s", form, log)
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	newVisits(t)
	for _, name := range []string{"one", "two"} {
		writeParquet(t, name, visit{1, "eu"})
	}
	writeParquet(t, "both", visit{1, "eu"}, visit{2, "us"})
	do(t, "append", "a.b", "one")
	before := do(t, "log", "a.b", "--output", "json")
	for _, test := range []struct {
		code int
		text string
		args string
	}{
		{2, "an empty location", "a.b --remove one --add"},
		{2, "an empty location", "a.b --remove --add two"},
		{2, "takes both --remove LOCATION... and --add FILE.parquet...", "a.b --remove one"},
		{2, "takes both --remove", "a.b --add two"},
		{2, "takes both --remove", "a.b"},
		{2, "replace takes TABLE, not 2 words", "a.b c.d --remove one --add two"},
		{2, "replace takes TABLE, and nothing is given", "--remove one --add two a.b"},
		{3, "no live file of the table", "a.b --remove two --add two"},
		{3, "removed and added in one transaction", "a.b --remove one --add one"},
		{3, "partition field region", "a.b --remove one --add both"},
		{6, "not found", "a.b --remove one --add nowhere"},
	} {
		refuse(t, test.code, test.text, append([]string{"replace"}, strings.Fields(test.args)...)...)
	}
	if after := do(t, "log", "a.b", "--output", "json"); after != before {
		t.Errorf("the table has changed:\n%s", after)
	}
}
