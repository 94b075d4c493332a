# SPDX-License-Identifier: Apache-2.0
"""The service's chooser against brute force from the raw matrix: the same set, with the same terms."""
import itertools
import json
import os
import pathlib
import subprocess

import pytest

import topology_sources
from objective import Objective, Request

_DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "topology"
_PARTIAL = ("25_", "28_", "29_")
_MATRICES = sorted(path for path in (_DATA / "matrices").glob("*.txt")
                   if not path.name.startswith(_PARTIAL))
# Other files of the same formats: PLACEMENT_TOPOLOGIES=DIRECTORY.
_OTHERS = os.environ.get("PLACEMENT_TOPOLOGIES")
TOPOLOGIES = (sorted(path for path in pathlib.Path(_OTHERS).iterdir() if path.is_file()) if _OTHERS
              else _MATRICES + sorted((_DATA / "mapa").glob("*.csv")))
_SAMPLE = 60
_MOST_CARDS_OF_A_SET = 8


def _kinds():
    return itertools.product((True, False), repeat=4)


def _every_request(count, largest):
    for free in range(1, 1 << count):
        for size in range(1, min(largest, free.bit_count()) + 1):
            yield free, size


def _sampled_requests(rng, count):
    for _ in range(_SAMPLE):
        free = rng.getrandbits(count) | (rng.getrandbits(count) if rng.random() < 0.5 else 0)
        yield free, rng.randint(1, count)
    for size in range(1, count + 1):
        yield (1 << count) - 1, size


def _requests(count, exhaustive, rng):
    if count <= 8:
        for (free, size), kind in itertools.product(_every_request(count, count), _kinds()):
            yield Request(free, size, *kind)
    elif exhaustive:
        for (free, size), sensitive in itertools.product(
                _every_request(count, _MOST_CARDS_OF_A_SET), (True, False)):
            yield Request(free, size, sensitive)
    for (free, size), kind in itertools.product(_sampled_requests(rng, count), _kinds()):
        yield Request(free, size, *kind)


def _answers(program, path, requests):
    """The program's answers, one list a request."""
    lines = "".join(f"{request.free} {request.count} {request.sensitive:d} {request.all_nvlink:d} "
                    f"{request.one_numa:d} {request.split_well:d}\n" for request in requests)
    result = subprocess.run([program, path], input=lines, text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("path", TOPOLOGIES, ids=lambda path: path.stem)
def test_every_choice_is_the_best_set(path, choices_program, exhaustive, rng):
    objective = Objective(topology_sources.read(path))
    requests = list(_requests(objective.count, exhaustive, rng))
    answers = _answers(choices_program, path, requests)
    assert len(answers) == len(requests)
    for request, (chosen, cut_short, ring, pairs, numa_nodes, remaining) in zip(requests, answers):
        best = objective.best(request)
        assert (chosen, cut_short) == (best, 0), request
        assert (ring, pairs, numa_nodes) == (
            objective.rings[best], objective.pairs[best], objective.numa_nodes[best]), request
        assert remaining == objective.remaining(best, request.free), request
