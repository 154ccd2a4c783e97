#!/usr/bin/env bash
# Fuzzes every decoder for the given time each. Prints executions and findings; fails if there is a finding.
set -uo pipefail
each=${1:-30s}
go=${GO:-go}
findings=0
while read -r file name; do
  package=./$(dirname "$file")
  out=$("$go" test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "$each" -fuzzminimizetime 5x 2>&1)
  status=$?
  execs=$(grep -oE 'execs: [0-9]+' <<<"$out" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
  if [ "$status" -eq 0 ]; then
    printf '%-24s %-28s %12s executions, no finding\n' "$package" "$name" "${execs:-0}"
  else
    findings=$((findings + 1))
    printf '%-24s %-28s %12s executions, FINDING\n%s\n' "$package" "$name" "${execs:-0}" "$out"
  fi
done < <(git grep -E '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | sed -E 's/^([^:]+):func (Fuzz[A-Za-z0-9]+).*/\1 \2/' | sort)
echo "findings: $findings"
[ "$findings" -eq 0 ]
