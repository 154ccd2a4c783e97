#!/usr/bin/env bash
# usage: report-check.sh FOLDER
# Opens the reports of two and of seven policies in a headless Chromium, in both themes, and fails if one of them says anything on the
# console, asks the network for anything, or lacks a chart. What they look like is kept as PNG in FOLDER. The comparisons are those that
# FIRN_REPORT_COMPARISONS names, separated by colons, else those that bin/firn makes, else, if it has no `sim compare`, those of testdata.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
go=${GO:-go}

if [ -z "${FIRN_REPORT_COMPARISONS:-}" ] && bin/firn sim --help | grep -q '^ *compare '; then
	made=$(mktemp -d)
	trap 'rm -rf "$made"' EXIT
	# A policy that cannot go on is a finding, exit code 1, which the report shows.
	compare() {
		bin/firn sim compare --workload stream,cdc,mixed --commits "${COMMITS:-10000}" --policy "$1" --output json >"$2" || [ $? = 1 ]
	}
	compare when-full,adaptive "$made/two.json"
	compare never,when-full,sqrt,tiered,leveled,adaptive,adaptive:request-bytes=1300000 "$made/seven.json"
	export FIRN_REPORT_COMPARISONS=$made/two.json:$made/seven.json
fi
FIRN_REQUIRE=browser FIRN_REPORT_PICTURES=$folder "$go" test ./sim/report -run '^TestBrowser$' -count=1 -v
