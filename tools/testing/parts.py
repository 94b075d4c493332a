# SPDX-License-Identifier: Apache-2.0
"""The parts of the test run, in order: cheap ones first, so that a small mistake shows early."""
import dataclasses
import typing

from . import steps
from .outcome import Outcome, broken
from .steps import PYTHON, ROOT

# Rooms with threads of their own or locks that several threads take.
_THREADED = ("unit/http", "unit/kubeclient", "unit/ledger", "unit/extender", "unit/reconcile",
             "unit/allocator", "unit/observability", "unit/admission", "unit/topology", "unit/signing",
             "unit/agent/gpu", "unit/quota", "unit/interposer", "integration")
_SANITIZERS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:"
                    f"suppressions={ROOT / 'tests' / 'tsan.suppressions'}",
}


@dataclasses.dataclass(frozen=True)
class Part:
    """One row of the final table. `modes` says in which runs it takes part."""
    name: str
    action: typing.Callable[[], Outcome]
    modes: tuple = ("quick", "all", "long")


def _house_rules():
    outcome = steps.check("layering", [PYTHON, "tools/check-layering.py"])
    outcome.add(steps.check("source rules", [PYTHON, "tools/check-sources.py"]))
    outcome.add(steps.check("clang-format", ["tools/format.sh", "--check"]))
    return outcome


# Line tables are all that a sanitizer's report needs; they cost a fifth of the compile time less.
_LINE_TABLES = "-DCMAKE_CXX_FLAGS_DEBUG=-g1"


def _unit_and_integration():
    # Under the sanitizers at once: a second run without them would find nothing that this one does not.
    return steps.build("asan", _LINE_TABLES) or steps.ctest("asan", "build/asan", _SANITIZERS)


def _thread_sanitizer():
    folders = [f"tests/{each}" for each in _THREADED
               if (ROOT / "tests" / each / "CMakeLists.txt").exists()]
    failure = steps.build("tsan", _LINE_TABLES, *(f"{each}/all" for each in folders))
    if failure:
        return failure
    outcome = Outcome()
    for folder in folders:
        name = "tsan-" + folder.replace("/", "-")
        outcome.add(steps.ctest(name, f"build/tsan/{folder}", _SANITIZERS))
    return outcome


def _lock_rules():
    return steps.build("clang", "-DALIQUOT_BUILD_TESTS=OFF", "-DCMAKE_CXX_FLAGS_DEBUG=") or Outcome(passed=1)


def _tools():
    return steps.pytest("tools", "tools/tests")


def _nvidia_headers():
    return steps.pytest("nvidia-headers", "tests/nvidia")


def _enforcement(environment=None):
    # NVIDIA's headers are in the cache, not in the tree: tests/nvidia/headers.py fetches them.
    status, folder = steps.output([PYTHON, "tests/nvidia/headers.py"])
    if status:
        return broken(f"tests/nvidia/headers.py found no headers (exit status {status})")
    return (steps.build("enforcement", f"-DALIQUOT_CUDA_HEADERS={folder}") or
            steps.pytest("enforcement", "tests/enforcement", environment=environment))


def _enforcement_exhaustive():
    return _enforcement({"ENFORCEMENT_EXHAUSTIVE": "1"})


def _chart():
    return steps.pytest("chart", "tests/chart")


def _documents():
    return steps.pytest("docs", "tests/docs")


def _programs():
    return steps.check("make build", ["make", "build"])


def _demo():
    outcome = steps.check("make demo", ["make", "demo"])
    outcome.add(steps.pytest("demo", "tests/demo"))
    return outcome


def _command_line():
    return steps.pytest("cli", "tests/cli")


def _placement(environment=None):
    # Optimised: it answers a hundred thousand questions. aliquotctl is what the release build left.
    return (steps.build("release", "placement_choices") or
            steps.pytest("placement", "tests/placement", environment=environment))


def _placement_exhaustive():
    return _placement({"PLACEMENT_EXHAUSTIVE": "1"})


def _end_to_end(environment=None):
    reports = [steps.fresh_report(name) for name in ("e2e", "e2e-nodes", "e2e-install")]  # run.sh writes them there
    status = steps.run(["tests/e2e/run.sh"], environment)
    outcome = Outcome()
    for report in reports:
        outcome.add(steps.read_junit(report))
    return steps.believe(outcome, status, "tests/e2e/run.sh")


def _end_to_end_exhaustive():
    return _end_to_end({"NODE_EXHAUSTIVE": "1", "E2E_INSTALL_EXHAUSTIVE": "1"})


PARTS = (
    Part("house rules", _house_rules),
    Part("tools", _tools),
    Part("release build", _programs),
    Part("unit and integration (asan, ubsan)", _unit_and_integration),
    Part("placement", _placement, ("quick", "all")),
    Part("placement, every free set", _placement_exhaustive, ("long",)),
    Part("NVIDIA's headers", _nvidia_headers),
    Part("enforcement", _enforcement, ("quick", "all")),
    Part("enforcement, at length", _enforcement_exhaustive, ("long",)),
    Part("documents", _documents),
    Part("chart", _chart),
    Part("demo", _demo),
    Part("command line", _command_line),
    Part("lock rules (clang)", _lock_rules),
    Part("thread sanitizer", _thread_sanitizer, ("all", "long")),
    Part("end to end", _end_to_end, ("all",)),
    Part("end to end, every node", _end_to_end_exhaustive, ("long",)),
)


def parts_of(mode):
    """The parts of a run, in order."""
    return [part for part in PARTS if mode in part.modes]
