#!/usr/bin/env bash
# Installs the Debian 12 packages that this project needs and that are missing.
#
#   scripts/install-deps.sh build    what hipo-tool is built with
#   scripts/install-deps.sh test     and what its tests need (the default)
#   scripts/install-deps.sh check    and what scripts/check.sh needs
#
# As root, or as a user who may use sudo. Nothing is touched when nothing is missing.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config ccache git
  libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  liblz4-dev zlib1g-dev libzstd-dev libdeflate-dev libxxhash-dev liblzma-dev
)
test_packages=(libgtest-dev libvalijson-dev python3)
check_packages=(clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 python3-venv)

case "${1:-test}" in
  build) ;;
  test) packages+=("${test_packages[@]}") ;;
  check) packages+=("${test_packages[@]}" "${check_packages[@]}") ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is not a Debian system. hipo-tool needs what these Debian packages hold:" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi

installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/^ii *//p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "All ${#packages[@]} Debian packages needed are installed."
  exit 0
fi

echo "About to install ${#missing[@]} Debian packages (and what they depend on) with apt-get:"
printf '  %s\n' "${missing[@]}"
as_root=(env)
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "That takes root or sudo, and neither is here. Ask an administrator for:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  echo "sudo may ask for your password."
  as_root=(sudo env)
fi
apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "This takes a minute or two."
if ! "${apt[@]}" update >"$log" ||
  ! "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >>"$log"; then
  cat "$log" >&2
  echo "The installation failed." >&2
  exit 1
fi
echo "Installed."
