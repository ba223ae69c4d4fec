#!/usr/bin/env bash
# Installs what is missing, builds the dev preset and runs every test. Arguments go to ctest:
#
#   scripts/test.sh                  everything
#   scripts/test.sh -L unit          one label (unit, format, property, cli; slow, threads, ...)
#   scripts/test.sh -R FileReader    tests whose name matches
#
# Tests against files of other implementations and against the independent decoder need the folders
# HIPO_GOLDEN_DIR and HIPO_ORACLE_DIR; a folder "shared" beside the checkout is used if it is there.
set -euo pipefail
. "$(dirname "$0")/common.sh"

scripts/install-deps.sh test

find_shared_data

say "Building (some minutes the first time)"
build dev
say "Testing"
ctest --preset dev --parallel "$jobs" "$@"
