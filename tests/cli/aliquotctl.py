# SPDX-License-Identifier: Apache-2.0
"""Runs the built program, out/bin/aliquotctl or what ALIQUOTCTL names."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ALIQUOTCTL", ROOT / "out" / "bin" / "aliquotctl")
DATA = ROOT / "tests" / "data"


def run(*words, text=None, timeout=120, env=None):
    """The finished process; `text` goes to its standard input, `env` is added to its variables."""
    return subprocess.run([PROGRAM, *map(str, words)], input=text, capture_output=True, text=True, check=False,
                          timeout=timeout, env={**os.environ, **{key: str(value) for key, value in (env or {}).items()}})


def answer(*words):
    """What it prints as JSON; the run must have ended well."""
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
