# SPDX-License-Identifier: Apache-2.0
"""`aliquotctl topology` against brute force from the raw matrix: chosen sets and ranked lists."""
import json
import subprocess

import pytest

import topology_sources
from comparison import topologies
from objective import Objective, Request, cards_of

_CHOICES_A_FILE = 6


def _ask(aliquotctl, path, *arguments):
    result = subprocess.run([aliquotctl, "topology", path, "--output", "json", *arguments],
                            text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def _mask(cards):
    return sum(1 << card for card in cards)


@pytest.mark.parametrize("path", topologies(), ids=lambda path: path.stem)
def test_the_chosen_set_is_the_best(path, aliquotctl, rng):
    objective = Objective(topology_sources.read(path))
    for number in range(_CHOICES_A_FILE):
        free = rng.getrandbits(objective.count) | 1 if number else objective.all
        size = rng.randint(1, len(cards_of(free)))
        sensitive = number % 2 == 0
        answer = _ask(aliquotctl, path, "--count", str(size), "--free",
                      ",".join(map(str, cards_of(free))),
                      "--placement", "topology" if sensitive else "binpack")
        assert _mask(answer["set"]) == objective.best(Request(free, size, sensitive)), (free, size)


@pytest.mark.parametrize("path", topologies(), ids=lambda path: path.stem)
def test_the_list_has_every_set_best_first(path, aliquotctl):
    objective = Objective(topology_sources.read(path))
    request = Request(objective.all, 3)
    listed = [_mask(entry["set"]) for entry in _ask(aliquotctl, path, "--ranked", "--count", "3")]
    # Stable: equal sets stay in the order of their indices.
    expected = sorted(objective.subsets(objective.all, 3),
                      key=lambda mask: objective.terms(mask, request), reverse=True)
    assert listed == expected
