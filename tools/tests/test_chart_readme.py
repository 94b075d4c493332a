# SPDX-License-Identifier: Apache-2.0
"""The chart's page is made from the comments of its values."""
import importlib.util
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "chart-readme.py"
_described = importlib.util.spec_from_file_location("chart_readme", TOOL)
chart_readme = importlib.util.module_from_spec(_described)
_described.loader.exec_module(chart_readme)


def test_the_page_in_the_tree_is_what_the_values_say():
    done = subprocess.run([TOOL, "--check"], text=True, check=False, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr


def test_a_row_has_the_whole_key_the_default_and_the_comment_above():
    assert chart_readme.rows("# A part.\na:\n  # One.\n  # Two.\n  b: 3\n  # A flow value.\n  c: {d: 1}\n\n# Last.\ne: []\n") == [
        ("a", None, "A part."), ("a.b", 3, "One. Two."), ("a.c", {"d": 1}, "A flow value."), ("e", [], "Last.")]


def test_a_key_without_a_comment_is_named_with_its_line():
    with pytest.raises(AssertionError, match="values.yaml:3: .* b: 1"):
        chart_readme.rows("# A part.\na:\n  b: 1\n")
