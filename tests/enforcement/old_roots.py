#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Root file systems of Debian releases, made by debootstrap with Python in them, for tests that the library
runs in images older than the machine it was built on. They lie in the cache
${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}/debian-roots and are made once. Needs root.

    old_roots.py RELEASE..      makes them and prints where they are
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "nvidia"))
import headers  # noqa: E402  pylint: disable=wrong-import-position

# By name, with the version of its C library.
RELEASES = {"bookworm": "2.36", "bullseye": "2.31"}
_MIRROR = os.environ.get("ALIQUOT_DEBIAN_MIRROR", "http://deb.debian.org/debian")


def root_of(release):
    """The root file system; made at the first call."""
    folder = headers.cache_root() / "debian-roots"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{release}-python3"
    with open(folder / f"{release}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            half = folder / f"{release}.half"
            shutil.rmtree(half, ignore_errors=True)  # what an interrupted run left
            command = ["debootstrap", "--variant=minbase", "--include=python3", release, half, _MIRROR]
            done = subprocess.run(command, check=False, text=True, capture_output=True)
            if done.returncode:
                raise RuntimeError(f"debootstrap cannot make {release} from {_MIRROR}: {done.stdout[-2000:]}"
                                   f"{done.stderr[-500:]}; it needs the mirror once, another one is named by "
                                   "ALIQUOT_DEBIAN_MIRROR")
            shutil.rmtree(half / "var" / "cache" / "apt", ignore_errors=True)
            half.rename(made)
    return made


def main(releases):
    for release in releases:
        if release not in RELEASES:
            sys.exit(f"old_roots.py: {release} is none of {', '.join(RELEASES)}")
        print(root_of(release))


if __name__ == "__main__":
    main(sys.argv[1:])
