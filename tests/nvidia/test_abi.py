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
# The header has these as unnamed parts of other structures, whose members are compared.
_UNNAMED = frozenset({"CUmemLocationLocalized"})

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
def _accepted(reading, generation, lines):
    """Which of the lines compile after the header, each on its own."""
    start = _READINGS[reading][0]
    words = _compile(start + "\n".join(lines) + "\n", headers.header_folder(generation))
    first = start.count("\n") + 1
    refused = {int(line) - first for line in re.findall(r"<stdin>:(\d+):\d+: error", words)}
    return frozenset(line for at, line in enumerate(lines) if at not in refused)


class _Header:
    """What one reading of one header has of the names that we declare. A macro that stands for
    another function is none; one that stands for a number is a value."""

    def __init__(self, reading, generation, functions, types):
        macros = {name: f"#ifdef {name}" for name in [*functions, *types.values]}
        plain = {name: f"using Type_{name} = ::{name};" for name in types.names}
        plain |= {name: f"using Probe_{name} = decltype(::{name});" for name in [*functions, *types.values]}
        members = {(name, path): f"using Member_{name}_{path.replace('.', '_')} = "
                                 f"decltype(static_cast<::{name}*>(nullptr)->{path});"
                   for name, paths in types.members.items() for path in paths}
        defined = self._defined(reading, generation, tuple(sorted(macros)))
        good = _accepted(reading, generation, tuple(dict.fromkeys([*plain.values(), *members.values()])))
        self.functions = {name for name in functions if plain[name] in good} - defined
        self.types = [name for name in dict.fromkeys(types.names) if plain[name] in good]
        self.members = {key for key, line in members.items() if line in good}
        self.macros = {name for name in types.values if name in defined}
        self.values = {name for name in types.values if plain[name] in good} | self.macros

    @staticmethod
    def _defined(reading, generation, names):
        """Which of the names are macros."""
        text = _READINGS[reading][0] + "".join(f"#ifdef {name}\n#error {name}\n#endif\n" for name in names)
        words = _compile(text, headers.header_folder(generation))
        return set(re.findall(r"#error (\w+)", words))


def _declared(room):
    return declarations.functions(room), declarations.Types(declarations.type_headers(room))


@functools.lru_cache(maxsize=None)
def _header(reading, generation):
    """The same for the room as it is."""
    functions, types = _declared(_ROOM)
    prefix = _READINGS[reading][1] + "[A-Z]"
    return _Header(reading, generation, [name for name in functions if re.match(prefix, name)], types)


def _comparison(reading, generation, room=_ROOM):
    """The translation unit that compares, and the functions that it compares."""
    functions, types = _declared(room)
    header = _header(reading, generation)
    compared = sorted(header.functions & set(functions))
    lines = [_READINGS[reading][0],
             "#include <cstddef>\n#include <cstdint>\n#include <type_traits>\n"]
    for name in sorted(header.macros):
        lines.append(f"constexpr long long Macro_{name} = {name};\n#undef {name}\n"
                     f"constexpr long long {name} = Macro_{name};\n")
    lines.append("namespace declared {\n")
    lines += [f'#include "{each}"\n' for each in declarations.type_headers(room)]
    lines += [f"using Of_{name} = {functions[name][0]} {functions[name][1]};\n" for name in compared]
    lines += ["}\n#define NAMED_TYPES(X) ", " ".join(f"X({name})" for name in header.types),
              '\n#include "same_abi.h"\n']
    lines += [f"SAME_FUNCTION({name});\n" for name in compared]
    for name in header.types:
        if types.members.get(name):
            lines.append(f"SAME_SIZE({name});\n")
            # What is reserved shrinks as headers grow; the structure's size holds it.
            lines += [f"SAME_MEMBER({name}, {path});\n" for path in types.members[name]
                      if (name, path) in header.members and not path.endswith("reserved")]
    lines += [f"SAME_VALUE({name});\n" for name in types.values if name in header.values]
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


def test_every_type_member_and_value_is_of_some_header():
    _, types = _declared(_ROOM)
    wanted = {*types.names, *types.values,
              *((name, path) for name, paths in types.members.items() for path in paths
                if name not in _UNNAMED)} - _UNNAMED
    found = set()
    for generation in headers.PACKAGES:
        for reading in _READINGS:
            header = _header(reading, generation)
            found |= {*header.types, *header.values, *header.members}
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
    ("cuda per thread", "hooks/launch_graphs.cc", "cuGraphLaunch_ptsz, (CUgraphExec graph, CUstream",
     "cuGraphLaunch_ptsz, (CUgraph graph, CUstream", "cuGraphLaunch_ptsz"),
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
