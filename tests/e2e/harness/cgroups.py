# SPDX-License-Identifier: Apache-2.0
"""The cgroups below which a box's kubelet puts its pods, in every hierarchy of the machine.

Both layouts are served: version 1 (one hierarchy a controller) and version 2 (one for all).
"""
import os
import pathlib

_ROOT = pathlib.Path("/sys/fs/cgroup")
_PREFIX = "aliquot-e2e-"
# Where containerd's shims go when nobody names a cgroup for them.
_RUNTIME = "k8s.io"


def _version_2():
    return (_ROOT / "cgroup.controllers").exists()


def _hierarchies():
    if _version_2():
        return [_ROOT]
    return sorted(each for each in _ROOT.iterdir() if each.is_dir() and not each.is_symlink())


def name_for(box):
    """The name of a box's cgroup; it names this test run, so that two runs do not meet."""
    return f"{_PREFIX}{os.getpid()}-{box}"


def make(name):
    """Makes the cgroup in every hierarchy, able to hold children with all controllers."""
    for hierarchy in _hierarchies():
        made = hierarchy / name
        made.mkdir(exist_ok=True)
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if (made / setting).exists() and not _version_2():
                (made / setting).write_text((hierarchy / setting).read_text())
        if _version_2():
            wanted = [each for each in (hierarchy / "cgroup.controllers").read_text().split()
                      if each in ("cpu", "cpuset", "memory", "pids", "io", "hugetlb")]
            for each in (hierarchy, made):
                (each / "cgroup.subtree_control").write_text(
                    " ".join(f"+{controller}" for controller in wanted))


def remove(name):
    """Removes the cgroup and all below it; they are empty once the box has ended."""
    for hierarchy in _hierarchies():
        for each in (hierarchy / name, hierarchy / _RUNTIME):
            if each.is_dir():
                _remove_tree(each)


def sweep():
    """Removes what test runs left that were killed; it is empty, their boxes ended with them."""
    for hierarchy in _hierarchies():
        for each in hierarchy.glob(f"{_PREFIX}*-*"):
            run = each.name.removeprefix(_PREFIX).split("-")[0]
            if not os.path.exists(f"/proc/{run}"):
                _remove_tree(each)


def _remove_tree(top):
    for folder, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            pass  # Another box's shims may be in containerd's own.


def present():
    """The cgroups that this run's boxes could have made, to compare before and after.

    What another run at work shares with this one does not count: it may have made it just now.
    """
    found = {each for hierarchy in _hierarchies() for each in hierarchy.iterdir() if each.is_dir()}
    shared = () if any(_of_another_run(each.name) for each in found) else (_RUNTIME, "kubepods")
    return {str(each) for each in found
            if each.name in shared or each.name.startswith(name_for(""))}


def _of_another_run(name):
    return name.startswith(_PREFIX) and not name.startswith(name_for(""))
