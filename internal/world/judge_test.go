package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/treeio"
	"github.com/firn-io/firn/internal/world"
	"github.com/firn-io/firn/tree"
)

// TestWorldJudgesChanges commits each kind of change through a codec that lies behind the back of the engine's own
// checks.
func TestWorldJudgesChanges(t *testing.T) {
	live := func(rows []tree.Entry, name string) *tree.Entry {
		i := slices.IndexFunc(rows, func(e tree.Entry) bool { return e.Location == name && e.Tracking.Status.Live() })
		return &rows[i]
	}
	for _, c := range []struct {
		name, script string
		lie          func(rows []tree.Entry) []tree.Entry
		want         string
	}{
		{"deleted rows come back", "extend a rows=3", func(rows []tree.Entry) []tree.Entry {
			live(rows, "a").DeletionVector.Valid = false
			return rows
		}, "deleted:3"},
		{"the vector of another file", "extend a rows=3\nextend b rows=4", func(rows []tree.Entry) []tree.Entry {
			live(rows, "a").DeletionVector = live(rows, "b").DeletionVector
			return rows
		}, "deleted:4"},
		{"the old state is not told", "extend a rows=3", func(rows []tree.Entry) []tree.Entry {
			return slices.DeleteFunc(rows, func(e tree.Entry) bool { return !e.Tracking.Status.Live() })
		}, "change feed"},
		{"statistics are lost", "refresh a stats={1:{values=100,nulls=0}}", func(rows []tree.Entry) []tree.Entry {
			live(rows, "a").Stats = nil
			return rows
		}, "stats:[]"},
		{"statistics of a new file are lost", "add c stats={1:{values=100,nulls=0}}", func(rows []tree.Entry) []tree.Entry {
			live(rows, "c").Stats = nil
			return rows
		}, "stats:[]"},
		{"a compaction forgets its number", "commit\ncompact a into c asof=1", func(rows []tree.Entry) []tree.Entry {
			live(rows, "c").Tracking.SequenceNumber.Val++
			return rows
		}, "sequence:2"},
		{"a restored file gets other row ids", "remove a\ncommit\nrestore 1", func(rows []tree.Entry) []tree.Entry {
			if i := slices.IndexFunc(rows, func(e tree.Entry) bool { return e.Tracking.Status == tree.Added }); i >= 0 {
				rows[i].Tracking.FirstRowID.Val += 100
			}
			return rows
		}, "firstRowID:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lies := false
			w := world.New(world.Options{Codec: lyingCodec{treeio.Parquet{}, func(rows []tree.Entry) []tree.Entry {
				if !lies {
					return rows
				}
				return c.lie(rows)
			}}})
			w.Run("table policy=never\nadd a b\ncommit\n" + c.script)
			lies = true
			if out := w.Do("commit"); !strings.Contains(out, "WRONG") || !strings.Contains(out, c.want) {
				t.Errorf("printed %q, want WRONG and %q", out, c.want)
			}
		})
	}
}

// TestParkedWriters holds a script to what it began.
func TestParkedWriters(t *testing.T) {
	for script, want := range map[string]bool{
		"add x by=a\nstep a until=swap\ncheck":                               true,
		"add x by=a\nstep a until=swap\nstep a\ncheck":                       false,
		"add x by=a\nstep a until=swap\ncrash a\ncheck orphans=2":            false,
		"add x by=a\nstep a until=swap\ncheck\ntable cap=2\ncheck":           true,
		"add x by=a\nstep a until=swap\ncrash a\ncheck":                      true,
		"add x by=a\nfault a \"swap land-crash\"\nstep a\ncheck":             false,
		"props a=b by=a until=swap\ncheck":                                   true,
		"props a=b by=a until=put:metadata\ncrash a\nlive\ncheck orphans=0":  false,
		"add x by=a\nstep a until=put:root\ncrash a\ntree\ncheck orphans=0":  false,
		"add x by=a\nstep a until=put:root\ncrash a\ntree\ncheck orphans=-1": true,
	} {
		w := world.New(world.Options{})
		w.Run("table policy=never\n" + script)
		if got := w.Err() != nil; got != want {
			t.Errorf("%q: %v", script, w.Err())
		}
	}
}
