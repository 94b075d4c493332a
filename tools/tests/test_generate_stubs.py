# SPDX-License-Identifier: Apache-2.0
"""tools/generate-stubs.py on small lists: what it refuses, and that what it writes assembles."""
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "generate-stubs.py"


def _run(*words):
    return subprocess.run(["/usr/bin/python3", TOOL, *words], check=False, text=True, capture_output=True)


@pytest.fixture(name="stubs")
def fixture_stubs(tmp_path):
    """Runs the first form on these names and sources: (CompletedProcess, file written)."""
    def run(names, *sources):
        (tmp_path / "names.txt").write_text("\n".join(names) + "\n")
        files = []
        for index, text in enumerate(sources):
            files.append(tmp_path / f"{index}.cc")
            files[-1].write_text(text)
        out = tmp_path / "stubs.S"
        return _run("stubs", out, "--names", tmp_path / "names.txt", "--sources", *files), out
    return run


def test_a_hooked_name_gets_no_stub_and_every_name_a_slot(stubs, tmp_path):
    done, out = stubs(["cuInit", "cuMemFree"], "ALIQUOT_HOOK(CUresult, cuMemFree, (int a)) {}\n")
    assert done.returncode == 0, done.stderr
    made = tmp_path / "stubs.o"
    subprocess.run(["gcc", "-c", "-o", made, out], check=True)
    symbols = subprocess.run(["nm", made], check=True, text=True, stdout=subprocess.PIPE).stdout
    kinds = {line.split()[-1]: line.split()[-2] for line in symbols.splitlines()}
    assert kinds["cuInit"] == "T"
    assert kinds["cuMemFree"] == "U"
    assert kinds["aliquot_slot_cuInit"] == kinds["aliquot_slot_cuMemFree"] == "B"


def test_a_hook_of_an_unlisted_name_is_refused(stubs):
    done, _ = stubs(["cuInit"], "ALIQUOT_HOOK(CUresult, cuMemFreee, (int a)) {}\n")
    assert done.returncode != 0
    assert "cuMemFreee is in no list" in done.stderr


def test_a_call_of_an_unlisted_name_is_refused(stubs):
    done, _ = stubs(["cuInit"], "ALIQUOT_DRIVER_FUNCTION(CUresult, cuNew, (int a));\n")
    assert "cuNew is in no list" in done.stderr


def test_two_hooks_of_one_name_are_refused(stubs):
    hook = "ALIQUOT_HOOK(CUresult, cuInit, (int a)) {}\n"
    done, _ = stubs(["cuInit"], hook, hook)
    assert "a function has one hook" in done.stderr


@pytest.mark.parametrize("line", ["stat@GLIBC_2.33 libc.so.6", "stat libc.so.6", "stat@GLIBC_2.2.5"])
def test_a_symbol_above_the_floor_or_without_version_is_refused(tmp_path, line):
    (tmp_path / "symbols.txt").write_text(f"# comment\n{line}\n")
    done = _run("libc", tmp_path / "out", tmp_path / "symbols.txt")
    assert done.returncode != 0
    assert "symbols.txt:2" in done.stderr
