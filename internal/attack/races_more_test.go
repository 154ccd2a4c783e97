package attack_test

// moreRaceScripts are races about whole snapshots, branches, outcomes and foreign trees.
var moreRaceScripts = []struct {
	name, script string
	want         []string
}{
	{"a restore against a merge, a push, a vector and another restore", `
table cap=2
add f1..f4 rows=10
commit
remove f1
extend f3 rows=2
commit
restore 1 by=a
step a until=swap
merge L1 L2 by=b
commit by=b
step a until=swap
begin cap=1 by=b
add g1 by=b
commit by=b
step a until=swap
extend f2 rows=1 by=b
commit by=b
step a until=swap
restore 2 by=b
commit by=b
step a
live`, []string{"attempts 5", "4 files: f1..f4"}},

	{"a restore of a branch's snapshot on main, which the winner expires between two attempts", `
table cap=2
add f1..f4 rows=10
commit
branch create b at=1
begin branch=b
add g1 rows=10
extend f1 rows=1
commit
restore 2 by=a
step a until=swap
add h1 rows=10 by=b
commit by=b
step a until=swap
branch drop b by=b
expire keep=1 by=b
step a
live`, []string{"restore-gone", "5 files: f1..f4 h1"}},

	{"two restores of one snapshot of a branch, on main and on the branch", `
table cap=2
add f1..f4 rows=10
commit
branch create b at=1
begin branch=b
remove f1
extend f2 rows=1
commit
restore 2 by=a
step a until=swap
begin branch=b by=c
restore 1 by=c
commit by=c
step a
live
live branch=b`, []string{"attempts 2", "3 files: f2..f4", "4 files: f1..f4"}},

	{"a branch that is forwarded, dropped and made again, and pointed to another line", `
table policy=never
add f1 rows=10
commit
branch create b
begin branch=b by=a
add a1 rows=10 by=a
step a until=swap
add f2 rows=10 by=c
commit by=c
branch forward b to=main by=c
step a until=swap
branch drop b by=c
branch create b by=c
step a until=swap
branch drop b by=c
branch create b at=1 by=c
step a
live
live branch=b`, []string{"branch-moved", "2 files: f1..f2", "1 file: f1"}},

	{"updates of the metadata that race each other", `
table policy=never
add f1 rows=10
commit
props a=1 by=a until=swap
props a=2 b=2 by=b
branch create x by=c until=swap
step a
branch create x by=d
step c
schema add "y long" by=a until=swap
schema add "y int" by=b
step a`, []string{"attempts 2", "update-raced", "update-raced"}},

	{"a swap that lands late while the writer tries again on the same base", `
table policy=never
add f1 rows=10
commit
extend f1 rows=1 by=a
add a1 rows=10 by=a
fault a "swap #1 late manual"
step a until=swap
step a until=put:root
land
extend f1 rows=2 by=b
commit by=b
step a
live`, []string{"1 call landed", "attempts 2", "2 files: a1 f1"}},

	{"a swap that lands after its writer has moved to another base is none", `
table policy=never
add f1 rows=10
commit
add a1 rows=10 by=a
fault a "swap #1 late manual"
fault a "swap #2 late manual"
step a until=swap
step a until=put:root
add b1 rows=10 by=b
commit by=b
step a
land
live`, []string{"2 calls landed", "3 files: a1 b1 f1"}},

	{"a restore that lands late, and whose snapshot is gone when it tries again", `
table policy=never
add f1 f2 rows=10
commit
remove f1
commit
restore 1 by=a
fault a "swap #1 late manual"
step a until=swap
step a until=put:root
land
expire keep=1 by=b
step a
live`, []string{"snapshot 3, attempts 2", "2 files: f1..f2"}},

	{"a throttled swap whose copy landed, and one that is overtaken", `
table policy=never
add f1 rows=10
commit
add a1 rows=10 by=a
fault a "swap #1 land-http-429"
commit by=a
add a2 rows=10 by=a
fault a "swap #1 http-429"
step a until=swap
step a until=load
add b1 rows=10 by=b
commit by=b
step a
live`, []string{"snapshot 2", "attempts 2", "4 files: a1..a2 b1 f1"}},

	{"a swap that landed, and whose snapshot has expired before the writer looks", `
table policy=never
add f1 rows=10
commit
add a1 rows=10 by=a
fault a "swap #1 land-unknown"
step a until=swap
step a until=load
add b1 rows=10 by=b
commit by=b
expire keep=1 by=b
step a
live`, []string{"updated\nsnapshot 2\n", "3 files: a1 b1 f1"}},

	{"the log is trimmed while the outcome is unknown", `
table policy=never
add f1 rows=10
commit
add a1 rows=10 by=a
fault a "swap #1 land-unknown"
step a until=swap
step a until=load
add b1 rows=10 by=b
commit by=b
trim-log
expire keep=1 by=b
step a
live`, []string{"unknown", "3 files: a1 b1 f1"}},

	{"a column is promoted, and another dropped, between two attempts of a fold", `
table cap=2
schema add "n int"
add f1..f3 rows=10 stats={5:{lower=int(1),upper=int(5),tight=true,values=10,nulls=0}}
commit
fold L1 by=a
remove f1 by=a
extend f3 rows=1 by=a
step a until=swap
schema promote n long by=b
schema drop price by=b
step a until=swap
add g1 rows=10 stats={5:{lower=long(1),upper=long(5000000000),tight=true,values=10,nulls=0}} by=b
commit by=b
step a
live`, []string{"attempts 3", "3 files: f2..f3 g1"}},

	{"a table with timestamps: a merge that is kept while a winner masks", `
table cap=9
add x
commit
hand
  tree timestamps added_rows=200
  leaf ADDED ts.parquet snapshot=2 seq=2 file_seq=2 first_row_id=100
    0 ADDED n1
    1 ADDED n2
  loose EXISTING x snapshot=1 seq=1 file_seq=1 first_row_id=0 timestamp=1000000
begin policy=scripted mode=maintenance by=a
merge ts.parquet with=loose by=a
add y by=a
step a until=swap
add z by=b
remove n1 by=b
commit by=b
step a
tree with=numbers,leaves`, []string{"rewrite-masked", "masked EXISTING n1", "timestamp=3000000", "EXISTING n2", "timestamp=3000000",
		"EXISTING x", "timestamp=1000000", "EXISTING z", "timestamp=5000000"}},

	{"a foreign leaf of live and dead rows, merged while winners mask", `
table cap=9
add x gone
commit
hand
  tree added_rows=400
  leaf ADDED mixed.parquet snapshot=2 seq=2 file_seq=2 first_row_id=200
    0 ADDED n1
    1 DELETED gone snapshot=2 seq=1 file_seq=1 first_row_id=100
    2 EXISTING x snapshot=1 seq=1 file_seq=1 first_row_id=0
    3 ADDED n2
begin policy=scripted by=a
merge mixed.parquet with=loose by=a
refresh n1 stats={1:{lower=long(1),upper=long(2),tight=true,values=100,nulls=0}} by=a
add y1 y2 by=a
step a until=swap
remove n2 by=b
add z by=b
commit by=b
step a until=swap
extend x rows=1 by=b
commit by=b
step a
live`, []string{"attempts 3", "rewrite-masked L1", "5 files: n1 x y1..y2 z"}},

	{"a writer whose base has expired and whose leaves are gone", `
table cap=2
add f1..f4 rows=10
commit
extend f1 rows=1 by=a
merge L1 L2 by=b
commit by=b
expire keep=1 by=b
commit by=a
live`, []string{"snapshot 3", "4 files: f1..f4"}},
}
