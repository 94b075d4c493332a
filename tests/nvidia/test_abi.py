# SPDX-License-Identifier: Apache-2.0
"""The interception library's view of NVIDIA's interface against NVIDIA's own headers, of CUDA 12.9
and the newest: every hook takes and gives what the header says, every structure has its layout,
every value is the header's. The comparison is written from the sources and is done by the compiler:
it compiles only where they agree."""
import functools
import pathlib
import re
import subprocess

import pytest

import declarations
import headers

_HERE = pathlib.Path(__file__).resolve().parent
_ROOM = _HERE.parents[1] / "src" / "interposer"

# Of the driver's library only, in no header: they cannot be compared.
_IN_NO_HEADER = frozenset()

# How the headers are read: NVML's; CUDA's with the functions of CUDA 2 under their own names; and
# CUDA's for programs whose default stream is one of the thread.
_READINGS = {
    "nvml": ("#define NVML_NO_UNVERSIONED_FUNC_DEFS\n#include <nvml.h>\n", "nvml"),
    "cuda": ("#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n", "cu"),
    "cuda per thread": ("#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n#include <cuda.h>\n", "cu"),
}


def _compile(text, folder, *include_folders):
    """The compiler's words; empty when it has none."""
    includes = [f"-I{each}" for each in (*include_folders, _HERE.parents[1] / "src", _HERE)]
    done = subprocess.run(
        ["c++", "-std=c++17", "-fsyntax-only", "-Wno-deprecated-declarations", "-Wno-invalid-offsetof",
         "-fmax-errors=0", "-isystem", folder, *includes, "-x", "c++", "-"],
        check=False, text=True, capture_output=True, input=text)
    if done.returncode and not done.stderr:
        raise RuntimeError(f"the compiler ended with {done.returncode} without a word")
    return done.stderr if done.returncode else ""


@functools.lru_cache(maxsize=None)
def _declared(reading, generation, names):
    """Which of the names the header declares, functions and types alike."""
    start = _READINGS[reading][0]
    probe = start + "".join(f"using Probe_{name} = decltype(::{name});\n" for name in names)
    # decltype of a function or a value; a type has a line of its own.
    probe += "".join(f"using ProbeType_{name} = ::{name};\n" for name in names)
    # A macro stands for another name.
    probe += "".join(f"#ifdef {name}\n#error {name}\n#endif\n" for name in names)
    words = _compile(probe, headers.header_folder(generation))
    missing = {name: {"macro", name} for name in re.findall(r"#error (\w+)", words)}
    for line in re.findall(r"<stdin>:(\d+):\d+: error", words):
        text = probe.splitlines()[int(line) - 1]
        if text.startswith("#"):
            continue
        missing.setdefault(re.match(r"using Probe(?:Type)?_(\w+)", text).group(1), set()).add(text)
    return frozenset(name for name in names if len(missing.get(name, ())) < 2)


def _comparison(reading, generation, room=_ROOM):
    """The translation unit that compares, and the functions that it compares."""
    start, prefix = _READINGS[reading]
    types = declarations.Types(declarations.type_headers(room))
    functions = {name: each for name, each in declarations.functions(room).items()
                 if re.match(prefix + "[A-Z]", name)}
    ask = tuple(sorted({*functions, *types.names, *types.values}))
    there = _declared(reading, generation, ask)
    names = [name for name in dict.fromkeys(types.names) if name in there]
    lines = [start, "#include <cstddef>\n#include <cstdint>\n#include <type_traits>\n",
             "namespace declared {\n"]
    lines += [f'#include "{each}"\n' for each in declarations.type_headers(room)]
    compared = sorted(set(functions) & there)
    lines += [f"using Of_{name} = {functions[name][0]} {functions[name][1]};\n" for name in compared]
    lines += ["}\n#define NAMED_TYPES(X) ", " ".join(f"X({name})" for name in names),
              '\n#include "same_abi.h"\n']
    lines += [f"SAME_FUNCTION({name});\n" for name in compared]
    for name in names:
        if name in types.members:
            lines.append(f"SAME_SIZE({name});\n")
            lines += [f"SAME_MEMBER({name}, {member});\n" for member in types.members[name]]
    lines += [f"SAME_VALUE({name});\n" for name in types.values if name in there]
    return "".join(lines), compared


@pytest.mark.parametrize("generation", headers.PACKAGES)
@pytest.mark.parametrize("reading", _READINGS)
def test_what_is_declared_is_what_the_header_says(reading, generation):
    text, compared = _comparison(reading, generation)
    assert compared, "nothing is compared"
    assert _compile(text, headers.header_folder(generation)) == ""


def test_every_hook_is_compared_with_some_header():
    compared = set()
    for generation in headers.PACKAGES:
        for reading in _READINGS:
            compared |= set(_comparison(reading, generation)[1])
    assert set(declarations.functions(_ROOM)) - compared == _IN_NO_HEADER


def test_every_type_and_value_is_of_some_header():
    types = declarations.Types(declarations.type_headers(_ROOM))
    wanted = set(types.names) | set(types.values)
    found = set()
    for generation in headers.PACKAGES:
        for reading in _READINGS:
            found |= _declared(reading, generation, tuple(sorted(wanted)))
    assert wanted - found == set()


_MISTAKES = (
    # reading, file, what a mistake would look like, and the word that the compiler must say of it
    ("nvml", "nvml_types.h", "  unsigned long long free;\n  unsigned long long used;\n} nvmlMemory_t",
     "  unsigned long long used;\n  unsigned long long free;\n} nvmlMemory_t", "nvmlMemory_t"),
    ("nvml", "nvml_types.h", "NVML_ERROR_NOT_FOUND = 6", "NVML_ERROR_NOT_FOUND = 5",
     "NVML_ERROR_NOT_FOUND"),
    ("nvml", "hooks/nvml_devices.cc", "nvmlDeviceGetIndex, (nvmlDevice_t device, unsigned* index)",
     "nvmlDeviceGetIndex, (unsigned device, unsigned* index)", "nvmlDeviceGetIndex"),
    ("cuda", "hooks/device_info.cc", "cuDeviceTotalMem, (unsigned* bytes,",
     "cuDeviceTotalMem, (std::size_t* bytes,", "cuDeviceTotalMem"),
    ("cuda", "cuda_types.h", "CUDA_ERROR_NOT_FOUND = 500", "CUDA_ERROR_NOT_FOUND = 501",
     "CUDA_ERROR_NOT_FOUND"),
)


@pytest.mark.parametrize("reading, file, before, after, word", _MISTAKES)
def test_a_mistake_does_not_compile(tmp_path, reading, file, before, after, word):
    for each in [*_ROOM.glob("*.h"), *_ROOM.rglob("*.cc")]:
        copy = tmp_path / "interposer" / each.relative_to(_ROOM)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(each.read_text())
    changed = tmp_path / "interposer" / file
    assert changed.read_text().count(before) == 1, before
    changed.write_text(changed.read_text().replace(before, after))
    text, _ = _comparison(reading, "newest", tmp_path / "interposer")
    assert word in _compile(text, headers.header_folder(), tmp_path)
