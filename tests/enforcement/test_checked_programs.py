# SPDX-License-Identifier: Apache-2.0
"""Programs under valgrind and built with sanitizers, with eight threads that allocate by every family, launch kernels
and run graphs behind the library: no report. The library itself is not instrumented; its pure parts are, in the
unit tests."""
import json
import subprocess
import sys

import pytest

from harness.limits import Share
from harness.world import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "nvidia"))
import headers  # noqa: E402  pylint: disable=wrong-import-position

_CLIENTS = REPOSITORY / "tests" / "enforcement" / "clients"
_LIMIT = 1 << 30
_REPORT = 99
_COMPILERS = {
    "AddressSanitizer of gcc": ["gcc", "-fsanitize=address"],
    "AddressSanitizer of clang": ["clang-14", "-fsanitize=address"],
    "UndefinedBehaviorSanitizer of gcc": ["gcc", "-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "ThreadSanitizer of gcc": ["gcc", "-fsanitize=thread"],
}
_VARIABLES = {
    # gcc's runtime refuses any preloaded library without the first option.
    "ASAN_OPTIONS": f"verify_asan_link_order=0:detect_leaks=0:exitcode={_REPORT}",
    "TSAN_OPTIONS": f"exitcode={_REPORT}:halt_on_error=1",
}
_THREADS = 8
_WORK = {
    "memory_race": lambda box, count: ["{program}", box.folder / "race", count, 7, _THREADS],
    "burn": lambda box, count: ["{program}", "--ns", 1000, "--launches", count, "--threads", _THREADS, "--seconds", 60],
    "burn, graphs": lambda box, count: ["{program}", "--ns", 1000, "--launches", count, "--threads", _THREADS, "--seconds", 60,
                                        "--mode", "graph"],
}


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    made = make_container(world, [Share(world.uuids()[0], core=80, memory=_LIMIT)], environment=_VARIABLES)
    (made.folder / "race").write_bytes(bytes(16))
    return made


@pytest.fixture(name="programs", scope="module")
def fixture_programs(tmp_path_factory):
    """Builds a client with a compiler's options, once."""
    made = {}
    folder = tmp_path_factory.mktemp("checked")

    def build(client, kind, libraries):
        if (client, kind) not in made:
            program = folder / f"{client}-{len(made)}"
            subprocess.run([*_COMPILERS[kind], "-g", "-O1", f"-I{_CLIENTS}", f"-I{headers.header_folder()}",
                            _CLIENTS / f"{client}.c", "-o", program, f"-L{libraries}", "-l:libcuda.so.1", "-lpthread"],
                           check=True)
            made[client, kind] = program
        return made[client, kind]

    return build


def _words(work, box, program, count):
    return [program if word == "{program}" else word for word in _WORK[work](box, count)]


@pytest.mark.parametrize("work", _WORK)
@pytest.mark.parametrize("kind", _COMPILERS)
def test_an_instrumented_program_reports_nothing(box, world, programs, kind, work):
    program = programs(work.split(",")[0], kind, world.libraries)
    done = box.run(_words(work, box, program, 300), timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    json.loads(done.stdout)
    assert box.usage.slots(), "the library was not there"


@pytest.mark.parametrize("work", _WORK)
def test_valgrind_reports_nothing(box, work):
    command = ["valgrind", "--quiet", f"--error-exitcode={_REPORT}", "--vgdb=no",
               *_words(work, box, box.client(work.split(",")[0]), 40)]
    done = box.run(command, timeout=240)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    json.loads(done.stdout)
    assert box.usage.slots(), "the library was not there"


def test_valgrind_finds_what_it_should(box, tmp_path):
    """A program that reads what it never wrote is reported under the same options."""
    source = tmp_path / "wrong.c"
    source.write_text("#include <stdlib.h>\nint main(void) { int* p = malloc(4); return *p == 7 ? 3 : 4; }\n")
    subprocess.run(["gcc", "-g", "-O0", source, "-o", tmp_path / "wrong"], check=True)
    done = box.run(["valgrind", "--quiet", f"--error-exitcode={_REPORT}", "--vgdb=no", tmp_path / "wrong"])
    assert done.returncode == _REPORT, done.stderr
