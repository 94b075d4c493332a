# SPDX-License-Identifier: Apache-2.0
"""A clock that is wrong, for one program: the environment in which its calendar is off.

It is for programs that take the time from the C library, ours among them; programs in Go do not.
"""
import os
import pathlib
import subprocess

_SOURCE = pathlib.Path(__file__).with_name("shifted_clock.c")


def environment(folder, seconds):
    """Variables for a program whose clock is to be so many seconds ahead; built in `folder`."""
    library = pathlib.Path(folder) / "libshifted_clock.so"
    if not library.exists():
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror",
                        "-o", str(library), str(_SOURCE)], check=True)
    return {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}
