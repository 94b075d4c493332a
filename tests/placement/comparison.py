# SPDX-License-Identifier: Apache-2.0
"""The service's chooser, as a program, against brute force from the raw file: the same set, with the
same terms."""
import itertools
import json
import os
import pathlib
import subprocess

import topology_sources
from objective import Objective, Request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get(
    "PLACEMENT_CHOICES", ROOT / "build" / "release" / "tests" / "placement" / "placement_choices"))
_DATA = ROOT / "tests" / "data" / "topology"
_PARTIAL = ("25_", "28_", "29_")
_SAMPLE = 60
_MOST_CARDS_OF_A_SET = 8


def topologies():
    """Every complete file at hand; other files of the same formats: PLACEMENT_TOPOLOGIES=DIRECTORY."""
    others = os.environ.get("PLACEMENT_TOPOLOGIES")
    if others:
        return sorted(path for path in pathlib.Path(others).iterdir() if path.is_file())
    matrices = sorted(path for path in (_DATA / "matrices").glob("*.txt")
                      if not path.name.startswith(_PARTIAL))
    return matrices + sorted((_DATA / "mapa").glob("*.csv"))


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
    """Up to 8 cards: every free set, size and kind. More: a sample of them, with `exhaustive` every
    free set and size up to 8, for sensitive and insensitive pods."""
    if count <= 8:
        for (free, size), kind in itertools.product(_every_request(count, count), _kinds()):
            yield Request(free, size, *kind)
        return
    for (free, size), kind in itertools.product(_sampled_requests(rng, count), _kinds()):
        yield Request(free, size, *kind)
    if exhaustive:
        for (free, size), sensitive in itertools.product(
                _every_request(count, _MOST_CARDS_OF_A_SET), (True, False)):
            yield Request(free, size, sensitive)


def _answers(path, requests):
    """The program's answers, one list a request."""
    lines = "".join(f"{request.free} {request.count} {request.sensitive:d} {request.all_nvlink:d} "
                    f"{request.one_numa:d} {request.split_well:d}\n" for request in requests)
    result = subprocess.run([PROGRAM, path], input=lines, text=True, capture_output=True, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def differences(path, exhaustive, rng):
    """How many choices were compared, and a sentence for each that differs."""
    objective = Objective(topology_sources.read(path))
    requests = list(_requests(objective.count, exhaustive, rng))
    answers = _answers(path, requests)
    if len(answers) != len(requests):
        raise RuntimeError(f"{len(requests)} requests got {len(answers)} answers")
    found = []
    for request, answer in zip(requests, answers):
        best = objective.best(request)
        expected = [best, 0, objective.rings[best], objective.pairs[best],
                    objective.numa_nodes[best], objective.remaining(best, request.free)]
        if answer != expected:
            found.append(f"{path.name}: {request}: the service says {answer}, brute force {expected}")
    return len(requests), found
