# SPDX-License-Identifier: Apache-2.0
"""Writes what the simulated libraries export besides what they can do, from NVIDIA's own headers.

    generate_names.py COMPILER HEADERS OUT

OUT/cuda_names.S and OUT/nvml_names.S: every name of cuda.h and nvml.h as a weak function of its own
that answers NOT_SUPPORTED; a function that the simulation has takes its place at the link.
OUT/proc_addresses.cc: what cuGetProcAddress can hand out, by base name and CUDA version. The
versions of a name are those of its types PFN_<name>_v<version> in cudaTypedefs.h, in the order of
the exported names (name, name_v2, ..).
"""
import collections
import pathlib
import re
import subprocess
import sys

_NOT_SUPPORTED = {"cuda": 801, "nvml": 3}
_VARIANTS = ("_ptsz", "_ptds")


def cuda_names(compiler, headers):
    """Every name that cuda.h declares: old versions and per-thread variants are hidden from
    programs, and shown to whoever builds a driver."""
    text = '#define __CUDA_API_VERSION_INTERNAL\n#include "cuda.h"\n'
    done = subprocess.run([compiler, "-E", "-P", "-x", "c++", f"-I{headers}", "-"], input=text,
                          check=True, text=True, capture_output=True)
    return sorted(set(re.findall(r"\b(cu[A-Z]\w*)\(", done.stdout)))


def nvml_names(headers):
    text = (headers / "nvml.h").read_text(errors="replace")
    return sorted(set(re.findall(r"\bDECLDIR\s+(nvml[A-Z]\w*)\s*\(", text)))


def parts(name):
    """cuMemcpyHtoD_v2_ptds -> ("cuMemcpyHtoD", 2, "_ptds")."""
    variant = next((each for each in _VARIANTS if name.endswith(each)), "")
    stem = name.removesuffix(variant)
    base, number = re.fullmatch(r"(.*?)(?:_v(\d+))?", stem).groups()
    return base, int(number or 1), variant


def versions(headers, names):
    """Rows (base, variant, version, exported name)."""
    text = (headers / "cudaTypedefs.h").read_text(errors="replace")
    told = collections.defaultdict(set)
    for base, version, variant in re.findall(r"\*\s*PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\s*\)", text):
        told[base, variant].add(int(version))
    exported = collections.defaultdict(list)
    for name in names:
        base, number, variant = parts(name)
        exported[base, variant].append((number, name))
    rows = []
    for key, found in sorted(exported.items()):
        if len(told[key]) != len(found):
            sys.exit(f"generate_names.py: {key[0]}{key[1]} has {len(found)} exported names and "
                     f"{len(told[key])} versions; say here which belongs to which")
        rows += [(key[0], key[1], version, name)
                 for version, (_, name) in zip(sorted(told[key]), sorted(found))]
    return rows


def assembler(names, answer):
    lines = ["  .text"]
    for name in names:
        lines += [f"  .weak {name}", f"  .type {name},@function", "  .p2align 4", f"{name}:",
                  f"  movl ${answer}, %eax", "  ret", f"  .size {name}, .-{name}"]
    return "\n".join(lines + ['  .section .note.GNU-stack,"",@progbits', ""])


def proc_addresses(rows):
    names = sorted({row[3] for row in rows})
    text = ['#include "tests/simgpu/cuda/proc_address.h"', "", 'extern "C" {']
    text += [f"void {name}();" for name in names]
    text += ["}", "", "namespace aliquot::simgpu {", "const ProcAddress kProcAddresses[] = {"]
    for base, variant, version, name in rows:
        per_thread = "true" if variant else "false"
        text.append(f'    {{"{base}", {version}, {per_thread}, reinterpret_cast<void*>(&{name})}},')
    text += ["};", f"const int kProcAddressCount = {len(rows)};", "}  // namespace aliquot::simgpu", ""]
    return "\n".join(text)


def main():
    compiler, headers, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    names = cuda_names(compiler, headers)
    out.mkdir(parents=True, exist_ok=True)
    (out / "cuda_names.S").write_text(assembler(names, _NOT_SUPPORTED["cuda"]))
    (out / "nvml_names.S").write_text(assembler(nvml_names(headers), _NOT_SUPPORTED["nvml"]))
    (out / "proc_addresses.cc").write_text(proc_addresses(versions(headers, names)))


if __name__ == "__main__":
    main()
