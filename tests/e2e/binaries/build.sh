#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the real Kubernetes programs and container runtimes that the end-to-end tests run, from
# their public Go modules.
#
#   build.sh [SET...]        sets: see all_sets below; default: all of them
#
# The sets debian-* are not built but unpacked from Debian's own packages, without installing them, so
# no service starts: the oldest containerd that a node may still run, which knows no CDI; and promtool,
# Prometheus' own parser of rules and queries.
#
# Prints one line per set on standard output: its name and the folder with its programs. Progress
# goes to standard error. A set lives in the cache under a name made from its version and a hash of
# its committed files, so a changed version never meets old programs, and an existing
# set costs nothing. The cache is ${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}, 1.1 GB.
# Go's own caches grow by 8 GB; nothing but a change of versions needs them again
# (`go clean -cache -modcache` empties them).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}
all_sets=(etcd kubernetes-1.34 kubernetes-1.37 helm containerd runc coredns cni cert-manager
          debian-containerd debian-prometheus)

# The packages of a set and their version; a machine's apt names the exact revision.
debian_packages() {
  case $1 in
    debian-containerd) echo "containerd runc" ;;
    debian-prometheus) echo prometheus ;;
  esac
}
debian_version() {
  case $1 in
    debian-containerd) echo 1.6.20 ;;
    debian-prometheus) echo 2.42.0 ;;
  esac
}

say() { echo "build.sh: $*" >&2; }

# The module whose version names the set, as `path version`.
main_module() { sed -n 's/^require \([^ (]*\) \(v[^ ]*\)$/\1 \2/p' "$here/$1/go.mod" | head -n 1; }

# The programs of a set, as `file-name package-path`.
programs() {
  case $1 in
    etcd) echo "etcd go.etcd.io/etcd/server/v3" ;;
    helm) echo "helm helm.sh/helm/v3/cmd/helm" ;;
    kubernetes-1.34) printf '%s\n' {kube-apiserver,kube-controller-manager,kube-scheduler,kubectl,kubelet,kube-proxy} |
      sed 's|.*|& k8s.io/kubernetes/cmd/&|' ;;
    # The controller manager and kubectl of 1.34 serve a newer API server too; a scheduler does not.
    kubernetes-1.37) printf '%s\n' {kube-apiserver,kube-scheduler} |
      sed 's|.*|& k8s.io/kubernetes/cmd/&|' ;;
    containerd) printf '%s\n' containerd containerd-shim-runc-v2 ctr |
      sed 's|.*|& github.com/containerd/containerd/v2/cmd/&|' ;;
    runc) echo "runc github.com/opencontainers/runc" ;;
    coredns) echo "coredns github.com/coredns/coredns" ;;
    cni) printf '%s\n' main/bridge main/loopback ipam/host-local |
      sed 's|.*/\(.*\)|\1 github.com/containernetworking/plugins/plugins/&|' ;;
    cert-manager) echo "cert-manager ." ;;
    debian-containerd) printf '%s -\n' containerd containerd-shim-runc-v2 ctr runc ;;
    debian-prometheus) echo "promtool -" ;;
    *) say "unknown set '$1'; choose among: ${all_sets[*]}"; return 1 ;;
  esac
}

# Linker flags that put the version in. Without them an API server calls itself v0.0.0, and helm
# believes in Kubernetes 1.20 and refuses our chart.
version_flags() {
  local set=$1 version=$2 package
  local minor=${2#v*.}
  minor=${minor%%.*}
  case $set in
    kubernetes-*)
      for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        echo -n " -X $package.gitVersion=$version -X $package.gitTreeState=clean"
        echo -n " -X $package.gitMajor=1 -X $package.gitMinor=$minor"
      done ;;
    helm)
      echo -n " -X helm.sh/helm/v3/internal/version.version=$version"
      for package in helm.sh/helm/v3/pkg/chartutil helm.sh/helm/v3/pkg/lint/rules; do
        echo -n " -X $package.k8sVersionMajor=1 -X $package.k8sVersionMinor=34"
      done ;;
    containerd) echo -n " -X github.com/containerd/containerd/v2/version.Version=$version" ;;
    runc) echo -n " -X main.version=${version#v}" ;;
    cert-manager) echo -n " -X github.com/cert-manager/cert-manager/pkg/util.AppVersion=$version" ;;
  esac
}

