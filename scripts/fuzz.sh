#!/usr/bin/env bash
# usage: fuzz.sh [TIME]
# Fuzzes every decoder for the given time each (30s), JOBS of them at once (2), each with one worker. Prints executions
# and findings; fails if there is a finding. What a finding needs to be repeated is left in testdata/fuzz of its package.
set -uo pipefail
cd "$(dirname "$0")/.."
export each=${1:-30s} go=${GO:-go}

# fuzz FILE:func NAME fuzzes one target and prints one line, with the output below it if there is a finding.
fuzz() {
	local package name out execs
	package=./$(dirname "${1%%:*}")
	name=$(grep -oE 'Fuzz[A-Za-z0-9]+' <<<"${1#*:}")
	# Without a bound the fuzzer spends its time on making large seeds smaller.
	if out=$("$go" test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "$each" -fuzzminimizetime 5x -parallel 1 2>&1); then
		found='no finding'
	else
		found='FINDING'
	fi
	execs=$(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1 | grep -oE '[0-9]+')
	printf '%-24s %-20s %12s executions, %s\n' "$package" "$name" "${execs:-0}" "$found"
	[ "$found" = 'no finding' ] || { echo "$out"; return 1; }
}
export -f fuzz

targets=$(git grep -hoE --no-line-number '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | wc -l)
if git grep -E '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | xargs -d '\n' -P "${JOBS:-2}" -I{} bash -c 'fuzz "$1"' _ {}; then
	echo "$targets targets, no finding"
else
	echo "$targets targets, findings above"
	exit 1
fi
