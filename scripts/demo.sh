#!/usr/bin/env bash
# Shows in a few minutes what hipo-tool does: builds it, makes a sample file and packs it anew.
set -euo pipefail
. "$(dirname "$0")/common.sh"

say "1. What is needed"
scripts/install-deps.sh build

say "2. Building hipo-tool (some minutes the first time)"
build release hipo-tool
tool=build/release/apps/hipo-tool/hipo-tool
folder=build/demo
rm -rf "$folder"
mkdir -p "$folder"

run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "3. A sample file: synthetic CLAS12-like events, stored as most files are (lz4, per-chunk)"
run "$tool" generate "$folder/sample.hipo" --raw-size 50MB --layout per-chunk --codec lz4

say "4. The same events packed anew, each column of each bank compressed by itself"
run "$tool" recook "$folder/sample.hipo" "$folder/per-column.hipo" --layout per-column
run "$tool" recook "$folder/sample.hipo" "$folder/per-column-zstd.hipo" --layout per-column --codec zstd --quiet

say "5. The content is the same: one digest three times"
run "$tool" check --digest "$folder"/*.hipo

say "6. What it saves"
before=$(stat -c %s "$folder/sample.hipo")
printf '%-22s %-22s %12s %9s\n' file "stored as" bytes "of sample"
row() {
  local bytes
  bytes=$(stat -c %s "$folder/$1")
  printf '%-22s %-22s %12d %8d%%\n' "$1" "$2" "$bytes" $((100 * bytes / before))
}
row sample.hipo "lz4, per-chunk"
row per-column.hipo "lz4hc, per-column"
row per-column-zstd.hipo "zstd, per-column"
cat <<EOT

The files are in $top/$folder
The program is $top/$tool
Try:  $tool recook --help
      $tool dump --json $folder/per-column.hipo | head -n 1
Synthetic events show the direction only: measure on files of your own.
EOT
