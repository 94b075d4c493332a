# SPDX-License-Identifier: Apache-2.0
"""What the shipped libaliquot.so is, read from the file: every process of a container loads it, also in
images much older than the machine that it was built on."""
import pathlib
import re
import subprocess
import sys

import pytest

_HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "nvidia")]

# pylint: disable=wrong-import-position
from harness.container import library_file  # noqa: E402
from harness.world import REPOSITORY  # noqa: E402
import driver_packages  # noqa: E402
import headers  # noqa: E402

# `make build` leaves the file that goes into images; without it there is the build under test alone.
_SHIPPED = REPOSITORY / "out" / "lib" / "libaliquot.so"
_NAMES = REPOSITORY / "src" / "interposer" / "names"
_OWN = {"dlsym", "dlvsym", "dlopen", "dlmopen"}
_FLOOR = (2, 17)


@pytest.fixture(name="file", params=["built", "shipped"] if _SHIPPED.exists() else ["built"])
def fixture_file(request):
    """The library that the other tests run, and the one that `make build` made."""
    return library_file() if request.param == "built" else _SHIPPED


def _read(file, *options):
    return subprocess.run(["readelf", "--wide", *options, file], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def _exports(file):
    listed = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", file],
                            check=True, text=True, stdout=subprocess.PIPE).stdout
    return {line.split()[0] for line in listed.splitlines() if line.split()[1] in "TWi"}


def _listed():
    return {name for each in ("cuda.txt", "nvml.txt") for name in (_NAMES / each).read_text().split()}


def _names_in_headers(generation):
    """Every function of the headers, in all views of the preprocessor, as tools/interposer-names.py reads."""
    found = set()
    for kind in ("cuda", "nvml"):
        listed = subprocess.run([sys.executable, REPOSITORY / "tools/interposer-names.py", kind,
                                 headers.header_folder(generation)], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        found |= set(listed.split())
    return found


def test_no_symbol_is_newer_than_the_oldest_supported_c_library(file):
    needed = re.findall(r"GLIBC_([\d.]+)", _read(file, "--version-info"))
    assert needed
    assert max(tuple(map(int, each.split("."))) for each in needed) <= _FLOOR


def test_every_imported_symbol_is_in_the_list(file):
    lines = (REPOSITORY / "src/interposer/libc_symbols.txt").read_text().splitlines()
    allowed = {line.split()[0] for line in lines if line and not line.startswith("#")}
    imported = set(re.findall(r" UND (\S+@GLIBC_[\d.]+)", _read(file, "--dyn-syms")))
    assert imported and imported <= allowed


def test_only_the_c_library_is_needed(file):
    assert re.findall(r"\(NEEDED\).*\[(.*)\]", _read(file, "--dynamic")) == ["libc.so.6", "libdl.so.2"]


def test_its_name_in_the_loader_is_the_drivers(file):
    assert re.findall(r"\(SONAME\).*\[(.*)\]", _read(file, "--dynamic")) == ["libcuda.so.1"]


@pytest.mark.parametrize("tag", ["INIT", "FINI", "INIT_ARRAY", "FINI_ARRAY", "PREINIT_ARRAY", "TEXTREL", "RPATH",
                                 "RUNPATH", "VERDEF"])
def test_a_process_runs_nothing_of_it(file, tag):
    """No constructor, no code to be changed, no search path."""
    assert f"({tag})" not in _read(file, "--dynamic")


def test_next_to_nothing_is_relocated_in_each_process(file):
    """The slots of the calls of the C library, bound lazily, and where the thread's own words are. A table of
    pointers to all names would be a thousand."""
    kinds = re.findall(r"^[0-9a-f]+\s+[0-9a-f]+\s+(R_X86_64_\w+)", _read(file, "--relocs"), re.MULTILINE)
    assert set(kinds) == {"R_X86_64_JUMP_SLOT", "R_X86_64_TPOFF64"}
    assert len(kinds) <= 10


def test_it_has_no_writable_code_and_no_executable_stack(file):
    segments = re.findall(r"^\s+(LOAD|GNU_STACK)\s.*\s([R ][W ][E ])\s+0x", _read(file, "--segments"), re.MULTILINE)
    assert ("GNU_STACK", "RW ") in segments
    assert not any("W" in flags and "E" in flags for _, flags in segments)


def test_it_exports_the_listed_names_and_the_four_lookups(file):
    assert _exports(file) == _listed() | _OWN


@pytest.mark.parametrize("generation", ["newest", "12"])
def test_every_function_of_nvidias_headers_is_exported(file, generation):
    missing = _names_in_headers(generation) - _exports(file)
    assert not missing, f"run tools/interposer-names.py and commit the lists: {sorted(missing)}"


@pytest.mark.parametrize("generation", ["newest", "12"])
def test_every_function_that_cugetprocaddress_can_be_asked_for_is_exported(file, generation):
    """cudaTypedefs.h has a type PFN_<name>_v<version> for each."""
    text = (headers.header_folder(generation) / "cudaTypedefs.h").read_text(errors="replace")
    asked = set(re.findall(r"PFN_(cu\w+?)_v\d+(?:_pt[sd][sz])?\b", text))
    assert len(asked) > 400
    assert not asked - _exports(file)


@pytest.mark.parametrize("library", ["libcuda.so.1", "libnvidia-ml.so.1"])
def test_every_function_of_the_real_driver_is_exported(file, library):
    of_driver = _exports(driver_packages.library_folder() / library)
    assert len(of_driver) > 300
    assert not of_driver - _exports(file)
