package attack_test

import (
	"strings"
	"testing"

	"github.com/firn-io/firn/internal/world"
)

const (
	// leafAndOne is a table with a leaf of four files and one file beside it, and lowAndHigh one whose files a filter tells apart.
	leafAndOne = "table cap=4\nadd a1..a4\ncommit\nadd x1 rows=10\ncommit\n"
	lowAndHigh = "table cap=4\nadd a1..a3 stats=LOW\nadd a4..a5 stats=HIGH\ncommit\n"
	// foldAndExpire is what another writer does so that the leaf of a base is gone.
	foldAndExpire = "fold L1 by=b\ncommit by=b\nexpire keep=1\n"
)

// bounds are the statistics of two kinds of files, which no filter on id matches both.
var bounds = strings.NewReplacer(
	"LOW", "{1:{lower=long(1),upper=long(5),tight=true,values=100,nulls=0}}",
	"HIGH", "{1:{lower=long(6),upper=long(9),tight=true,values=100,nulls=0}}",
)

// TestExpiredBases: each script showed a fault of a transaction whose base, or what it had seen in the meantime, expired
// before it was judged, or one that was found beside these; the last three hold what no test held. Each prints want, never never, and leaves a clean table.
func TestExpiredBases(t *testing.T) {
	for _, c := range []struct{ name, script, want, never string }{
		{"a replacement met its file first after the snapshot it began on had expired: the row that another writer deleted came back", leafAndOne + `
begin by=a
replace x1 with n1 by=a
extend x1 rows=3 by=b
commit by=b
` + foldAndExpire + `step a
live
check`,
			"remove-dv-raced: mem://wh/t/x1", "snapshot 6"},
		{"the same, where the base expired while the first leaf was read", leafAndOne + `
replace x1 with n1 by=a
step a until=range:leaf
extend x1 rows=3 by=b
commit by=b
` + foldAndExpire + `step a
live
check`,
			"remove-dv-raced: mem://wh/t/x1", "snapshot 6"},
		{"rows that another writer had deleted and moved were taken for none", leafAndOne + `
begin by=a
add n1 rows=1 by=a
extend x1 rows=3 by=a
extend x1 rows=3 by=b
add x1new rows=1 by=b
commit by=b
` + foldAndExpire + `step a
live
log
check`,
			"dv-raced: mem://wh/t/x1", "snapshot 5"},
		{"the same, beside a removal", leafAndOne + `
extend x1 rows=3 by=a
remove a1 by=a
extend x1 rows=3,4 by=b
add x1new rows=2 by=b
commit by=b
` + foldAndExpire + `step a
live
log
check`,
			"dv-raced: mem://wh/t/x1", "snapshot 5"},
		{"a location that is used again: the removal took the new file", leafAndOne + `
remove x1 by=a
remove a1 by=a
remove x1 by=b
commit by=b
add x1 rows=77 by=b
commit by=b
` + foldAndExpire + `step a
changes
live
check`,
			"remove-gone: mem://wh/t/x1", "snapshot 6"},
		{"the second state expired before its judgment was done, and was what the third was compared with", `
table cap=2
add a1..a3
commit
extend a1 rows=1 by=a
step a until=swap
extend a1 rows=1,2 by=b
add q1 rows=2 by=b
add q2 rows=2 by=b
commit by=b
` + strings.Repeat("step a until=range:leaf\n", 13) + `merge L1 L3 L4 by=c
commit by=c
expire keep=1
tree
step a
live
log
check`,
			"dv-raced: mem://wh/t/a1", "snapshot 5"},
		{"what a filter meant expired before it was read: it matched nothing, and the rest was committed", lowAndHigh + `
tree
begin isolation=snapshot by=a
deletewhere "id <= 5" by=a
add n1 stats=LOW by=a
` + foldAndExpire + `step a
live
check`,
			"filter-raced", "snapshot 4"},
		{"the same, where the files that it meant are gone", lowAndHigh + `
deletewhere "id <= 5" by=a
add n1 stats=LOW by=a
remove a1..a3 by=b
commit by=b
` + foldAndExpire + `tree
step a
live
check`,
			"filter-raced", "snapshot 5"},
		{"the same, where the table could not be asked whether it had moved on: the filter took a file that another writer had added since", lowAndHigh + `
begin isolation=snapshot by=a
deletewhere "id <= 5" by=a
add n1 stats=LOW by=a
add b1 stats=LOW by=b
commit by=b
` + foldAndExpire + `fault a "load #1 fail"
step a
live
check`,
			"filter-raced", "snapshot 4"},
		{"a swap that lands late, found out when the next attempt meets an expired snapshot: unknown, it was said", `
table cap=4
add a1..a4
commit
add b1..b4
commit
restore 1 by=a
fault a "swap #1 late manual"
step a until=swap
step a until=load
step a until=range:leaf
land
add c1 by=b
commit by=b
expire keep=1
step a
outcome a
live
check`,
			"snapshot 3\nerror: the outcome of writer \"a\" is known", "snapshot 5"},
		{"the last attempt meets an expired snapshot", `
table cap=4
add a1..a5
commit
begin attempts=1 by=a
remove a1 by=a
` + foldAndExpire + `step a
live
check`,
			"given up after 1 attempts", "remove-gone"},
		{"a compaction and an append in one snapshot are no compaction", `
table cap=9
add a1 a2
commit
compact a1 a2 into b1
add c1
commit
log
check`,
			"overwrite added-data-files=2", "replace added"},
		{"a file that a filter removes is added again", `
table cap=4
add a1..a5 stats=LOW
commit
tree
begin duplicates=unchecked
deletewhere "id <= 5"
add a1 stats=LOW
commit
tree
changes
live
check`,
			"refused: mem://wh/t/a1: removed by a filter and added", "snapshot 2"},
		{"maintenance of which nothing is left", `
table cap=9
add a1 a2
commit
begin mode=maintenance by=a
refresh a1 by=a stats=LOW
step a until=swap
remove a1 by=b
commit by=b
step a
log
check`,
			"nothing to do", "snapshot 4"},
		{"deletes that the snapshot of a compaction made itself are known to it", `
table policy=never
add x1 rows=10
commit
extend x1 rows=3
commit
add z1
commit
compact x1 into n1 asof=2 rows=9
commit
check`,
			"snapshot 4", "raced"},
		{"deletes that are older than the snapshot of a compaction, and whose own snapshot has expired, are known to it", `
table policy=never
add x1 rows=10
commit
extend x1 rows=3
commit
add y1
commit
tag create t at=3
add z1
commit
expire keep=1
compact x1 into n1 asof=3 rows=9
commit
check`,
			"snapshot 5", "raced"},
		{"deletes that are newer than the snapshot of a compaction, and whose own snapshot has expired, are not", leafAndOne + `
tag create t at=2
add b1..b4
commit
begin by=a
compact x1 into n1 asof=2 rows=10 by=a
extend x1 rows=3 by=b
commit by=b
fold L2 by=b
commit by=b
expire keep=1
step a
check`,
			"remove-dv-raced: mem://wh/t/x1", "snapshot 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := world.New(world.Options{}).Run(bounds.Replace(c.script))
			if !strings.Contains(out, c.want) || strings.Contains(out, c.never) || !strings.Contains(out, "clean") {
				t.Errorf("want %q, not %q, and a clean table in\n%s", c.want, c.never, out)
			}
		})
	}
}