set_folder() {
  local set=$1 module version hash
  if [[ $set == debian-* ]]; then
    echo "$cache/binaries/$set-$(debian_version "$set")"
    return
  fi
  read -r module version <<<"$(main_module "$set")"
  hash=$(cat "$here/$set"/* | sha256sum | cut -c 1-12)
  echo "$cache/binaries/$set-$version-$hash"
}

# Downloads Debian's packages and keeps their programs.
unpack_debian() {
  local set=$1 folder=$2 work name package missing=0 packages
  while read -r name _; do [[ -x $folder/$name ]] || missing=1; done < <(programs "$set")
  [[ $missing == 1 ]] || return 0
  read -ra packages <<<"$(debian_packages "$set")"
  say "unpacking Debian's ${packages[*]}"
  work=$(mktemp -d "$folder/.unpack.XXXXXX")
  # The package lists of a fresh machine are empty.
  (cd "$work" && { apt-get download "${packages[@]}" >&2 ||
    { apt-get update >&2 && apt-get download "${packages[@]}" >&2; }; })
  for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
  while read -r name _; do
    mv "$(find "$work/root" -type f -name "$name" -perm -u+x | head -n 1)" "$folder/$name"
  done < <(programs "$set")
  rm -rf "$work"
}

# cert-manager's own resource definitions, as its module has them: nothing of Go's caches is needed later.
copy_definitions() {
  local set=$1 folder=$2 source
  [[ ! -d $folder/crds ]] || return 0
  [[ -n ${go:-} ]] || go=$("$here/go_toolchain.sh")
  source=$(cd "$here/$set" && GOTOOLCHAIN=local GOWORK=off "$go" mod download -json \
    "$(main_module "$set" | cut -d ' ' -f 1)" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  mkdir "$folder/.crds.new.$$"
  cp "$source"/deploy/crds/*.yaml "$folder/.crds.new.$$"
  mv "$folder/.crds.new.$$" "$folder/crds"
}

build_set() {
  local set=$1 folder=$2 name package module version
  local cgo=0 tags=()
  # runc enters namespaces from C code, and its seccomp filters come from a C library.
  [[ $set != runc ]] || { cgo=1; tags=(-tags seccomp); }
  read -r module version <<<"$(main_module "$set")"
  while read -r name package; do
    [[ -x $folder/$name ]] && continue
    [[ -n ${go:-} ]] || go=$("$here/go_toolchain.sh")
    say "building $name $version (minutes, while Go's build cache is cold)"
    # Own file name first: an interrupted build leaves nothing that looks finished.
    (cd "$here/$set" && CGO_ENABLED=$cgo GOTOOLCHAIN=local GOWORK=off "$go" build "${tags[@]}" \
      -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w$(version_flags "$set" "$version")" \
      -o "$folder/.$name.new" "$package" >&2)
    mv "$folder/.$name.new" "$folder/$name"
  done < <(programs "$set")
  [[ $set != cert-manager ]] || copy_definitions "$set" "$folder"
}

sets=("$@")
[[ ${#sets[@]} -gt 0 ]] || sets=("${all_sets[@]}")
for set in "${sets[@]}"; do programs "$set" >/dev/null; done
for set in "${sets[@]}"; do
  folder=$(set_folder "$set")
  mkdir -p "$folder"
  # One build of a set at a time; whoever waits finds the programs there.
  exec 9>"$folder/.lock"
  flock 9
  if [[ $set == debian-* ]]; then
    unpack_debian "$set" "$folder"
  else
    build_set "$set" "$folder"
  fi
  exec 9>&-
  echo "$set $folder"
done
