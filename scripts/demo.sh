#!/bin/sh
# Makes an Iceberg v4 table from the Parquet files in testdata/events, changes it, prints it and checks it. Everything
# that it makes is in the folder demo/, which it empties first. Run it by make demo. The commands are printed so that
# they can be pasted.
set -eu
cd "$(dirname "$0")/.."

if [ ! -x bin/firn ]; then
    echo "demo: bin/firn is not there, run make build" >&2
    exit 1
fi
rm -rf demo

say() { printf '\n== %s\n' "$*"; }

# quoted prints words as they are written in a shell.
quoted() {
    for word; do
        case $word in
        *[\"\$\`\\!]*) printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")" ;;
        *\'*) printf ' "%s"' "$word" ;;
        '' | *[!A-Za-z0-9_./:=,@%+-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

# run prints a command and runs it.
run() {
    printf '$%s\n' "$(quoted "$@")"
    "$@"
}

firn() { run bin/firn "$@"; }

event() { echo "testdata/events/events-$1.parquet"; }

say "Where the catalog is, and where its tables go"
run mkdir -p demo/incoming
run export FIRN_CATALOG=sqlite:demo/firn.db FIRN_WAREHOUSE=demo/warehouse

say "A table with the columns of a Parquet file, partitioned by day; 8 entries stay in the root, then they go to a leaf"
firn init demo.events --like "$(event 01)" --partition "day(ts)" \
    --property firn.policy=cap --property firn.policy.rows=8

say "Twenty files in twenty commits"
for n in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20; do
    firn append demo.events "$(event $n)"
done

say "A file that is moved into the table, then two more in one commit"
run cp "$(event 21)" demo/incoming/late.parquet
firn append demo.events demo/incoming/late.parquet --move
firn append demo.events "$(event 22)" "$(event 23)"

say "The tree: leaves, and what is loose in the root"
firn tree demo.events

say "Two files are removed, one of them by its place in the table; two are replaced by one"
firn remove demo.events "$(event 02)" "$(cd demo/warehouse/demo/events && ls data/late-*.parquet)"
firn replace demo.events --remove "$(event 22)" "$(event 23)" --add "$(event 24)"

say "The tree after that, with the rows of its leaves: a removed file is masked, its leaf is the same object"
firn tree demo.events --leaves

say "History, and the files that a filter leaves"
firn log demo.events
firn files demo.events --where "ts >= '2026-03-05' AND region = 'eu-west'"

say "Rows are deleted by their positions; a branch is written beside main, which then follows it"
firn delete-rows demo.events "$(event 03)" --positions 3,7-9
firn branch demo.events create audit
firn remove demo.events "$(event 04)" --branch audit
firn changes demo.events '~1' @audit
firn branch demo.events fast-forward main --to audit

say "How healthy the tree is"
firn stats demo.events

say "The same file again is refused, and nothing changes"
if firn append demo.events "$(event 24)"; then
    echo "demo: the same file was added twice" >&2
    exit 1
fi

say "Every snapshot and every step, against the rules of the format, and every file: nothing is found"
firn check demo.events --history --storage --strict

say "Done. The table stays in the folder demo/: look at it with"
unset FIRN_CATALOG FIRN_WAREHOUSE
firn tree demo.events --catalog sqlite:demo/firn.db
