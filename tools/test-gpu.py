#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make test-gpu: the tests of enforcement that do not need a simulated card (marked `gpu` and not `simulated`) on
the first real card of this machine, with its real driver. Needs root (containers are mount namespaces here) and
nobody else on the card. Exit status 1 where there is no card. Arguments go to pytest.

Tests that need several cards, virtual time or a driver's faults stay with the simulated driver (`make test`)."""
import os
import pathlib
import subprocess
import sys

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_TESTS = _ROOT / "tests" / "enforcement"
_PYTHON = "/usr/bin/python3"
sys.path.insert(0, str(_TESTS))

from harness import real_card  # noqa: E402  pylint: disable=wrong-import-position


def main(arguments):
    why = real_card.missing()
    if why:
        sys.exit(f"test-gpu: {why}.")
    headers = subprocess.run([_PYTHON, _ROOT / "tests" / "nvidia" / "headers.py"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
    built = subprocess.run([_ROOT / "tools" / "build.sh", "enforcement", f"-DALIQUOT_CUDA_HEADERS={headers}",
                            "aliquot_interposer", "enforcement"], check=False)
    if built.returncode:
        sys.exit("test-gpu: the enforcement preset does not build; what the compiler said is above")
    environment = {**os.environ, "ALIQUOT_TEST_GPU": "1",
                   "ALIQUOT_ENFORCEMENT_BUILD": str(_ROOT / "build" / "enforcement")}
    report = _ROOT / "out" / "test-results" / "gpu.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    sys.exit(subprocess.run([_PYTHON, "-m", "pytest", "-q", "-rs", "-m", "gpu and not simulated",
                             f"--junit-xml={report}",
                             *(arguments or [str(_TESTS)])], check=False, env=environment, cwd=_ROOT).returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
