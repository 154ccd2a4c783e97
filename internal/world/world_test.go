package world_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/manifestio"
	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/internal/world"
	"github.com/firn-io/firn/store"
	"github.com/firn-io/firn/tree"
)

// lyingCodec writes other roots than it is told to.
type lyingCodec struct {
	treeio.Codec
	lie func([]tree.Entry) []tree.Entry
}

func (c lyingCodec) PutRoot(ctx context.Context, o store.Objects, name string, s manifestio.Schema, rows []tree.Entry) (int64, error) {
	return c.Codec.PutRoot(ctx, o, name, s, c.lie(slices.Clone(rows)))
}

// TestWorldFindsFaults commits through codecs that lie behind the back of the engine's own checks.
func TestWorldFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		lie  func([]tree.Entry) []tree.Entry
		want string
	}{
		{"a file is lost", func(rows []tree.Entry) []tree.Entry { return rows[:len(rows)-1] }, "should be live and is not"},
		{"a mask is lost", func(rows []tree.Entry) []tree.Entry {
			rows[0].Manifest.Val.DV = nil
			return rows
		}, "is live and should not be"},
		{"a change is not told", func(rows []tree.Entry) []tree.Entry {
			rows[0].Tracking.DeletedPositions = nil
			return rows
		}, "change feed of snapshot 2"},
		{"a row id moves", func(rows []tree.Entry) []tree.Entry {
			rows[0].Tracking.FirstRowID.Val++
			return rows
		}, "and should be"},
		{"a status is wrong", func(rows []tree.Entry) []tree.Entry {
			rows[0].Tracking.Status = tree.Existing
			return rows
		}, "X-MDV-STATUS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lies := false
			w := world.New(world.Options{Codec: lyingCodec{treeio.Parquet{}, func(rows []tree.Entry) []tree.Entry {
				if !lies {
					return rows
				}
				return c.lie(rows)
			}}})
			w.Run("table cap=2\nadd a1 a2 b\ncommit\nremove a1\n")
			if err := w.Err(); err != nil && !strings.Contains(err.Error(), "without a check") {
				t.Fatal(err)
			}
			lies = true
			out := w.Do("commit")
			if !strings.Contains(out, "WRONG") || !strings.Contains(out, c.want) {
				t.Errorf("printed %q, want WRONG and %q", out, c.want)
			}
			w.Do("check")
			if err := w.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

// TestLeavingWithoutCheck holds every script to checking each of its tables.
func TestLeavingWithoutCheck(t *testing.T) {
	for script, want := range map[string]bool{
		"":                                       false,
		"table cap=8\ncheck":                     false,
		"table cap=8\nadd a":                     true,
		"table cap=8\ntable cap=2\ncheck":        true,
		"table cap=8\ncheck\ntable cap=2\ncheck": false,
	} {
		w := world.New(world.Options{})
		w.Run(script)
		if got := w.Err() != nil; got != want {
			t.Errorf("%q: %v", script, w.Err())
		}
	}
}

// TestCommandErrors shows what the interpreter refuses.
func TestCommandErrors(t *testing.T) {
	for command, want := range map[string]string{
		"":                                    "there is no command",
		"fly":                                 "there is no command fly",
		"tree as=json":                        "tree has no option as",
		"tree with=colors":                    "with= knows no colors",
		"tree at=9":                           "there is no snapshot 9",
		"tree\n  body":                        "tree has no body",
		"table cap=0":                         "not a number from 1",
		"table policy=best":                   "names \"best\"",
		"table partition=\"week(ts)\"":        "unknown transform",
		"clock":                               "want how far",
		"clock soon":                          "invalid duration",
		"setdv x rows=a":                      "want a position",
		"setdv x rows=1 merge=no":             "want merge=yes",
		"compact x b":                         "want files, into",
		"deletewhere":                         "want a filter",
		"deletewhere \"color = 1\"":           "color",
		"restore":                             "want one snapshot",
		"merge L1 with=all":                   "want with=loose",
		"commit until=fly":                    "there is no operation fly",
		"commit until=put:stone":              "there is no class of objects stone",
		"schema paint x":                      "want add, require, drop",
		"schema add \"x colour\"":             "want a column and its type",
		"spec paint x":                        "spec knows no paint",
		"branch paint x":                      "branch knows no paint",
		"step a":                              "has nothing to commit",
		"outcome a":                           "is known",
		"cancel a":                            "not in the middle of a commit",
		"fault a \"swim\"":                    "swim",
		"begin mode=idle":                     "mode= knows no idle",
		"writes a":                            "there was none",
		"tree branch=b":                       "not found",
		"begin duplicates=ignored":            "duplicates= knows no ignored",
		"add a rows=many":                     "want a number",
		"add a at=1":                          "there is no such field",
		"add a colour=red":                    "there is no such field",
		"add a3..a1":                          "a3..a1 is no range",
		"add a1..b2":                          "a1..b2 is no range",
		"add \"a":                             "a quote is not closed",
		"add (a":                              "the brackets do not match",
		"add a rows=1 rows=2":                 "option rows is given twice",
		"replace a b":                         "want files, with",
		"remove a at=1":                       "is not live there",
		"remove a seq=x":                      "invalid syntax",
		"leaf":                                "want one leaf",
		"leaf L7":                             "does not point to L7",
		"plan":                                "the last commit did not succeed",
		"cost":                                "the last commit did not succeed",
		"hand\n  leaf ADDED":                  "want kind, status and location",
		"hand\n  leaf ADDED l\n    1 ADDED a": "row 1 stands in place of row 0",
	} {
		w := world.New(world.Options{})
		w.Run("table cap=8\nadd x\ncommit\nremove y\ncommit")
		if out := w.Do(command); !strings.HasPrefix(out, "error: ") || !strings.Contains(out, want) {
			t.Errorf("%q prints %q, want an error with %q", command, out, want)
		}
	}
}

// TestNamesAreListed lists live files in natural order, with ranges, and quoted where they must be.
func TestNamesAreListed(t *testing.T) {
	w := world.New(world.Options{})
	w.Run("table policy=never\nadd a10 a9 a2 a1 b \"c d\" \"e=1\" f01 f02 7\ncommit")
	if got, want := w.Do("live"), "10 files: 7 a1..a2 a9..a10 b \"c d\" \"e=1\" f01 f02\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
