# Sourced by the other scripts: where the checkout is, and what they share.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
jobs=$(nproc)

say() { printf '\n\033[1m== %s\033[0m\n' "$*" | if [[ -t 1 ]]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

# Root building somebody else's checkout is normal in a container; git would refuse to look at it.
repo_git() { git -c safe.directory="$top" "$@"; }

# C++ files of ours, of the folders or files given.
cpp_files() { find "$@" \( -name '*.cpp' -o -name '*.hpp' \) -not -path './build/*' | sort; }

# Tells tests where files of other implementations and the independent decoder are: where the caller
# says, or in a folder "shared" beside the checkout.
find_shared_data() {
  local kind name
  for kind in golden oracle; do
    name=HIPO_${kind^^}_DIR
    if [[ -z ${!name:-} && -d $top/../shared/$kind ]]; then
      export "$name=$(cd "$top/../shared/$kind" && pwd)"
    fi
    echo "$name=${!name:-  (not set: tests that need it are skipped)}"
  done
}

# Configures (again) and builds a preset: build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
  sed -n '/^-- hipotool /,/^--   tests/p' "build/$preset.log"
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}
mkdir -p build
