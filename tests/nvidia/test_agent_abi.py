# SPDX-License-Identifier: Apache-2.0
"""src/agent/gpu/nvml_abi.h against NVIDIA's own nvml.h: agent_abi.cc compiles only where they agree."""
import pathlib
import subprocess

import pytest

import headers

_HERE = pathlib.Path(__file__).resolve().parent
_SOURCE = _HERE.parents[1] / "src"
_ABI = pathlib.Path("agent/gpu/nvml_abi.h")


def _compile(header_folder, *include_folders):
    """The compiler's words; empty when everything agrees."""
    folders = [f"-I{each}" for each in (*include_folders, _SOURCE)]
    done = subprocess.run(
        ["c++", "-std=c++17", "-fsyntax-only", "-Wno-deprecated-declarations", "-isystem",
         header_folder, *folders, _HERE / "agent_abi.cc"],
        check=False, text=True, capture_output=True)
    if done.returncode and not done.stderr:
        raise RuntimeError(f"the compiler ended with {done.returncode} without a word")
    return done.stderr if done.returncode else ""


@pytest.fixture(name="header", params=headers.PACKAGES)
def fixture_header(request):
    """A folder with nvml.h, one for each generation."""
    return headers.header_folder(request.param)


def test_our_declarations_are_those_of_the_header(header):
    assert _compile(header) == ""


_CHANGES = (
    # what a mistake would look like, and the word that the compiler must say of it
    ("  unsigned long long free;\n  unsigned long long used;  // what",
     "  unsigned long long used;  // what", "Memory"),
    ("  unsigned domain;\n  unsigned bus;", "  unsigned bus;\n  unsigned domain;", "PciInfo"),
    ("kGpuIsLost = 15", "kGpuIsLost = 14", "kGpuIsLost"),
    ("kFieldNvlinkState = 165", "kFieldNvlinkState = 166", "kFieldNvlinkState"),
    ("2U << 24", "1U << 24", "kMemoryV2Version"),
    ("nvmlDeviceGetUUID, nvmlDeviceGetUUID, Return, (Device, char*, unsigned)",
     "nvmlDeviceGetUUID, nvmlDeviceGetUUID, Return, (Device, Device*, unsigned)",
     "nvmlDeviceGetUUID"),
)


@pytest.mark.parametrize("before, after, word", _CHANGES)
def test_a_mistake_does_not_compile(header, tmp_path, before, after, word):
    text = (_SOURCE / _ABI).read_text()
    assert text.count(before) == 1, before
    changed = tmp_path / _ABI
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(before, after))
    assert word in _compile(header, tmp_path)

