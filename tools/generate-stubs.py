#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the assembler parts of libaliquot.so.

    generate-stubs.py stubs OUT.S --names LIST... --sources SOURCE...
        The table of the driver's names, a slot for each, and a forwarding stub for each name that no
        source hooks (lines that begin with ALIQUOT_HOOK or ALIQUOT_DRIVER_FUNCTION, src/interposer/hook.h).
    generate-stubs.py libc OUT-FOLDER SYMBOLS
        For each library of the list (src/interposer/libc_symbols.txt) LIBRARY.S and LIBRARY.map, from which
        the build makes the libraries that libaliquot.so is linked against.
"""
import argparse
import collections
import pathlib
import re
import sys

_LICENCE = "// SPDX-License-Identifier: Apache-2.0\n// Written by tools/generate-stubs.py.\n"
_NO_STACK = '        .section .note.GNU-stack, "", @progbits\n'
_USE = re.compile(r"^(ALIQUOT_HOOK|ALIQUOT_DRIVER_FUNCTION)\(\s*[^,()]+,\s*(\w+)\s*,", re.MULTILINE)


def read_names(lists):
    """All names of the lists, sorted as the table's search compares them."""
    names = set()
    for each in lists:
        names |= set(each.read_text().split())
    return sorted(names)


def read_uses(sources, names):
    """The hooked names. A name that is used and in no list is an error: nobody would export it."""
    hooked = {}
    for source in sources:
        for kind, name in _USE.findall(source.read_text()):
            if name not in names:
                sys.exit(f"{source}: {name} is in no list of src/interposer/names; add it to the list of its library")
            if kind == "ALIQUOT_HOOK":
                if name in hooked:
                    sys.exit(f"{source}: {name} is hooked in {hooked[name]} too; a function has one hook")
                hooked[name] = source
    return set(hooked)


def stub(row, name):
    """One forwarding function."""
    return (f"        .globl {name}\n        .type {name}, @function\n        .p2align 4\n{name}:\n"
            f"        movq aliquot_slots+{8 * row}(%rip), %r11\n        testq %r11, %r11\n        jz 1f\n"
            f"        jmp *%r11\n1:      movl ${row}, %r11d\n        jmp aliquot_stub_unresolved\n"
            f"        .size {name}, . - {name}\n")


def stubs(names, hooked):
    """The text of stubs.S."""
    text = [_LICENCE, "        .hidden aliquot_stub_unresolved\n        .text\n"]
    text += [stub(row, name) for row, name in enumerate(names) if name not in hooked]
    text.append('        .section .rodata, "a", @progbits\n        .p2align 3\n')
    for symbol in ("aliquot_rows", "aliquot_row_count", "aliquot_names", "aliquot_hooked",
                   "aliquot_hooked_count", "aliquot_slots"):
        text.append(f"        .globl {symbol}\n        .hidden {symbol}\n")
    text.append("aliquot_rows:\n")
    offset = 0
    for name in names:
        text.append(f"        .long {offset}\n        .long {name} - aliquot_rows\n")
        offset += len(name) + 1
    text.append(f"aliquot_row_count:\n        .long {len(names)}\n")
    rows = [row for row, name in enumerate(names) if name in hooked]
    text.append(f"aliquot_hooked_count:\n        .long {len(rows)}\n")
    text.append("aliquot_hooked:\n" + "".join(f"        .short {row}\n" for row in rows))
    text.append("aliquot_names:\n" + "".join(f'        .asciz "{name}"\n' for name in names))
    text.append("        .bss\n        .p2align 6\naliquot_slots:\n")
    text.append("".join(f"        .globl aliquot_slot_{name}\n        .hidden aliquot_slot_{name}\n"
                        f"aliquot_slot_{name}:\n        .skip 8\n" for name in names))
    return "".join(text) + _NO_STACK


def libc_parts(symbols):
    """Library -> version -> functions."""
    libraries = collections.defaultdict(lambda: collections.defaultdict(list))
    for number, line in enumerate(symbols.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        found = re.fullmatch(r"(\w+)@(GLIBC_([\d.]+)) (\S+)", line)
        if not found or tuple(map(int, found[3].split("."))) > (2, 17):
            sys.exit(f"{symbols}:{number}: {line!r} is not SYMBOL@GLIBC_2.x LIBRARY with a version up to 2.17")
        libraries[found[4]][found[2]].append(found[1])
    return libraries


def write_libc(folder, symbols):
    """The sources of the libraries to link against."""
    folder.mkdir(parents=True, exist_ok=True)
    for library, versions in libc_parts(symbols).items():
        code = [_LICENCE, "        .text\n"]
        script = []
        for version, functions in sorted(versions.items()):
            code += [f"        .globl {each}\n        .type {each}, @function\n{each}:\n        ret\n" for each in functions]
            script.append(f"{version} {{ global: {'; '.join(functions)}; local: *; }};\n")
        (folder / f"{library}.S").write_text("".join(code) + _NO_STACK)
        (folder / f"{library}.map").write_text("".join(script))


def main():
    """Does what the first argument says."""
    parser = argparse.ArgumentParser()
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("stubs")
    part.add_argument("out", type=pathlib.Path)
    part.add_argument("--names", nargs="+", type=pathlib.Path, required=True)
    part.add_argument("--sources", nargs="+", type=pathlib.Path, required=True)
    part = parts.add_parser("libc")
    part.add_argument("out", type=pathlib.Path)
    part.add_argument("symbols", type=pathlib.Path)
    options = parser.parse_args()
    if options.part == "libc":
        write_libc(options.out, options.symbols)
        return
    names = read_names(options.names)
    options.out.write_text(stubs(names, read_uses(options.sources, set(names))))


if __name__ == "__main__":
    main()
