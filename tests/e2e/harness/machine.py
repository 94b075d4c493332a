# SPDX-License-Identifier: Apache-2.0
"""What a real node could leave behind on the machine, to compare before and after.

Only what is in its reach is looked at: other things may come and go meanwhile, and another run of
the suite may be at work.
"""
import os
import pathlib

from . import cgroups

_SETTINGS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
             "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward")
_FOLDERS = ("/var/lib/kubelet", "/var/lib/containerd", "/var/log/pods", "/var/log/containers",
            "/run/containerd", "/run/aliquot", "/run/cdi", "/etc/cni", "/opt/cni",
            "/usr/libexec/kubernetes")


def _mounts(prefixes):
    """Mount points below these paths."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return {point for point in (line.split()[4] for line in lines) if point.startswith(prefixes)}


def state(folder):
    """Everything that must be as before once the nodes below `folder` are gone."""
    return {
        "cgroups": cgroups.present(),
        "mounts": _mounts((str(folder), "/proc/sys", "/sys/fs/cgroup", "/dev/", *_FOLDERS)),
        "interfaces": {name for name in os.listdir("/sys/class/net") if name.startswith("node0")},
        "settings": {name: (pathlib.Path("/proc/sys") / name).read_text() for name in _SETTINGS},
        "folders": {name for name in _FOLDERS if os.path.exists(name)},
        "cards": {name for name in os.listdir("/dev") if name.startswith("nvidia")},
    }
