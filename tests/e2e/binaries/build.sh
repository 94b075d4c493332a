#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the real Kubernetes programs that the end-to-end tests run, from their public Go modules.
#
#   build.sh [SET...]        sets: etcd helm kubernetes-1.34 kubernetes-1.37; default: all of them
#
# Prints one line per set on standard output: its name and the folder with its programs. Progress
# goes to standard error. A set lives in the cache under a name made from its version and a hash of
# its committed go.mod and go.sum, so a changed version never meets old programs, and an existing
# set costs nothing. The cache is ${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}, 0.6 GB.
# Go's own caches grow by 8 GB; nothing but a change of versions needs them again
# (`go clean -cache -modcache` empties them).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}
all_sets=(etcd kubernetes-1.34 kubernetes-1.37 helm)

say() { echo "build.sh: $*" >&2; }

# The module whose version names the set, as `path version`.
main_module() { sed -n 's/^require \([^ (]*\) \(v[^ ]*\)$/\1 \2/p' "$here/$1/go.mod" | head -n 1; }

# The programs of a set, as `file-name package-path`.
programs() {
  case $1 in
    etcd) echo "etcd go.etcd.io/etcd/server/v3" ;;
    helm) echo "helm helm.sh/helm/v3/cmd/helm" ;;
    kubernetes-1.34) printf '%s\n' {kube-apiserver,kube-controller-manager,kube-scheduler,kubectl} |
      sed 's|.*|& k8s.io/kubernetes/cmd/&|' ;;
    # The controller manager and kubectl of 1.34 serve a newer API server too; a scheduler does not.
    kubernetes-1.37) printf '%s\n' {kube-apiserver,kube-scheduler} |
      sed 's|.*|& k8s.io/kubernetes/cmd/&|' ;;
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
  esac
}

set_folder() {
  local set=$1 module version hash
  read -r module version <<<"$(main_module "$set")"
  hash=$(cat "$here/$set/go.mod" "$here/$set/go.sum" | sha256sum | cut -c 1-12)
  echo "$cache/binaries/$set-$version-$hash"
}

build_set() {
  local set=$1 folder=$2 name package module version
  read -r module version <<<"$(main_module "$set")"
  while read -r name package; do
    [[ -x $folder/$name ]] && continue
    [[ -n ${go:-} ]] || go=$("$here/go_toolchain.sh")
    say "building $name $version (minutes, while Go's build cache is cold)"
    # Own file name first: an interrupted build leaves nothing that looks finished.
    (cd "$here/$set" && CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off "$go" build \
      -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w$(version_flags "$set" "$version")" \
      -o "$folder/.$name.new" "$package" >&2)
    mv "$folder/.$name.new" "$folder/$name"
  done < <(programs "$set")
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
  build_set "$set" "$folder"
  exec 9>&-
  echo "$set $folder"
done
