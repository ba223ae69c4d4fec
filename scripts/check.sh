#!/usr/bin/env bash
# Runs every gate that a change must pass, and says how long each took. CI runs the same.
#
#   scripts/check.sh                 all gates; clang-tidy on changed files
#   scripts/check.sh --all           all gates; clang-tidy on every file
#   scripts/check.sh format tidy     these gates alone
#
# Gates: format includes dev counts asan tsan minimal tidy
set -uo pipefail
. "$(dirname "$0")/common.sh"

gate_format() { scripts/format.sh --check; }
gate_includes() { scripts/check_includes.sh; }
gate_dev() { scripts/test.sh; }
gate_counts() { build dev hipo-counted hipo-tool && scripts/count_instructions.py; }
# What the sanitizers would only make slower, or measure wrongly, is left to dev.
gate_asan() { build asan && ctest --preset asan --parallel "$jobs" -LE 'slow|memory'; }
gate_tsan() { build tsan && ctest --preset tsan --parallel "$jobs" -L threads; }
gate_minimal() { build minimal && ctest --preset minimal --parallel "$jobs" -L smoke; }
gate_tidy() { scripts/tidy.sh "${tidy_arguments[@]}"; }

tidy_arguments=()
gates=()
for argument in "$@"; do
  case $argument in
    --all) tidy_arguments=(--all) ;;
    format | includes | dev | counts | asan | tsan | minimal | tidy) gates+=("$argument") ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
((${#gates[@]})) || gates=(format includes dev counts asan tsan minimal tidy)

scripts/install-deps.sh check || exit 1
find_shared_data
summary=""
failed=0
for gate in "${gates[@]}"; do
  say "Gate $gate"
  start=$SECONDS
  if "gate_$gate"; then verdict=passed; else verdict=FAILED failed=1; fi
  summary+=$(printf '%-10s %-7s %5d s' "$gate" "$verdict" $((SECONDS - start)))$'\n'
done
say "Gates"
printf '%s%-18s %5d s\n' "$summary" total "$SECONDS"
exit "$failed"
