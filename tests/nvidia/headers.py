# SPDX-License-Identifier: Apache-2.0
"""Fetches NVIDIA's headers cuda.h, cudaTypedefs.h and nvml.h, and prints the folder they lie in.

    nvidia-cuda-runtime, nvidia-nvml-dev              the newest CUDA on PyPI
    nvidia-cuda-runtime-cu12, nvidia-nvml-dev-cu12    the last one of CUDA 12

They are under NVIDIA's licence, so they are not in the tree: they lie in the cache
${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}/nvidia-headers[-12] and are asked for anew after
a week. Whoever builds without a network names a folder of his own with ALIQUOT_CUDA_HEADERS.
The counts of names are a floor: a header that lost functions, or that the expressions here no longer
understand, is refused, so that nothing that is generated from it silently shrinks.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

# By generation: packages and what is taken of them.
PACKAGES = {
    "newest": {"nvidia-cuda-runtime": ("cuda.h", "cudaTypedefs.h"), "nvidia-nvml-dev": ("nvml.h",)},
    "12": {"nvidia-cuda-runtime-cu12": ("cuda.h", "cudaTypedefs.h"),
           "nvidia-nvml-dev-cu12": ("nvml.h",)},
}
_WEEK_SECONDS = 7 * 24 * 3600

# How names are declared.
_DECLARED = {
    "cuda.h": r"\bCUDAAPI\s+(cu[A-Z]\w*)\s*\(",
    "cudaTypedefs.h": r"\bCUDAAPI\s*\*\s*(PFN_cu[A-Z]\w*)\s*\)",
    "nvml.h": r"\bDECLDIR\s+(nvml[A-Z]\w*)\s*\(",
}
# What CUDA 13.5.37 and 12.9.79 declare; newer ones only add.
_FLOOR = {
    "newest": {"cuda.h": 544, "cudaTypedefs.h": 685, "nvml.h": 435},
    "12": {"cuda.h": 492, "cudaTypedefs.h": 616, "nvml.h": 386},
}


def cache_root():
    """The folder that everything fetched lies in."""
    root = os.environ.get("ALIQUOT_CACHE")
    if root:
        return pathlib.Path(root)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "aliquot"


def names_in(text, header):
    """The distinct names that the header declares."""
    return set(re.findall(_DECLARED[header], text))


def _check(header, text, wheel, floor):
    count = len(names_in(text, header))
    if count < floor:
        raise RuntimeError(f"{header} of {wheel} declares {count} names, {floor} were "
                           "there before: it is damaged, or tests/nvidia/headers.py must learn to "
                           "read it")


def _download(generation, package, folder):
    """Puts the headers of the package's newest version into the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir",
                   "--disable-pip-version-check", "--only-binary=:all:", "--dest", scratch, package]
        done = subprocess.run(command, check=False, text=True, capture_output=True)
        wheels = list(pathlib.Path(scratch).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise RuntimeError(f"pip cannot fetch {package}: {done.stderr.strip()}; NVIDIA's headers "
                               "need PyPI once a week")
        with zipfile.ZipFile(wheels[0]) as wheel:
            for header in PACKAGES[generation][package]:
                found = [name for name in wheel.namelist() if name.endswith("/" + header)]
                if len(found) != 1:
                    raise RuntimeError(f"{wheels[0].name} has {len(found)} files {header}, not one")
                text = wheel.read(found[0])
                _check(header, text.decode(errors="replace"), wheels[0].name,
                       _FLOOR[generation][header])
                aside = folder / (header + ".new")
                aside.write_bytes(text)
                aside.rename(folder / header)
        (folder / package).write_text(wheels[0].name + "\n")


def header_folder(generation="newest"):
    """The folder with all three headers. Raises when there are none and none can be fetched; kept
    ones that are old but cannot be renewed are good enough, and said."""
    folder = cache_root() / ("nvidia-headers" + {"newest": "", "12": "-12"}[generation])
    folder.mkdir(parents=True, exist_ok=True)
    for package, headers in PACKAGES[generation].items():
        mark = folder / package
        there = mark.exists() and all((folder / each).exists() for each in headers)
        if there and time.time() - mark.stat().st_mtime < _WEEK_SECONDS:
            continue
        try:
            _download(generation, package, folder)
        except RuntimeError as error:
            if not there:
                raise
            print(f"headers of {mark.read_text().strip()} are used again: {error}", file=sys.stderr)
    return folder


def main():
    try:
        print(header_folder())
    except RuntimeError as error:
        sys.exit(f"headers.py: {error}")


if __name__ == "__main__":
    main()
