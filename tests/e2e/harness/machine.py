# SPDX-License-Identifier: Apache-2.0
"""What a real node could leave behind on the machine, to compare before and after."""
import os
import pathlib

from . import cgroups

_SETTINGS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
             "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward")
_FOLDERS = ("/var/lib/kubelet", "/var/lib/containerd", "/var/log/pods", "/var/log/containers",
            "/run/containerd", "/run/aliquot", "/run/cdi", "/etc/cni", "/opt/cni",
            "/usr/libexec/kubernetes")


def _mounts():
    """Mount points and what is mounted there; numbers are left out, they come from the kernel."""
    found = set()
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        found.add((fields[4], fields[fields.index("-") + 1]))
    return found


def state():
    """Everything that must be as before once the nodes are gone."""
    return {
        "cgroups": cgroups.present(),
        "mounts": _mounts(),
        "interfaces": set(os.listdir("/sys/class/net")),
        "settings": {name: (pathlib.Path("/proc/sys") / name).read_text() for name in _SETTINGS},
        "folders": {name for name in _FOLDERS if os.path.exists(name)},
        "cards": {name for name in os.listdir("/dev") if name.startswith("nvidia")},
    }
