package cli_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrongPolicyIsWrongUse: a policy that there is not and a setting that none can have, on the command line of whatever command, are wrong
// use, and no table is asked.
func TestWrongPolicyIsWrongUse(t *testing.T) {
	newTable(t)
	do(t, "append", "a.b", copyEvent(t, "01"))
	for _, line := range []string{
		"maintain a.b --policy best", "maintain a.b --policy best --dry-run", "policy explain best", "policy explain best a.b",
		"policy advise a.b --policy best", "policy advise a.b --policy never,best", "sim run --policy best", "sim run --property firn.policy=best",
		"sim compare --policy best", "init a.c --like in/e01.parquet --property firn.policy=best",
	} {
		refuse(t, 2, "adaptive, cap, leveled, never, sqrt, tiered, when-full", strings.Fields(line)...)
	}
	for _, line := range []string{
		"init a.c --like in/e01.parquet --property firn.policy.rows=0", "policy explain cap --property firn.policy.rows=0",
		"policy explain cap a.b --property firn.policy.rows=0", "sim run --policy cap --property firn.policy.rows=0", "sim compare --policy cap:rows=0",
	} {
		refuse(t, 2, `firn.policy.rows is "0", not a number from 1`, strings.Fields(line)...)
	}
}

// TestWrongSettingOfTheTable: where the settings are wrong that another engine has given a table, every commit that would plan by them is
// refused, whoever chose the policy, and one by another policy is not. Who only asks for the policy asks for what the table cannot have.
func TestWrongSettingOfTheTable(t *testing.T) {
	newTable(t, "--property", "firn.policy=cap", "--property", "firn.policy.rows=2")
	do(t, "append", "a.b", copyEvent(t, "01"))
	heads, err := filepath.Glob("warehouse/a/b/metadata/*.metadata.json")
	if err != nil || len(heads) != 2 {
		t.Fatal(heads, err)
	}
	text := readFile(t, slices.Max(heads))
	theirs := bytes.Replace(text, []byte(`"firn.policy.rows":"2"`), []byte(`"firn.policy.rows":"2.5"`), 1)
	if bytes.Equal(text, theirs) {
		t.Fatalf("no setting in %s", text)
	}
	copyEvent(t, "02")
	name := filepath.Join("warehouse/a/b/metadata", "00009-theirs.metadata.json")
	writeFile(t, name, theirs)
	do(t, "register", "a.c", name)
	const wrong = `firn.policy.rows is "2.5", not a number from 1`
	for code, lines := range map[int][]string{
		3: {
			"append a.c in/e02.parquet", "remove a.c in/e01.parquet", "maintain a.c", "maintain a.c --dry-run",
			"maintain a.c --policy cap", "maintain a.c --policy cap --dry-run",
		},
		2: {"policy explain cap a.c", "policy advise a.c --policy cap"},
	} {
		for _, line := range lines {
			refuse(t, code, wrong, strings.Fields(line)...)
		}
	}
	do(t, "maintain", "a.c", "--policy", "sqrt")
	do(t, "policy", "explain", "cap", "a.c", "--property", "firn.policy.rows=3")
}
