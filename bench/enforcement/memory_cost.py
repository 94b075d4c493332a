# SPDX-License-Identifier: Apache-2.0
"""What the library adds to an allocation and its release while eight processes of the container race:
the same programs behind it and without it, in turn, the best of five of each."""
import array
import pathlib
import tempfile

from harness.container import Container
from harness.limits import Share
from harness.world import World

_RUNS = 5
_PAIRS = 20_000
_BYTES = 2 << 20
_LIMIT = 8 << 30  # room for all: what is measured is a request that is granted


def _race(world, processes, behind):
    """Nanoseconds of all pairs of all processes, in order."""
    share = Share(world.uuids()[0], core=30, memory=_LIMIT)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, \
            Container(world, [share], preload="file" if behind else None) as container:
        files = [pathlib.Path(folder) / str(index) for index in range(processes)]
        racers = [container.start(["memory_cost", file, _PAIRS, _BYTES]) for file in files]
        for racer in racers:
            if racer.stdout.readline() != "ready\n":
                raise RuntimeError(f"memory_cost did not begin: {racer.stderr.read()}")
        for racer in racers:
            racer.stdin.write("\n")
            racer.stdin.flush()
        for racer in racers:
            said, error = racer.communicate()
            if racer.returncode or '"refused": 0' not in said:
                raise RuntimeError(f"memory_cost ended with {racer.returncode}: {said}{error}")
        took = array.array("I")
        for file in files:
            took.frombytes(file.read_bytes())
    return sorted(took)


def measure(say=print):
    """Rows as docs/reference/bench.md describes them."""
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        world = World(folder)
        for processes, name in ((1, "one process"), (8, "8 processes racing")):
            best = {}
            for _ in range(_RUNS):
                for behind in (False, True):
                    took = _race(world, processes, behind)
                    for rank in (50, 99):
                        value = took[len(took) * rank // 100]
                        best[behind, rank] = min(value, best.get((behind, rank), value))
            for rank, target in ((50, 1_000), (99, 10_000)):
                without = best[False, rank]
                rows.append({"name": f"added to an allocation and its release, {name}, p{rank}",
                             "value": best[True, rank] - without, "unit": "ns", "baseline": without,
                             "target": target})
                say(f"{rows[-1]['name']}: {rows[-1]['value']} ns over {without} ns")
    return rows
