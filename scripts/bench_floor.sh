#!/usr/bin/env bash
# Holds reading and recooking against the floor: the same byte ranges fetched, and the same streams
# inflated, compressed and compared, by the bare codec libraries. Both run in one process and take
# turns, so that a machine whose clock drifts treats both alike; tests/bench/bare.cpp, the floor,
# includes none of the project's headers. Prints Markdown and exits 1 where a ratio is above its limit
# by more than the noise of the run, or where the contents differ.
#
#   scripts/bench_floor.sh [--size 200MB] [--rounds 9] [--folder DIR]
#
# DIR takes files of some hundred megabytes; the default is a temporary folder. The data are synthetic.
# Nothing else should run on the machine: a recook of one thread reads and writes while it works.
set -euo pipefail
. "$(dirname "$0")/common.sh"

size=200MB
rounds=9
folder=
while (($#)); do
  case $1 in
    --size) size=$2 ;;
    --rounds) rounds=$2 ;;
    --folder) folder=$2 ;;
    *) echo "usage: scripts/bench_floor.sh [--size SIZE] [--rounds N] [--folder DIR]" >&2; exit 2 ;;
  esac
  shift 2
done

say "Building in build/release"
build release hipo-tool hipo-ratios | tail -n 1
tool=build/release/apps/hipo-tool/hipo-tool

work=$(mktemp -d "${folder:-${TMPDIR:-/tmp}}/hipo-floor.XXXXXX")
trap 'rm -rf "$work"' EXIT
say "Making files of $size raw (synthetic cooked events)"
"$tool" generate "$work/lz4_per-chunk.hipo" --profile dst --raw-size "$size" --layout per-chunk --codec lz4 --quiet
for codec in lz4 lz4hc zstd gzip; do
  "$tool" recook "$work/lz4_per-chunk.hipo" "$work/${codec}_per-column.hipo" \
    --layout per-column --codec "$codec" --quiet 2>/dev/null
done

say "Measuring ($rounds rounds after one to warm up)"
build/release/tests/bench/hipo-ratios "$work" --rounds "$rounds" | python3 scripts/bench_floor.py
