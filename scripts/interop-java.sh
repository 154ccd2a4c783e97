#!/usr/bin/env bash
# usage: interop-java.sh JAVA_READER [TABLE_FOLDER...]
#
# Compares, for every snapshot of every table, the live files that firn lists with those that Apache's Java libraries
# find, byte for byte. JAVA_READER is a command that is called as
#     JAVA_READER snapshots METADATA_FILE TABLE_FOLDER OUT_FOLDER
# writes OUT_FOLDER/expected-SNAPSHOT_ID.tsv in the columns of `firn files --output tsv`, without a header, and reports
# broken rules on standard error in lines that begin with VIOLATION, and what Apache's code cannot read with INTEROP.
# Without folders it takes the tables below demo/, which `make demo` leaves behind, and the scenario tables of
# internal/interop. It ends with 1 if anything differs or was reported.
set -euo pipefail
export LC_ALL=C.UTF-8 # Java finds files with names outside of ASCII only in such a locale; the order is that of bytes
if [ -z "${1:-}" ]; then
	sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
	exit 2
fi
reader=$1
shift
cd "$(dirname "$0")/.."
firn=${FIRN:-bin/firn}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tables=("$@")
if [ ${#tables[@]} = 0 ]; then
	[ -d demo ] || { echo "interop-java.sh: there is no folder demo: run make demo first" >&2; exit 2; }
	FIRN_SCENARIO_TABLES=$work/tables "${GO:-go}" test -count=1 -run '^TestWriteScenarioTables$' ./internal/interop >"$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	while IFS= read -r folder; do
		tables+=("${folder%/metadata}")
	done < <(find demo "$work/tables" -type d -name metadata | sort)
fi

failed=0
fail() {
	echo "FAILED: $*" >&2
	failed=1
}

# compare_snapshot TABLE ID JAVA_LINES
compare_snapshot() {
	if ! "$firn" files "$1" "$2" --output tsv --no-header >"$work/firn.tsv"; then
		fail "$1: snapshot $2: firn files ended with an error"
	elif ! diff "$3" "$work/firn.tsv" >"$work/diff"; then
		fail "$1: snapshot $2 differs (< Java, > firn)"
		head -n 10 "$work/diff" >&2
	fi
}

# compare_table TABLE
compare_table() {
	local table=$1 out=$work/java metadata file id snapshots=0 lines=0
	metadata=$(find "$table/metadata" -name '*.metadata.json' | sort | tail -n 1)
	rm -rf "$out"
	mkdir "$out"
	if ! "$reader" snapshots "$metadata" "$table" "$out" 2>"$work/report"; then
		fail "$table: the reader ended with an error"
		tail -n 10 "$work/report" >&2
	elif grep -E '^(VIOLATION|INTEROP)' "$work/report" >&2; then
		fail "$table: the reader reported this"
	fi
	for file in "$out"/expected-*.tsv; do
		[ -e "$file" ] || { fail "$table: the reader listed no snapshot"; return; }
		id=${file##*/expected-}
		compare_snapshot "$table" "${id%.tsv}" "$file"
		snapshots=$((snapshots + 1))
		lines=$((lines + $(wc -l <"$file")))
	done
	total=$((total + lines))
	printf '%6d lines in %3d snapshots  %s\n' "$lines" "$snapshots" "${table#"$work/tables/"}"
}

total=0
for table in "${tables[@]}"; do
	compare_table "$table"
done
echo "$total lines in ${#tables[@]} tables compared"
exit $failed
