# SPDX-License-Identifier: Apache-2.0
"""Ways to run something and count it: a command, ctest, pytest. Output streams to the terminal."""
import os
import pathlib
import subprocess
import sys

from .outcome import Outcome, broken, read_junit

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS = ROOT / "out" / "test-results"
# Debian's own interpreter: it is the one for which the packages are installed.
PYTHON = "/usr/bin/python3"


def run(command, environment=None):
    """Runs a command in the repository's root; its exit status."""
    print("$ " + " ".join(str(word) for word in command), flush=True)
    merged = {**os.environ, **(environment or {})}
    try:
        return subprocess.run([str(word) for word in command], cwd=ROOT, env=merged,
                              stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        print(f"cannot run {command[0]}: {error}", file=sys.stderr, flush=True)
        return 127


def output(command):
    """Runs a command that answers with one line: its exit status and that line."""
    print("$ " + " ".join(str(word) for word in command), flush=True)
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout.strip()


def check(name, command, environment=None):
    """One command that counts as one test."""
    status = run(command, environment)
    if status:
        return Outcome(failures=[f"{name} (exit status {status})"])
    return Outcome(passed=1)


def build(preset, *arguments):
    """Builds with a preset; None, or the outcome of the failure."""
    status = run([ROOT / "tools" / "build.sh", preset, *arguments])
    return broken(f"the {preset} preset does not build (exit status {status})") if status else None


def fresh_report(name):
    """Where a report goes; what an earlier run left there is removed."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    return report


def believe(outcome, status, what):
    """Makes a non-zero exit status a failure even where the report shows none."""
    if status and not outcome.failures:
        outcome.failures.append(f"{what} ended with exit status {status}")
    return outcome


def ctest(name, folder, environment=None, jobs=2):
    """Runs the tests that CMake knows below a build folder."""
    report = fresh_report(name)
    status = run(["ctest", "--test-dir", folder, "--output-on-failure", "--progress",
                  "--parallel", jobs, "--output-junit", report], environment)
    return believe(read_junit(report), status, "ctest")


def pytest(name, *arguments, environment=None):
    """Runs pytest and counts its report."""
    report = fresh_report(name)
    status = run([PYTHON, "-m", "pytest", "-q", "-rs", f"--junit-xml={report}", *arguments],
                 environment)
    return believe(read_junit(report), status, "pytest")
