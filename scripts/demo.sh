#!/usr/bin/env bash
# Shows in a few minutes what hipo-tool does: builds it, makes a sample file and packs it anew.
set -euo pipefail
. "$(dirname "$0")/common.sh"

say "1. What is needed"
scripts/install-deps.sh build

say "2. Building hipo-tool (some minutes the first time)"
build release
tool=build/release/apps/hipo-tool/hipo-tool
folder=build/demo
mkdir -p "$folder"
rm -f "$folder"/{sample,per-column,per-column-zstd}.hipo

run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "3. A sample: synthetic events like those of CLAS12, with lz4 over whole records, as most files are stored"
run "$tool" generate "$folder/sample.hipo" --raw-size 50MB --layout per-chunk --codec lz4 --quiet

say "4. The same events packed anew: each column of each bank is compressed by itself"
run "$tool" recook "$folder/sample.hipo" "$folder/per-column.hipo" --layout per-column

say "5. Once more, with zstd"
run "$tool" recook "$folder/sample.hipo" "$folder/per-column-zstd.hipo" --layout per-column --codec zstd --quiet

say "6. Nothing changed in the events: the digest (first column) is that of their content"
run "$tool" check --digest "$folder"/{sample,per-column,per-column-zstd}.hipo

say "7. What it saves"
size() { stat -c %s "$folder/$1"; }
row() {
  local bytes
  bytes=$(size "$1")
  printf '  %-22s %-20s %12d bytes %5d%% of the sample\n' "$1" "$2" "$bytes" \
    $((100 * bytes / $(size sample.hipo)))
}
row sample.hipo "lz4, per-chunk"
row per-column.hipo "lz4hc, per-column"
row per-column-zstd.hipo "zstd, per-column"
cat <<EOT

The files:    $top/$folder
The program:  $top/$tool
Next, try:    $tool recook --help
              $tool stats $folder/per-column.hipo --per-bank
              $tool dump $folder/per-column.hipo --tag 0 -n 1 -b 'REC::*'
A program that needs few columns reads only those from a file packed by column.
Synthetic events show the direction only: measure on files of your own.
EOT
