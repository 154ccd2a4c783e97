#!/usr/bin/env bash
# Measures commits of firn against those of iceberg-go: bench/peers/README.md says what and how. Arguments go to the
# program, as in: scripts/peers.sh -check -write docs/performance.md. The first build takes minutes, the run a few more.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
"$go" -C bench/peers build -o "$binary" .
"$binary" "$@"
