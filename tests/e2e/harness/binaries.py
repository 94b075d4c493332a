# SPDX-License-Identifier: Apache-2.0
"""Where the real Kubernetes programs are, as binaries/build.sh says after building what lacks."""
import functools
import pathlib
import subprocess

_BUILD = pathlib.Path(__file__).resolve().parent.parent / "binaries" / "build.sh"

OLDEST = "1.34"  # the whole suite runs on it; its kubectl and controller manager serve all minors
NEWEST = "1.37"  # the newest that can be built: the core of the suite runs on it as well


@functools.lru_cache(maxsize=None)
def folder(program_set):
    """The folder with the programs of one set, for example `kubernetes-1.34`."""
    built = subprocess.run([str(_BUILD), program_set], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    return pathlib.Path(built.split()[1])


def program(name, minor=OLDEST):
    """The path of one program."""
    if name in ("etcd", "helm", "coredns", "cert-manager"):
        return folder(name) / name
    # The kubelet of the newest minor does without the cgroups that a test machine may have.
    if name in ("kubectl", "kube-controller-manager", "kubelet", "kube-proxy"):
        minor = OLDEST
    return folder(f"kubernetes-{minor}") / name
