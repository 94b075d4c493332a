# SPDX-License-Identifier: Apache-2.0
"""Fetches NVIDIA's real driver libraries and prints the folder they lie in.

They come from Debian's non-free packages, are checked against the sums below and unpacked without
installing anything, into the cache ${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}. On a
machine without a card they load and answer that there is none, which is enough to compare what the
real driver exports and hands out with and without the library before it.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile

import headers

VERSION = "535.261.03"
_POOL = "http://deb.debian.org/debian/pool/non-free/n/nvidia-graphics-drivers"
_PACKAGES = {
    "libcuda1": "de1e9ca34164a5983b3f752e6699cf1ad924790f1a843b7d582bab6f99206e1e",
    "libnvidia-ml1": "c729da6ab729309dc3f481fe4d38f04ea03b0793154b0962b60117d2f37d082e",
    # what libcuda loads when it links PTX
    "libnvidia-ptxjitcompiler1": "4e03bb994324a81d1a39d1e3eb0fed3f7f3c31a2b606a6e9110300de4f4fa1a0",
}


def _unpack(package, digest, folder):
    """Downloads one package and puts its files below the folder."""
    address = f"{_POOL}/{package}_{VERSION}-1_amd64.deb"
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "package.deb"
        subprocess.run(["curl", "--silent", "--show-error", "--fail", "--location", "--retry", "3",
                        "--output", file, address], check=True)
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if found != digest:
            raise RuntimeError(f"{address} has the sum {found}, not {digest}; it is not the file that "
                               "was tested")
        subprocess.run(["dpkg-deb", "--extract", file, folder], check=True)


def library_folder():
    """The folder with libcuda.so.1 and libnvidia-ml.so.1 of the real driver."""
    root = headers.cache_root() / f"nvidia-driver-{VERSION}"
    libraries = root / "lib"
    if libraries.exists():
        return libraries
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as scratch:
        for package, digest in _PACKAGES.items():
            _unpack(package, digest, scratch)
        made = pathlib.Path(scratch) / "made"
        made.mkdir()
        for file in pathlib.Path(scratch).glob(f"usr/lib/x86_64-linux-gnu/**/*.so.{VERSION}"):
            file.rename(made / file.name)
            (made / (file.name.split(".so.")[0] + ".so.1")).symlink_to(file.name)
        made.rename(libraries)
    return libraries


def main():
    try:
        print(library_folder())
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"driver_packages.py: {error}; the real driver's libraries need Debian's pool once")


if __name__ == "__main__":
    main()
