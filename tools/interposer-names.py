#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the names that libaliquot.so must answer for: every function of NVIDIA's CUDA and NVML
headers and every function that its driver libraries export. Run it when a new CUDA release is out
and commit what it prints; a name once listed stays (drivers of all ages are met), so the committed
list is an input too.

    interposer-names.py {cuda|nvml} [HEADER FOLDER | LIBRARY | LIST]...  > src/interposer/names/cuda.txt
"""
import pathlib
import re
import subprocess
import sys

# Headers, the pattern of a name, and what declares one once the preprocessor is through. cuda.h also names
# functions that it does not declare, as what a macro stands for.
_KINDS = {
    "cuda": ("cuda*.h", re.compile(r"(?:cu[A-Z]|cudbg)\w*"),
             re.compile(r"\bCUresult\s+(?:CUDAAPI\s+)?(cu[A-Z]\w*)\s*\("
                        r"|^#define\s+cu[A-Z]\w*\s+(cu[A-Z]\w*)\s*$", re.MULTILINE)),
    "nvml": ("nvml.h", re.compile(r"nvml[A-Z]\w*"), re.compile(r"\b(nvml[A-Z]\w*)()\s*\(")),
}
# One header declares different versions of a function by these; together they show them all.
_VIEWS = ([], ["-D__CUDA_API_VERSION_INTERNAL"], ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
          ["-D__CUDA_API_VERSION_INTERNAL", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
          ["-DNVML_NO_UNVERSIONED_FUNC_DEFS"])


def of_header(path, declaration):
    """Functions that one header declares under any of its views."""
    names = set()
    for flags in _VIEWS:
        seen = subprocess.run(["gcc", "-E", "-dD", "-P", "-I", path.parent, *flags, path], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        # A header that needs one of another library (OpenGL's) is read as it stands.
        text = seen.stdout if seen.returncode == 0 else path.read_text()
        names |= {name for found in declaration.findall(text) for name in found if name}
    return names


def of_library(path):
    """Functions that a shared library exports."""
    listed = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", path], text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    return {line.split()[0].split("@")[0] for line in listed.splitlines() if line.split()[1] in "TWi"}


def collect(kind, sources):
    """All names of that kind in headers, libraries and lists."""
    headers, name, declaration = _KINDS[kind]
    found = set()
    for source in map(pathlib.Path, sources):
        if source.is_dir():
            for header in sorted(source.glob(headers)):
                if "Typedefs" not in header.name and not header.name.startswith("cuda_"):
                    found |= of_header(header, declaration)
        elif source.suffix == ".txt":
            found |= set(source.read_text().split())
        else:
            found |= of_library(source)
    return sorted(each for each in found if name.fullmatch(each))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in _KINDS:
        sys.exit(__doc__)
    print("\n".join(collect(sys.argv[1], sys.argv[2:])))
