#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules of CONTRIBUTING.md that no compiler knows, over every file that git would commit.

- the licence line is the first line, or the second one after #!
- no source file has more than 500 lines
- no notes to be done later, no skipped GoogleTest
- only src/http sees cpp-httplib's server (tests may use it as a peer)
- no loop over what a call's temporary pointer points to: C++17 ends the temporary before the loop

Prints one line a breach, exit status 1 when there is any.

    check-sources.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

_LICENCE = "SPDX-License-Identifier: Apache-2.0"
_MOST_LINES = 500
_SOURCES = (".h", ".cc", ".py", ".sh", ".cmake")
_NAMES = ("CMakeLists.txt", "Makefile")
# Spelt so that this file does not find itself.
_FORBIDDEN = ("TO" + "DO", "FIX" + "ME", "GTEST_" + "SKIP")

_LOOP_OVER_TEMPORARY = re.compile(r"for \(.*[^:]:\s\*[\w.>:-]+\([^()]*\)\)")


def files(root):
    """Every source file that is committed or would be."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    for name in sorted(filter(None, listed.split("\0"))):
        path = root / name
        if path.is_file() and (path.suffix in _SOURCES or path.name in _NAMES):
            yield path


def breaches_of(name, text):
    """What is wrong with one file."""
    lines = text.splitlines()
    first = lines[1:2] if text.startswith("#!") else lines[:1]
    if not first or _LICENCE not in first[0]:
        yield f"{name}:1: no licence line; begin with {_LICENCE}"
    if len(lines) > _MOST_LINES:
        yield f"{name}: {len(lines)} lines; split what has more than {_MOST_LINES}"
    for number, line in enumerate(lines, 1):
        for word in _FORBIDDEN:
            if word in line:
                yield f"{name}:{number}: {word}; do it now or file an issue"
        if name.startswith("src/") and "httplib.h" in line and not name.startswith("src/http/"):
            yield f"{name}:{number}: only src/http may use cpp-httplib"
        if name.endswith((".cc", ".h")) and _LOOP_OVER_TEMPORARY.search(line):
            yield f"{name}:{number}: loops over *call(), which may be gone by then; name it first"


def main():
    """Checks the tree given, or the one this file is in."""
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    root = root.resolve()
    found = [line for path in files(root)
             for line in breaches_of(str(path.relative_to(root)), path.read_text())]
    for line in found:
        print(line)
    print(f"source rules: {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
