#!/usr/bin/env bash
# Runs clang-tidy 14 on the files that differ from the merge base with the main branch (on that
# branch itself: from the commit before), committed or not; with --all, or where there is nothing to
# compare with, on every source file.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# Stands for the branch that a change will be merged into.
merge_base() {
  local branch base
  for branch in origin/HEAD origin/main main; do
    if base=$(repo_git merge-base HEAD "$branch" 2>/dev/null); then
      if [[ $base == $(repo_git rev-parse HEAD) ]]; then
        base=$(repo_git rev-parse --verify --quiet HEAD~1 || echo "$base")
      fi
      echo "$base"
      return
    fi
  done
  return 1
}

# A header is checked through one source file that includes it: its own, if there is one.
source_including() {
  local header=$1 name own
  name=$(sed -E 's#^(lib/include|lib/src|apps/hipo-tool|tests)/##' <<<"$header")
  own="${header%.hpp}.cpp"
  if [[ -f $own ]]; then
    echo "$own"
  else
    grep -rlF --include='*.cpp' "#include \"$name\"" lib apps tests | sort | head -n 1 || true
  fi
}

case "${1:-}" in
  --all) base="" ;;
  "") base=$(merge_base || true) ;;
  *) echo "usage: scripts/tidy.sh [--all]" >&2; exit 2 ;;
esac
if [[ -z $base ]]; then
  files=$(find apps lib tests -name '*.cpp' | sort)
else
  files=$({
    repo_git diff --name-only --diff-filter=d "$base" -- apps lib tests
    repo_git ls-files --others --exclude-standard -- apps lib tests
  } | while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *.hpp) source_including "$file" ;;
    esac
  done | sort -u)
fi
if [[ -z $files ]]; then
  echo "No C++ file differs."
  exit 0
fi

cmake --preset dev >/dev/null  # for the compile commands of files that are new
echo "clang-tidy on $(wc -l <<<"$files") files"
# The warnings flags are g++'s; clang does not know them all.
xargs -P "$jobs" -n 1 clang-tidy-14 -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option \
  <<<"$files" 2> >(grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -' >&2 || true)
