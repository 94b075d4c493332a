#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small Go module from which one program set of the end-to-end tests is built.

    generate_module.py kubernetes 1.34.4   -> kubernetes-1.34/{go.mod,go.sum}
    generate_module.py etcd 3.6.16         -> etcd/{go.mod,go.sum}
    generate_module.py helm 3.22.0         -> helm/{go.mod,go.sum}
    generate_module.py containerd 2.1.9    -> containerd/{go.mod,go.sum}
    generate_module.py runc 1.4.3          -> runc/{go.mod,go.sum}
    generate_module.py coredns 1.15.0      -> coredns/{go.mod,go.sum}
    generate_module.py cni 1.9.1           -> cni/{go.mod,go.sum}
    generate_module.py cert-manager 1.21.2 -> cert-manager/{go.mod,go.sum}, beside its main.go

The results are committed and build.sh builds with -mod=readonly, so this runs only when a version
changes. Upstream's own requirement list is copied, therefore the programs are built from exactly
the module versions that upstream released them with.

Kubernetes needs care: its go.mod requires its staging modules as v0.0.0 and replaces them by local
paths, and both mean nothing outside its own source tree. Here each becomes the published
v0.MINOR.PATCH.

cert-manager's main packages are on no module proxy, so the set has one of its own. What that starts is internal to
cert-manager, hence the name of its module: below cert-manager's, as those of its own programs are.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

MODULES = {
    "kubernetes": "k8s.io/kubernetes",
    "etcd": "go.etcd.io/etcd/server/v3",
    "helm": "helm.sh/helm/v3",
    "containerd": "github.com/containerd/containerd/v2",
    "runc": "github.com/opencontainers/runc",
    "coredns": "github.com/coredns/coredns",
    "cni": "github.com/containernetworking/plugins",
    "cert-manager": "github.com/cert-manager/cert-manager",
}
PROGRAMS = {
    "kubernetes": [
        "k8s.io/kubernetes/cmd/kube-apiserver",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
        "k8s.io/kubernetes/cmd/kube-scheduler",
        "k8s.io/kubernetes/cmd/kubectl",
        "k8s.io/kubernetes/cmd/kubelet",
        "k8s.io/kubernetes/cmd/kube-proxy",
    ],
    "etcd": ["go.etcd.io/etcd/server/v3"],
    "helm": ["helm.sh/helm/v3/cmd/helm"],
    "containerd": [
        "github.com/containerd/containerd/v2/cmd/containerd",
        "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
        "github.com/containerd/containerd/v2/cmd/ctr",
    ],
    "runc": ["github.com/opencontainers/runc"],
    "coredns": ["github.com/coredns/coredns"],
    "cni": [
        "github.com/containernetworking/plugins/plugins/main/bridge",
        "github.com/containernetworking/plugins/plugins/main/loopback",
        "github.com/containernetworking/plugins/plugins/ipam/host-local",
    ],
    "cert-manager": ["."],
}
NAMES = {"cert-manager": "github.com/cert-manager/cert-manager/aliquot"}
# v0.0.0 alone is a staging module; v0.0.0-2025... is a pseudo-version and must stay as it is.
STAGING_VERSION = re.compile(r"(k8s\.io/\S+) v0\.0\.0(?=\s|$)")
LOCAL_REPLACE = re.compile(r"^\s*(?:replace\s+)?(\S+) => \./staging/", re.MULTILINE)


def go(*arguments, directory=HERE):
    """Runs the go command and returns what it printed."""
    return subprocess.run(["go", *arguments], cwd=directory, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def blocks(keyword, go_mod):
    """All `keyword ( ... )` blocks and single `keyword ...` lines, without the local-path ones."""
    found = re.findall(rf"^{keyword} \(.*?^\)$", go_mod, re.MULTILINE | re.DOTALL)
    found += re.findall(rf"^{keyword} [^(\n]+$", go_mod, re.MULTILINE)
    return found


def module_text(kind, version, go_mod):
    """The go.mod for one program set, made from upstream's go.mod."""
    lines = [f"// Written by generate_module.py {kind} {version}; do not edit.",
             f"module {NAMES.get(kind, f'aliquot.io/tests/e2e/binaries/{kind}')}", ""]
    lines += blocks("go", go_mod) + [""] + blocks("godebug", go_mod)
    tools = [f"\t{path}" for path in PROGRAMS[kind] if path != "."]
    lines += ["", "tool (", *tools, ")", ""] if tools else [""]
    lines.append(f"require {MODULES[kind]} v{version}")
    staging_version = f"v0.{version.split('.', 1)[1]}"
    for block in blocks("require", go_mod):
        if kind == "kubernetes":
            block = STAGING_VERSION.sub(rf"\1 {staging_version}", block)
        lines += ["", block]
    lines += [""] + blocks("exclude", go_mod)
    if kind == "kubernetes":
        staged = LOCAL_REPLACE.findall(go_mod)
        if not staged:
            raise SystemExit(f"k8s.io/kubernetes v{version} names no staging module: "
                             "its go.mod has changed shape, adapt LOCAL_REPLACE")
        lines += ["", "replace ("]
        lines += [f"\t{name} => {name} {staging_version}" for name in staged] + [")"]
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in MODULES:
        raise SystemExit(f"usage: generate_module.py {'|'.join(MODULES)} VERSION")
    kind, version = arguments[0], arguments[1].lstrip("v")
    minor = ".".join(version.split(".")[:2])
    directory = HERE / (f"kubernetes-{minor}" if kind == "kubernetes" else kind)
    directory.mkdir(exist_ok=True)
    found = json.loads(go("mod", "download", "-json", f"{MODULES[kind]}@v{version}"))
    upstream = pathlib.Path(found["Dir"])
    (directory / "go.mod").write_text(module_text(kind, version, (upstream / "go.mod").read_text()))
    (directory / "go.sum").write_bytes((upstream / "go.sum").read_bytes())
    # Loading every package adds the few checksums that upstream's own go.sum has no need of.
    go("list", "-mod=mod", "-deps", *PROGRAMS[kind], directory=directory)
    print(f"wrote {directory.relative_to(HERE)}/go.mod and go.sum for {MODULES[kind]} v{version}")


if __name__ == "__main__":
    main(sys.argv[1:])
