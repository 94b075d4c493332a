#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian 12 packages that building and testing need, and only those that are missing; with
# nothing missing it costs a few hundredths of a second and asks for no rights.
#
#   install-dependencies.sh            for `make build` and `make demo`
#   install-dependencies.sh --tests    also what `make test` needs
set -euo pipefail

# The programs and the demo.
packages=(
  g++ make cmake ninja-build pkg-config git ca-certificates
  libssl-dev zlib1g-dev
  libcpp-httplib-dev nlohmann-json3-dev libsimdjson-dev libyaml-cpp-dev
  libspdlog-dev libfmt-dev libcli11-dev libabsl-dev libboost-graph-dev libpugixml-dev
  # prometheus-cpp's CMake package asks for civetweb and curl although we use its core alone.
  prometheus-cpp-dev libcivetweb-dev libcurl4-openssl-dev
  # The kubelet speaks gRPC with device plugins.
  libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler
  python3 openssl ccache
)
if [[ ${1:-} == --tests ]]; then
  packages+=(
    libgtest-dev libgmock-dev
    clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
    python3-pytest python3-pip python3-yaml curl jq
    # The shells that `aliquotctl completion` writes for, besides bash.
    zsh fish
    # The node of the end-to-end tests: its namespaces, Services, images, and runc's seccomp filters.
    util-linux iproute2 iptables busybox-static libseccomp-dev
    # Programs that the interception library must hold, leave alone or see: of musl, and under valgrind.
    musl-tools valgrind
    # Root file systems of older releases, in which it must run too.
    debootstrap
  )
fi

say() { echo "install-dependencies.sh: $*" >&2; }

if ! command -v dpkg-query >/dev/null; then
  say "this is no Debian; install the equivalents of: ${packages[*]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    say "these packages are missing and there is neither root nor sudo to install them; as root, run:"
    say "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi

say "installing: ${missing[*]}"
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >&2
}
# The package lists of a fresh machine are empty, those of an old one name files that are gone.
"${as_root[@]}" apt-get update >&2
if ! install; then
  say "apt-get could not install: ${missing[*]}; its own words are above"
  exit 1
fi
