#!/usr/bin/env bash
# Holds hipo-tool against the Python packages of other HIPO implementations, in both directions:
# oxihipo (every codec and layout) and hipopybind, which wraps the original C++ library. What is
# compared stands at the head of scripts/interop_peers.py. Takes a few minutes.
#
#   scripts/interop_peers.sh
#
# HIPO_TOOL is the program to test; without it the newer one of build/release and build/dev.
# HIPO_GOLDEN_DIR and HIPO_ORACLE_DIR are found as in scripts/test.sh. The packages are installed into
# build/peers, once; where the package index does not answer, one line says so and nothing fails.
set -euo pipefail
. "$(dirname "$0")/common.sh"

peers=(oxihipo==0.9.0 hipopybind==2.0.1)
# oxihipo names pandas and pyarrow as well, which its column interface does without.
support=(numpy awkward)
folder=build/peers
python=$folder/venv/bin/python

tool=${HIPO_TOOL:-}
for preset in release dev; do
  built=build/$preset/apps/hipo-tool/hipo-tool
  if [[ -z ${HIPO_TOOL:-} && -x $built && (-z $tool || $built -nt $tool) ]]; then
    tool=$built
  fi
done
if [[ ! -x $tool ]]; then
  echo "No hipo-tool to test (${tool:-neither build/release nor build/dev has one}): build it, or set HIPO_TOOL" >&2
  exit 1
fi

for kind in golden oracle; do
  name=HIPO_${kind^^}_DIR
  if [[ -z ${!name:-} && -d $top/../shared/$kind ]]; then
    export "$name=$(cd "$top/../shared/$kind" && pwd)"
  fi
done

# The list is written last, so an interrupted installation is begun again.
wanted="${peers[*]} ${support[*]}"
if [[ $(cat "$folder/installed" 2>/dev/null || true) != "$wanted" ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  if ! python3 -m venv "$folder/venv" >"$folder/venv.log" 2>&1; then
    cat "$folder/venv.log" >&2
    echo "No virtual environment could be made: scripts/install-deps.sh check installs what it needs" >&2
    exit 1
  fi
  pip=("$python" -m pip install --quiet --no-input --disable-pip-version-check --only-binary :all:
    --timeout 20 --retries 1)
  if ! { "${pip[@]}" "${support[@]}" && "${pip[@]}" --no-deps "${peers[@]}"; } >"$folder/pip.log" 2>&1; then
    echo "Not compared with other implementations: the package index does not provide them" \
      "($(grep -m 1 ERROR "$folder/pip.log" || tail -n 1 "$folder/pip.log"))"
    exit 0
  fi
  echo "$wanted" >"$folder/installed"
fi

rm -rf "$folder/files"
mkdir "$folder/files"
exec "$python" scripts/interop_peers.py --tool "$tool" --folder "$folder/files"
