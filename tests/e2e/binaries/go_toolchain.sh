#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of a Go command that is new enough to build the Kubernetes programs, and installs
# one where the machine has none.
#
# Debian 12's own Go (1.19) is too old to build them and too old to fetch a newer Go by itself, but
# it is a module client: a Go release is also published as a module, golang.org/toolchain. So the
# old Go downloads the new one through the usual module proxy and checks it against the public
# checksum database, and this script checks it once more against the sum written below.
set -euo pipefail

needed=1.26.0     # the `go` line of the newest committed module
version=1.26.8
declare -A sums=(
  [amd64]="h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM="
  [arm64]="h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc="
)
cache=${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}

say() { echo "go_toolchain.sh: $*" >&2; }

# True when the Go command in $1 is at least $needed.
new_enough() {
  local found
  found=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  found=${found#go}
  [[ $(printf '%s\n' "$needed" "${found%% *}" | sort -V | head -n 1) == "$needed" ]]
}

for candidate in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go-$version/bin/go"; do
  if [[ -n $candidate && -x $candidate ]] && new_enough "$candidate"; then
    echo "$candidate"
    exit 0
  fi
done

architecture=$(dpkg --print-architecture)
sum=${sums[$architecture]:-}
if [[ -z $sum ]]; then
  say "no checksum is known for $architecture: install Go $needed or newer and put it in PATH"
  exit 1
fi

client=$(command -v go || true)
if [[ -z $client ]]; then
  say "installing Debian's golang-go to fetch Go $version with"
  sudo=; [[ $(id -u) == 0 ]] || sudo=sudo
  install=($sudo env DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends golang-go)
  # The package lists of a fresh machine are empty.
  "${install[@]}" >&2 || { $sudo apt-get update >&2 && "${install[@]}" >&2; }
  client=$(command -v go)
fi

say "fetching Go $version"
mkdir -p "$cache"
work=$(mktemp -d "$cache/go-fetch.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
GOMODCACHE=$work/modules GOFLAGS=-mod=mod GOTOOLCHAIN=local \
  "$client" mod download -json "golang.org/toolchain@v0.0.1-go$version.linux-$architecture" \
  >answer.json
field() { sed -n "s/^\t\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" answer.json; }
if [[ $(field Sum) != "$sum" ]]; then
  say "Go $version has the sum '$(field Sum)', expected '$sum': refusing to use it"
  exit 1
fi
tree=$(field Dir)
chmod -R u+w "$tree"
# A module zip carries no execute bits, and its nested go.mod files are stored under another name.
chmod +x "$tree"/bin/* "$tree"/pkg/tool/*/*
find "$tree" -name _go.mod -execdir mv _go.mod go.mod \;
mv "$tree" "$cache/go-$version"
new_enough "$cache/go-$version/bin/go" || { say "the fetched Go $version does not run"; exit 1; }
echo "$cache/go-$version/bin/go"
