# SPDX-License-Identifier: Apache-2.0
"""Runs the programs that are measured, and says what went wrong when one fails."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ProgramFailed(Exception):
    """A program ended with an error or printed something else than JSON."""


def run_json(*words):
    """What the program prints, as JSON."""
    done = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramFailed(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.returncode}")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise ProgramFailed(f"{' '.join(map(str, words))}: its output is not JSON ({error})") from error


def aliquotctl(*words):
    """One call of the command line."""
    return run_json(ROOT / "out/bin/aliquotctl", *words)
