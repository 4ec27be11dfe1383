# Sourced by every script of this folder: where the repository is, how to install, build and name a commit.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs="${SHARDCHECK_JOBS:-$(nproc)}"
# A compiler cache, where there is one, then also serves a checkout in another folder.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

# Needed to build the command and run the main job.
build_packages=(
  clang-19 cmake ninja-build
  libfmt-dev libcli11-dev nlohmann-json3-dev libsimdjson-dev zlib1g-dev libmd-dev
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev
  libabsl-dev libmemcached-dev libxxhash-dev
)
# Needed beside those by ci/test, ci/tidy and ci/nightly: second compiler, sanitizers and fuzzer, symbols, format, cache.
# And libmemcached, with whose ring ours is compared; that test skips where it is not installed.
test_packages=(g++ libclang-rt-19-dev llvm-19 clang-format-19 ccache python3 libmemcached-dev)

# And for the fuzz targets, which are linked across files.
fuzz_packages=(lld-19)

# Exit codes of every script are those of the command: 1 says that something was violated, so a machine that cannot
# install or build says 3.
complain() { echo "$(basename "$0"): $*" >&2; }

# installed PACKAGE...: whether all of them are.
installed() {
  local states
  states="$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null)" || return 1
  ! grep -qv "^installed\$" <<<"$states"
}

# install_packages PACKAGE...: returns at once when nothing is missing. Prints to stderr only.
install_packages() {
  if installed "$@"; then
    return 0
  fi
  if [[ "$(id -u)" != 0 ]]; then
    complain "packages are missing, and only root can install them. As root: apt-get install -y --no-install-recommends $*"
    exit 3
  fi
  local apt=(apt-get -q -o DPkg::Lock::Timeout=600)
  export DEBIAN_FRONTEND=noninteractive
  if ! "${apt[@]}" update >&2 || ! "${apt[@]}" install -y --no-install-recommends "$@" >&2; then
    complain "the packages could not be installed: $*"
    exit 3
  fi
}

# build_preset PRESET [TARGET...]: configures where needed and builds. Prints to stderr only.
build_preset() {
  local preset="$1" folder="build-$1"
  shift
  if [[ "$preset" == release ]]; then
    folder=build
  fi
  if [[ ! -f "$folder/build.ninja" || CMakePresets.json -nt "$folder/build.ninja" ]]; then
    cmake --preset "$preset" >&2 || { complain "preset $preset does not configure" && exit 3; }
    touch "$folder/build.ninja"
  fi
  ninja -C "$folder" -j "$jobs" "$@" >&2 || { complain "preset $preset does not build" && exit 3; }
}

# The hash of the commit that is checked out; also where git is not installed. Nothing outside of a repository.
commit_hash() {
  local folder=.git reference
  if command -v git >/dev/null; then
    git -c safe.directory='*' rev-parse HEAD 2>/dev/null || true
    return 0
  fi
  [[ -f "$folder/HEAD" ]] || return 0
  reference="$(<"$folder/HEAD")"
  if [[ "$reference" != "ref: "* ]]; then
    echo "$reference"
  elif [[ -f "$folder/${reference#ref: }" ]]; then
    cat "$folder/${reference#ref: }"
  elif [[ -f "$folder/packed-refs" ]]; then
    awk -v name="${reference#ref: }" '$2 == name { print $1 }' "$folder/packed-refs"
  fi
}

# The seed of a run of the suite on itself: the commit's hash, so that each commit tries other scenarios and the same
# commit always the same; 1 outside of a repository.
commit_seed() {
  local hash
  hash="$(commit_hash)"
  if [[ "$hash" =~ ^[0-9a-f]{40} ]]; then
    echo "$((16#${hash:0:15}))"
  else
    echo 1
  fi
}
