# SPDX-License-Identifier: Apache-2.0
"""kill -9 of allocating processes at random instants, their children and whoever was clearing up after others
among them: nothing that they held stays held."""
import os
import random
import time

import pytest

from harness.limits import Share
from memory_client import GIB, SUCCESS, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB
_KILLS = 1000 if os.environ.get("ENFORCEMENT_EXHAUSTIVE") else 30
_RACERS = 3
_FOREVER = 1_000_000_000


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


def _random():
    seed = int(os.environ.get("ENFORCEMENT_SEED", random.randrange(1 << 20)))
    print(f"ENFORCEMENT_SEED={seed}")
    return random.Random(seed)


def _racer(box, chance):
    shared = box.folder / "race"
    if not shared.exists():
        shared.write_bytes(bytes(16))
    return box.start(["memory_race", shared, _FOREVER, chance.randrange(1 << 20), 2])


def _wait_until_all_allocate(box, racers):
    deadline = time.monotonic() + 20
    while not {racer.pid for racer in racers} <= {
            pid for pid, cells in box.usage.slots().values() if cells[0].peak}:
        assert time.monotonic() < deadline, "a process did not begin to allocate"
        time.sleep(0.001)


def _nothing_is_left(box):
    """The whole share can be had; at once, unless a monitor is looking into a dead process's memory just now."""
    with memory_client(box) as memory:
        deadline = time.monotonic() + 10
        while memory("alloc", 1, LIMIT) != SUCCESS:
            assert time.monotonic() < deadline, f"{box.usage.held()} bytes are held by nobody"
        assert memory.free() == 0
        assert box.usage.held() == LIMIT
        memory.must("free", 1)
        assert box.usage.held() == 0


def test_random_kills_leave_nothing(box):
    """One of three racing processes at a time, so that the others clear up after it, until they are killed in turn."""
    chance = _random()
    racers = [_racer(box, chance) for _ in range(_RACERS)]
    for _ in range(_KILLS):
        _wait_until_all_allocate(box, racers)
        time.sleep(chance.random() * 0.01)  # where the kill meets it is the point of the test
        victim = racers.pop(chance.randrange(_RACERS))
        victim.kill()
        victim.wait()
        racers.append(_racer(box, chance))
    _wait_until_all_allocate(box, racers)
    for racer in racers:
        racer.kill()
        racer.wait()
    _nothing_is_left(box)


def test_whoever_clears_up_after_others_may_be_killed_too(box):
    """Four die at once at the limit; each new process finds dead slots, and is killed while it takes them back."""
    chance = _random()
    for _ in range(max(3, _KILLS // 20)):
        racers = [_racer(box, chance) for _ in range(4)]
        _wait_until_all_allocate(box, racers)
        for racer in racers:
            racer.kill()
            racer.wait()
        for _ in range(3):
            heir = _racer(box, chance)
            deadline = time.monotonic() + 20
            while heir.pid not in {pid for pid, _ in box.usage.slots().values()}:
                assert time.monotonic() < deadline and heir.poll() is None
            time.sleep(chance.random() * 0.003)
            heir.kill()
            heir.wait()
        _nothing_is_left(box)


def test_killed_children_of_a_fork_leave_nothing_and_harm_no_parent(box):
    """Each child allocates 600 MiB; a second one only fits when the first is gone with all that it held."""
    for _ in range(3):
        parent = box.start(["process_life", "children", 5, 600 << 20])
        out, error = parent.communicate()
        assert (parent.returncode, error) == (0, ""), out + error
        assert out.split() == ["0"] * 5 + ["0"]  # each child's answer, then the parent's own allocation
    _nothing_is_left(box)
