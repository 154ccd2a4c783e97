#!/usr/bin/env bash
# Runs the benchmarks behind the figures of docs/performance.md, prints the figures next to their limits, and writes
# them into that document. Takes a few minutes. Each benchmark compares two things in turns and reports the ratio of
# their medians, so a busy machine makes the ratios noisy rather than wrong; sizes and counts are the same everywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# run ITERATIONS PACKAGE BENCHMARKS
run() {
	"$go" test -run '^$' -bench "$3" -benchtime "$1x" -count 1 "$2" | tee -a "$results" >&2
}

"$go" test -count 1 -run '^TestEncodeSizes$' -v ./internal/manifestio | tee -a "$results" >&2
run 20 ./internal/manifestio '^BenchmarkEncode$'
run 150 ./internal/manifestio '^BenchmarkDecode$' # rounds of few milliseconds, which one garbage collection can double
run 300 ./mdv '^Benchmark(Encode|Decode|DecodeMany|Union)$'
run 50 ./bench/figures '^BenchmarkAppend$'
run 5 ./bench/figures '^BenchmarkRemove$'
run 50 ./bench/figures '^BenchmarkPlan$'
"$go" run ./bench/figures -document docs/performance.md <"$results"
