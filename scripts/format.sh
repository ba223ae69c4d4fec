#!/usr/bin/env bash
# Formats all C++ files with clang-format 14; with --check only names those that are not formatted.
set -euo pipefail
. "$(dirname "$0")/common.sh"

case "${1:-}" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run -Werror) ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
cpp_files apps lib tests | xargs -P "$jobs" -n 20 clang-format-14 "${mode[@]}"
