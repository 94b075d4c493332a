# SPDX-License-Identifier: Apache-2.0
"""Fetches NVIDIA's nvml.h: PyPI's wheels bring it, and nothing else of them is used.

    nvidia-nvml-dev-cu12   the last header of CUDA 12
    nvidia-nvml-dev        the newest one

The header is under NVIDIA's licence, so it is not in the tree: it lies in the cache
${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}/nvml-header and is asked for anew after a
week, so that a newer header is met soon and a run does not hang on the network each time.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

PACKAGES = ("nvidia-nvml-dev-cu12", "nvidia-nvml-dev")
_WEEK_SECONDS = 7 * 24 * 3600


def cache_folder():
    """Where headers are kept between runs."""
    root = os.environ.get("ALIQUOT_CACHE")
    if not root:
        base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        root = pathlib.Path(base) / "aliquot"
    return pathlib.Path(root) / "nvml-header"


def _download(package, folder):
    """Puts nvml.h of the package's newest version into the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir",
                   "--disable-pip-version-check", "--only-binary=:all:", "--dest", scratch, package]
        done = subprocess.run(command, check=False, text=True, capture_output=True)
        wheels = list(pathlib.Path(scratch).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise RuntimeError(f"pip cannot fetch {package}: {done.stderr.strip()}; "
                               "the comparison with nvml.h needs PyPI once a week")
        with zipfile.ZipFile(wheels[0]) as wheel:
            names = [name for name in wheel.namelist() if name.endswith("/nvml.h")]
            if len(names) != 1:
                raise RuntimeError(f"{wheels[0].name} has {len(names)} files nvml.h, not one")
            made = folder.with_name(folder.name + ".new")
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(parents=True)
            (made / "nvml.h").write_bytes(wheel.read(names[0]))
            (made / "wheel").write_text(wheels[0].name + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def header_folder(package):
    """The folder with the package's nvml.h. Raises when there is none and none can be fetched; a
    kept one that is old but cannot be renewed is good enough, and said."""
    folder = cache_folder() / package
    header = folder / "nvml.h"
    if header.exists() and time.time() - header.stat().st_mtime < _WEEK_SECONDS:
        return folder
    try:
        _download(package, folder)
    except RuntimeError as error:
        if not header.exists():
            raise
        print(f"nvml.h of {(folder / 'wheel').read_text().strip()} is used again: {error}")
    return folder
