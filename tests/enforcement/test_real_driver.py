# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's real driver libraries and the real CUDA runtime under the library. Without a card they go
as far as the driver's "no device"; up to there everything must be the same with the library before
them and without. For a machine without NVIDIA's driver."""
import ctypes
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from third_party import environments

_HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent / "nvidia"))
import driver_packages  # noqa: E402  pylint: disable=wrong-import-position
import headers  # noqa: E402  pylint: disable=wrong-import-position

_BUILD = pathlib.Path(os.environ.get("ALIQUOT_ENFORCEMENT_BUILD",
                                     _HERE.parents[1] / "build" / "enforcement"))
_LIBRARY = (_BUILD / "src" / "interposer" / "libaliquot.so").resolve()

_NO_DEVICE = 100
_NVML_UNINITIALIZED = 1
_NVML_DRIVER_NOT_LOADED = 9

# CUDA's versions that brought new interfaces up to this driver's own, and one that it does not know.
_VERSIONS = (2000, 3020, 4000, 7000, 9000, 10020, 11030, 11040, 12000, 12020, 13000)
_FLAGS = (0, 1, 2)  # default, legacy stream, stream of the thread

_RUNTIME = r"""
#include <stddef.h>
#include <stdio.h>
extern int cudaGetDeviceCount(int*);
extern int cudaMalloc(void**, size_t);
extern int cudaMemGetInfo(size_t*, size_t*);
extern int cudaDriverGetVersion(int*);
extern int cudaRuntimeGetVersion(int*);
int main(void) {
  int count = -1, driver = -1, runtime = -1;
  size_t free = 0, total = 0;
  void* memory = NULL;
  int answers[5];
  answers[0] = cudaRuntimeGetVersion(&runtime);
  answers[1] = cudaDriverGetVersion(&driver);
  answers[2] = cudaGetDeviceCount(&count);
  answers[3] = cudaMemGetInfo(&free, &total);
  answers[4] = cudaMalloc(&memory, 1 << 20);
  printf("[%d, %d, %d, %d, %d, %d, %d]\n", answers[0], answers[1], answers[2], answers[3],
         answers[4], driver, runtime);
  return 0;
}
"""


