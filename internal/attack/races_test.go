package attack_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/world"
)

// stats is how scripts spell the statistics of a file of ten rows.
const stats = "stats={1:{lower=long(1),upper=long(5),tight=true,values=10,nulls=0}}"

// raceScripts are races of the writer a with others. The world holds each snapshot against its model, the change feed and
// all invariants; want are parts of what the commands print, in their order.
var raceScripts = []struct {
	name, script string
	want         []string
}{
	{"a fold against a mask, a vector, a refresh and a restore in turn", `
table cap=6
add f1..f6 rows=10
add f7 rows=10
commit
remove f1
commit
fold L1 by=a
step a until=swap
remove f2 by=b
commit by=b
step a until=swap
extend f3 rows=1 by=b
commit by=b
step a until=swap
refresh f4 STATS by=b
commit by=b
step a until=swap
restore 1 by=b
commit by=b
step a
writes a
live`, []string{"attempts 5", "rewrite-masked L2", "attempt 5: 1 root, 1 metadata file; swap: ok", "7 files: f1..f7"}},

	{"a merge of two leaves whose rows are masked in both, one of them by itself", `
table cap=2
add f1..f6 rows=10
commit
begin policy=scripted mode=foreground by=a
merge L1 L3 L2 by=a
remove f5 by=a
step a until=swap
remove f2 by=b
extend f3 rows=1 by=b
commit by=b
step a until=swap
remove f6 by=b
commit by=b
step a
tree with=leaves
live`, []string{"attempts 3", "rewrite-masked L4", "rewrite-lost L3", "3 files: f1 f3..f4"}},

	{"a merge whose loose member is refreshed, removed and restored", `
table policy=never
add f1 f2 rows=10
commit
begin cap=1
commit
begin policy=never
add x rows=10
commit
begin policy=scripted mode=foreground by=a
merge L1 with=loose by=a
add y rows=10 by=a
step a until=swap
refresh x STATS by=b
commit by=b
step a until=swap
remove x by=b
commit by=b
step a until=swap
restore 3 by=b
commit by=b
step a
live`, []string{"attempts 4", "add-replan", "4 files: f1..f2 x y"}},

	{"a merge whose loose members are pushed away", `
table cap=2
add f1..f5 rows=10
commit
begin policy=scripted mode=foreground by=a
merge L1 with=loose by=a
step a until=swap
begin cap=1 by=b
commit by=b
step a
live`, []string{"attempts 2", "5 files: f1..f5"}},

	{"a merge beside removals, vectors and a refresh, against vectors and a fold", `
table cap=2
add f1..f4 rows=10
commit
begin policy=scripted by=a
merge L1 L2 with=loose by=a
extend f1 rows=2 merge=yes by=a
extend f3 rows=3 merge=yes by=a
refresh f2 STATS by=a
remove f4 by=a
step a until=swap
extend f3 rows=9 by=b
commit by=b
step a until=swap
extend f4 rows=9 by=b
commit by=b
step a until=swap
fold L1 by=b
commit by=b
step a
live
writes a`, []string{"dv-raced f3", "remove-dv-kept f4", "3 files: f1..f3", "attempt 2: 1 Puffin file", "attempt 3: 1 root"}},

	{"vectors of one file of which one is joined anew and the other kept", `
table policy=never
add f1 f2 rows=10
commit
extend f1 rows=1 merge=yes by=a
extend f2 rows=1 merge=yes by=a
step a until=swap
extend f1 rows=2 by=b
commit by=b
step a until=swap
extend f2 rows=1 by=b
commit by=b
step a
tree
writes a`, []string{"attempts 3", "f1 rows=10 dv=#2", "f2 rows=10 dv=#1", "swap: ok"}},

	{"a leaf with a file that the winner refreshes is written anew", `
table policy=never
add f1 f2 rows=10
commit
begin cap=1 by=a
add g1 rows=10 by=a
step a until=swap
refresh f1 STATS by=b
commit by=b
step a
tree with=leaves
writes a`, []string{"attempts 2", "attempt 2: 1 leaf, 1 root", "removed: 1 leaf, 1 root"}},

	{"a row to delete that the winner updates", `
table policy=never
add f1 rows=10
commit
extend f1 rows=1 merge=yes by=a
step a until=swap
extend f1 rows=1,2 by=b
add g1 rows=2 by=b
commit by=b
step a
tree`, []string{"dv-raced", "(overwrite) may have written new states", "f1 rows=10 dv=#2"}},

	{"a vector and a refresh of one file against a refresh, a push and a vector", `
table policy=never
add f1 rows=10
commit
extend f1 rows=1 by=a
refresh f1 STATS by=a
step a until=swap
refresh f1 STATS by=b
commit by=b
step a until=swap
begin cap=1 by=b
add g1 rows=10 by=b
commit by=b
step a until=swap
extend f1 rows=2 by=b
commit by=b
step a`, []string{"snapshot 4", "dv-raced", "nothing was committed"}},

	{"a file removed and added again by the winner is not the one that was meant", `
table policy=never
add f1 f2 rows=10
commit
remove f1 by=a
step a until=swap
remove f1 by=b
commit by=b
add f1 rows=10 by=b
commit by=b
step a
live`, []string{"remove-gone", "2 files: f1..f2"}},

	{"a file that the winner removed and restored is not the one whose rows were to go", `
table policy=never
add f1 f2 rows=10
commit
extend f1 rows=3 by=a
step a until=swap
remove f1 by=b
commit by=b
restore 1 by=b
commit by=b
step a
live`, []string{"dv-gone", "2 files: f1..f2"}},

	{"hints of another branch, of before a fold and of before a restore", `
table cap=2
add f1..f4 rows=10
commit
branch create b at=1
begin branch=b
remove f1
extend f2 rows=1
commit
remove f3
commit
fold L2 by=b
commit by=b
restore 1 by=b
commit by=b
replace f2 with g2 rows=9 at=2 by=a
commit by=a
remove f4 at=1 by=c
commit by=c
remove f1 at=1 by=e
commit by=e
live`, []string{"remove-dv-raced", "target-moved f4", "2 files: f2..f3"}},

	{"a compaction against a fold, and then against a vector", `
table cap=2
add f1..f4 rows=10
commit
extend f1 rows=1
commit
compact f1 f2 into g1 asof=2 rows=19 by=a
step a until=swap
fold L1 by=b
commit by=b
step a until=swap
extend f2 rows=1 by=b
commit by=b
step a
compact f1 f2 into g1 asof=2 rows=19 by=c
commit by=c
compact f1 f2 into g1 rows=18 by=d
commit by=d
live`, []string{"remove-dv-raced", "remove-dv-raced", "3 files: f3..f4 g1"}},

	{"a delete by a filter of files that are folded, renamed and added meanwhile", `
table cap=2
add f1..f4 rows=10 STATS
commit
begin isolation=snapshot by=a
deletewhere "id > 0" by=a
step a until=swap
merge L1 L2 by=b
commit by=b
schema rename id key by=b
add g1 rows=10 STATS by=b
commit by=b
step a
live`, []string{"attempts 2", "1 file: g1"}},

	{"a filter that another one depends on: a fold carries old files, a restore brings new ones", `
table cap=2
add f1..f4 rows=10 STATS
commit
remove f1
commit
depend "id > 3" by=a
add h1 rows=10 by=a
step a until=swap
merge L1 L2 by=b
commit by=b
step a until=swap
restore 1 by=b
commit by=b
step a
live`, []string{"a waits", "a waits", "filter-raced", "4 files: f1..f4"}},
}

// TestRaces runs the races.
func TestRaces(t *testing.T) {
	for _, c := range append(raceScripts, moreRaceScripts...) {
		t.Run(c.name, func(t *testing.T) {
			w := world.New(world.Options{})
			out := w.Run(strings.ReplaceAll(c.script, "STATS", stats))
			checked := w.Do("check orphans=any")
			if strings.Contains(checked, ": error ") || strings.Contains(checked, "unreadable") || w.Err() != nil {
				t.Errorf("%s%s%v", out, checked, w.Err())
			}
			for rest, i := out, 0; i < len(c.want); i++ {
				_, after, found := strings.Cut(rest, c.want[i])
				if !found {
					t.Fatalf("%q is not in its place in\n%s", c.want[i], out)
				}
				rest = after
			}
		})
	}
}
