#!/usr/bin/env bash
# Holds the sources against the layer diagram of docs/contributing.md: who may include whom, which
# packages stay where, and what a silent library must not contain. Prints each offence.
set -euo pipefail
. "$(dirname "$0")/common.sh"

offences=$(mktemp)
trap 'rm -f "$offences"' EXIT

# forbid WHERE REASON PATTERN: no line in WHERE (paths, space-separated) may match.
forbid() {
  local paths
  read -ra paths <<<"$1"
  grep -rnE --include='*.cpp' --include='*.hpp' -e "$3" "${paths[@]}" 2>/dev/null |
    sed "s#^#$2: #" >>"$offences" || true
}

# layer NAME "private layers that it may include" "public headers that it may NOT include"
all_layers="base io format codec model pipeline layout file rewrite inspect"
layer() {
  local other pattern=""
  for other in $all_layers; do
    [[ " $1 $2 " == *" $other "* ]] || pattern+="${pattern:+|}$other"
  done
  [[ -z $pattern ]] || forbid "lib/src/$1" "layer $1 must not know" "#include \"($pattern)/"
  [[ -z $3 ]] || forbid "lib/src/$1" "layer $1 must not know" "#include \"hipotool/($3)\\.hpp\""
}

# What the public headers of the upper rooms are called.
of_file="reader|writer|scan|definitions|selection|event_selection"
of_rewrite="rewrite|merge|splitting|tagging|bank_edit|epochs|record_plan"
of_inspect="check|compare|statistics"
on_top="$of_file|$of_rewrite|$of_inspect"
data="schema|dictionary|projection|directory|record|event_batch|digest"
below_file="base io format codec model pipeline layout"
layer base     ""                             "$on_top|$data|transcode|compression|byte_source|atomic_file"
layer io       "base"                         "$on_top|$data|transcode|compression"
layer format   "base"                         "$on_top|transcode|byte_source|atomic_file"
layer codec    "base io format"               "$on_top|$data|transcode"
layer model    "base io format"               "$on_top|transcode"
layer pipeline "base"                         "$on_top|$data|transcode|compression|byte_source|atomic_file"
layer layout   "base io format codec model"   "$on_top"
layer file     "$below_file"                  "$of_rewrite|$of_inspect"
layer rewrite  "$below_file file"             "$of_inspect"
layer inspect  "$below_file file"             "$of_rewrite"

# public_room "its headers" "those that they may not include"
public_room() {
  forbid "$(sed -E 's#[^|]+#lib/include/hipotool/&.hpp#g; s#\|# #g' <<<"$1")" \
    "a public header of this room must not know" "#include \"hipotool/($2)\\.hpp\""
}
public_room "$of_file" "$of_rewrite|$of_inspect"
public_room "$of_rewrite" "$of_inspect"
public_room "$of_inspect" "$of_rewrite"

# A folder without a rule would be free to include anything, a rule without a folder checks nothing.
folders=$(cd lib/src && printf '%s\n' * | sort)
if [[ $folders != "$(tr ' ' '\n' <<<"$all_layers" | sort)" ]]; then
  echo "lib/src has other folders than there are layers: $(tr '\n' ' ' <<<"$folders")" >>"$offences"
fi

forbid lib/include "a public header must not know" "#include (\"($(tr ' ' '|' <<<"$all_layers"))/|<(fmt|nlohmann|lz4|zlib|zstd|libdeflate|xxhash))"
forbid apps "the tool must use public headers" "#include \"($(tr ' ' '|' <<<"$all_layers"))/"
forbid lib "only the tool may know" '#include <(CLI|spdlog)/'
forbid "lib/src lib/include" "the library must not print, exit or read the environment" \
  '\b(std::c(out|err|log)|(std::)?(exit|abort|quick_exit|getenv|printf|puts|perror)\()|#include <(iostream|cstdio|spdlog.*)>'
json_files=$(grep -rlE '#include <nlohmann/json' lib || true)
if (($(wc -w <<<"$json_files") > 1)); then
  echo "only one file of the library may know nlohmann_json: $(tr '\n' ' ' <<<"$json_files")" >>"$offences"
fi
for package in CLI nlohmann spdlog; do
  # Version headers cost nothing.
  known=$(grep -rlE "#include <$package/" apps | xargs -r grep -LE "#include <($package/(Version|version|detail/abi_macros)\.)" || true)
  if (($(wc -w <<<"$known") > 3)); then
    echo "at most three files of the tool may include <$package/...>: $(tr '\n' ' ' <<<"$known")" >>"$offences"
  fi
done

if [[ -s $offences ]]; then
  cat "$offences"
  exit 1
fi
echo "The layers are kept."
