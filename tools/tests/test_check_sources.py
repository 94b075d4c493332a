# SPDX-License-Identifier: Apache-2.0
"""tools/check-sources.py on small trees with one breach each."""
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "check-sources.py"
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def _check(root, name, text):
    subprocess.run(["git", "init", "-q", root], check=True)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    done = subprocess.run(["/usr/bin/python3", TOOL, root], check=False, text=True,
                          capture_output=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name, text", [
    ("src/a/a.cc", f"// {LICENCE}\nint a;\n"),
    ("run.sh", f"#!/bin/bash\n# {LICENCE}\n"),
    ("src/http/a.cc", f"// {LICENCE}\n#include <httplib.h>\n"),
    ("notes.txt", "not a source\n"),
    ("a.py", f"# {LICENCE}\n" + "x = 1\n" * 499),
    ("a.cc", f"// {LICENCE}\nfor (const auto& each : *now.pods) {{}}\n"),
])
def test_a_proper_file_passes(tmp_path, name, text):
    assert _check(tmp_path, name, text) == (0, "source rules: 0 breaches\n")


@pytest.mark.parametrize("name, text, sentence", [
    ("src/a/a.cc", "int a;\n", "src/a/a.cc:1: no licence line"),
    ("empty.py", "", "empty.py:1: no licence line"),
    ("a.py", f"# {LICENCE}\n" + "x = 1\n" * 500, "a.py: 501 lines"),
    ("a.h", f"// {LICENCE}\n// TO" + "DO later\n", "a.h:2: "),
    ("src/kubeclient/a.cc", f"// {LICENCE}\n#include <httplib.h>\n", "only src/http may use"),
    ("a.cc", f"// {LICENCE}\nfor (auto& each : *live_.Snapshot()) {{}}\n", "a.cc:2: loops over"),
])
def test_a_breach_is_named(tmp_path, name, text, sentence):
    status, output = _check(tmp_path, name, text)
    assert status == 1
    assert sentence in output