def _run(command, with_library, timeout=120):
    """Standard output of a program on the real driver."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(driver_packages.library_folder()))
    if with_library:
        environment["LD_PRELOAD"] = str(_LIBRARY)
    # As root the real driver makes the nodes /dev/nvidia* that it misses; it must not on this machine.
    words = ["setpriv", "--bounding-set=-mknod", *(str(part) for part in command)]
    done = subprocess.run(words, env=environment, check=False, text=True, capture_output=True,
                          timeout=timeout)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def _both(command):
    """The same without and with the library, as JSON."""
    return [json.loads(_run(command, with_library)) for with_library in (False, True)]


def _child(function, *arguments):
    """The command that calls a function of this file in a fresh interpreter and prints its answer."""
    return [sys.executable, __file__, function.__name__, *arguments]


@functools.lru_cache(maxsize=None)
def _symbols(file):
    """Name to address of the functions that a shared object exports."""
    text = subprocess.run(["readelf", "--wide", "--dyn-syms", str(file)], check=True, text=True,
                          capture_output=True).stdout
    rows = re.findall(r"^\s*\d+: ([0-9a-f]+)\s+\d+ (?:FUNC|IFUNC|NOTYPE)\s+(?:GLOBAL|WEAK)\s+"
                      r"DEFAULT\s+(?!UND)\S+ ([^@\s]+)", text, re.MULTILINE)
    return {name: int(address, 16) for address, name in rows}


def _driver_names(soname):
    return sorted(name for name in _symbols(driver_packages.library_folder() / soname)
                  if re.match(r"cu[A-Zd]|nvml[A-Z]", name))


# What runs in a fresh interpreter.

class _Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def _place(address):
    """Which object an address is in, where, and the name of it that the loader knows."""
    place = _Place()
    if not address or not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(place)):
        return None
    return [os.path.basename(place.file.decode()), address - place.base,
            place.name.decode() if place.name else ""]


def ask_addresses(names_file):
    """What cuGetProcAddress_v2 answers to each name, version and flag."""
    ask = ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2
    answers = []
    for name in pathlib.Path(names_file).read_text(encoding="ascii").split():
        for version in _VERSIONS:
            for flags in _FLAGS:
                found = ctypes.c_void_p(0)
                status = ctypes.c_int(-1)
                result = ask(name.encode(), ctypes.byref(found), version, ctypes.c_uint64(flags),
                             ctypes.byref(status))
                answers.append([name, version, flags, result, status.value, _place(found.value)])
    return answers


def ask_cuda():
    """cuInit twice, and what the driver then says of a device."""
    driver = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int(-1)
    text = ctypes.c_char_p()
    first = driver.cuInit(0)
    answers = [first, driver.cuInit(0), driver.cuDeviceGetCount(ctypes.byref(count)),
               driver.cuMemFree_v2(ctypes.c_uint64(0)), driver.cuGetErrorName(first, ctypes.byref(text))]
    return [*answers, text.value.decode()]


def ask_nvml():
    """nvmlInit, tried again, and calls without it."""
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    nvml.nvmlErrorString.restype = ctypes.c_char_p
    count = ctypes.c_uint(0)
    return [nvml.nvmlInit_v2(), nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), nvml.nvmlInit(),
            nvml.nvmlInitWithFlags(0), nvml.nvmlDeviceGetCount(ctypes.byref(count)),
            nvml.nvmlShutdown(), nvml.nvmlErrorString(9).decode()]


def ask_names(soname, names_file):
    """Which of the names the loader does not find in a library opened by its SONAME."""
    library = ctypes.CDLL(soname)
    return [name for name in pathlib.Path(names_file).read_text(encoding="ascii").split()
            if not hasattr(library, name)]


# The tests.

def _asked_names():
    """Names as programs ask for them: the driver's own and the header's, with and without the ending
    that tells their version."""
    names = set(_driver_names("libcuda.so.1"))
    names |= headers.names_in((headers.header_folder() / "cuda.h").read_text(errors="replace"),
                              "cuda.h")
    return sorted(names | {re.sub(r"(_v\d+)?(_pt[sd][sz])?$", "", name) for name in names})


def _same_answer(plain, ours, real):
    """Whether the library's answer is the driver's, or a hook of the very function that it names."""
    if plain[:5] != ours[:5]:
        return False
    if plain[5] is None or plain[5][0] == ours[5][0]:
        return plain[5] == ours[5]
    return ours[5][0] == _LIBRARY.name and real.get(ours[5][2]) == plain[5][1]


def test_proc_addresses_are_the_drivers_or_the_hook_of_the_same_function(tmp_path):
    names = tmp_path / "names"
    names.write_text("\n".join(_asked_names()))
    plain, ours = _both(_child(ask_addresses, names))
    real = _symbols(driver_packages.library_folder() / "libcuda.so.1")
    assert len(plain) == len(ours) > 12936
    assert [(p, o) for p, o in zip(plain, ours) if not _same_answer(p, o, real)] == []
    replaced = {o[5][2] for o in ours if o[5] and o[5][0] == _LIBRARY.name}
    assert {"cuGetProcAddress_v2", "cuMemGetInfo_v2"} <= replaced
    answered = sum(row[5] is not None for row in plain)
    assert answered > 5000 and len(plain) - answered > 5000


@pytest.mark.parametrize("soname", ["libcuda.so.1", "libnvidia-ml.so.1"])
def test_every_exported_name_is_found(tmp_path, soname):
    names = tmp_path / "names"
    names.write_text("\n".join(_driver_names(soname)))
    assert len(_driver_names(soname)) > 300
    assert _both(_child(ask_names, soname, names)) == [[], []]


def test_cuda_says_no_device_as_it_does_alone():
    plain, ours = _both(_child(ask_cuda))
    assert plain == ours
    assert plain[:2] == [_NO_DEVICE, _NO_DEVICE]


def test_a_failed_nvml_can_be_tried_again_and_says_what_it_says_alone():
    plain, ours = _both(_child(ask_nvml))
    assert plain == ours
    assert plain[:4] == [_NVML_DRIVER_NOT_LOADED, _NVML_UNINITIALIZED, _NVML_DRIVER_NOT_LOADED,
                         _NVML_DRIVER_NOT_LOADED]


_RUNTIMES = {
    "12.9": ("cuda12", "nvidia/cuda_runtime/lib", "libcudart.so.12"),
    "newest": ("newest", "nvidia/cu13/lib", "libcudart.so.13"),
}


@pytest.mark.parametrize("linked", ["shared", "static"])
@pytest.mark.parametrize("version", _RUNTIMES)
def test_the_real_runtime_ends_where_it_ends_alone(tmp_path, version, linked):
    name, folder, shared = _RUNTIMES[version]
    folder = environments.site_packages(name) / folder
    source = tmp_path / "runtime.c"
    source.write_text(_RUNTIME)
    program = tmp_path / "runtime"
    library = ([folder / shared, f"-Wl,-rpath,{folder}"] if linked == "shared" else
               [folder / "libcudart_static.a", "-ldl", "-lpthread", "-lrt"])
    subprocess.run(["cc", "-o", program, source, *library], check=True)
    plain, ours = _both([program])
    assert plain == ours
    # A runtime newer than the driver may say so instead.
    assert plain[2] == _NO_DEVICE or version == "newest"
    assert plain[2] != 0


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
