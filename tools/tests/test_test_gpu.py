# SPDX-License-Identifier: Apache-2.0
"""make test-gpu: what it says without a card, and that there are tests for it."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "test-gpu.py"
sys.path.insert(0, str(ROOT / "tests" / "enforcement"))

from harness import real_card  # noqa: E402  pylint: disable=wrong-import-position


def test_without_a_card_it_says_so_in_one_sentence_and_fails(monkeypatch, tmp_path):
    monkeypatch.setattr(real_card, "_CARDS", tmp_path / "gpus")
    assert real_card.missing().startswith("this machine has no NVIDIA card")
    (tmp_path / "gpus").mkdir()
    assert real_card.missing()
    (tmp_path / "gpus" / "0000:01:00.0").mkdir()
    assert real_card.missing() == ""


@pytest.mark.skipif(pathlib.Path("/proc/driver/nvidia/gpus").is_dir(), reason="this machine has a card")
def test_the_tool_ends_with_that_sentence():
    done = subprocess.run([sys.executable, TOOL], check=False, text=True, capture_output=True)
    assert done.returncode == 1
    assert re.fullmatch(r"test-gpu: this machine has no NVIDIA card [^\n]*\.\n", done.stderr)
    assert done.stdout == ""


def test_tests_of_every_kind_are_marked_for_it():
    """Collected as the tool selects them."""
    done = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m",
                           "gpu and not simulated", ROOT / "tests" / "enforcement"],
                          check=False, text=True, capture_output=True, env={**os.environ, "ALIQUOT_TEST_GPU": ""})
    assert done.returncode == 0, done.stdout
    files = set(re.findall(r"^\S*?(test_\w+)\.py::", done.stdout, re.MULTILINE))
    assert {"test_memory_families", "test_memory_limits", "test_memory_pools", "test_memory_life", "test_memory_race",
            "test_memory_stress", "test_kill", "test_processes"} <= files
    assert "test_two_cards_have_a_limit_each" not in done.stdout
