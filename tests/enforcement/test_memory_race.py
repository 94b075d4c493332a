# SPDX-License-Identifier: Apache-2.0
"""Racing processes never hold more than the share, by a count of their own; killed anywhere they leave
nothing."""
import json
import random
import struct
import time

import pytest

from harness.limits import Share
from memory_client import GIB, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB
_PROCESSES = 4


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


def start_racers(box, operations, seed):
    """The racers and the file in which they count."""
    count = box.folder / "race"
    count.write_bytes(bytes(16))
    return [box.start(["memory_race", count, operations, seed + index, 2]) for index in range(_PROCESSES)], count


def test_the_sum_of_all_families_never_exceeds_the_share(box):
    seed = random.randrange(1 << 20)
    print(f"seed {seed}")
    racers, count = start_racers(box, 3000, seed)
    answers = [racer.communicate() for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * _PROCESSES, answers
    done = [json.loads(out) for out, _ in answers]
    held, most = struct.unpack("=QQ", count.read_bytes())
    assert held == 0
    assert most <= LIMIT
    assert most > LIMIT // 2
    assert sum(each["refused"] for each in done) > 0
    with memory_client(box) as memory:
        memory.must("alloc", 1, LIMIT)
        assert box.usage.held() == LIMIT


def test_racers_that_are_killed_leave_nothing(box):
    seed = random.randrange(1 << 20)
    print(f"seed {seed}")
    generator = random.Random(seed)
    with memory_client(box) as memory:
        for _ in range(10):
            racers, _ = start_racers(box, 1_000_000, seed)
            deadline = time.monotonic() + 20
            while box.usage.held() == 0:  # until they have begun
                assert time.monotonic() < deadline
            time.sleep(generator.random() * 0.02)  # where the kill meets them is the point of the test
            for racer in racers:
                racer.kill()
                racer.wait()
            memory.must("alloc", 1, LIMIT)
            assert memory.free() == 0
            memory.must("free", 1)
