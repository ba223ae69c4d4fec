#!/usr/bin/env bash
# Formats all C++ files with clang-format 14; with --check only names those that are not formatted.
set -euo pipefail
. "$(dirname "$0")/common.sh"

case "${1:-}" in
  "") cpp_files apps lib tests | xargs -P "$jobs" -n 20 clang-format-14 -i ;;
  --check)
    # Not --dry-run: it objects to "}  // namespace a::inline b", which it would write just so.
    wrong=$(cpp_files apps lib tests | xargs -P "$jobs" -n 1 sh -c \
      'clang-format-14 "$1" | cmp -s - "$1" || echo "  $1"' sh | sort)
    if [[ -n $wrong ]]; then
      printf 'Not formatted (scripts/format.sh does it):\n%s\n' "$wrong"
      exit 1
    fi
    echo "All files are formatted."
    ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
