# SPDX-License-Identifier: Apache-2.0
"""Limits that change while a process runs, and records that ask for nothing or cannot be read."""
import time

import pytest

from harness.limits import RECORD_BYTES, Share
from memory_client import GIB, MIB, OUT_OF_MEMORY, SUCCESS, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB
_SECONDS = 1.0  # by when a changed limit holds


@pytest.fixture(name="uuid")
def fixture_uuid(world):
    return world.uuids()[0]


@pytest.fixture(name="box")
def fixture_box(world, uuid, make_container):
    return make_container(world, [Share(uuid, core=30, memory=LIMIT)])


def total_becomes(memory, total):
    """Whether it does before a changed limit must hold."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if memory.total() == total:
            return True
    return False


def test_a_raised_limit_holds_in_a_running_process(box, uuid):
    with memory_client(box) as memory:
        memory.must("alloc", 1, LIMIT)
        assert memory("alloc", 2, 512 * MIB) == OUT_OF_MEMORY
        box.limits.replace([Share(uuid, core=30, memory=2 * LIMIT)])
        assert total_becomes(memory, 2 * LIMIT)
        memory.must("alloc", 2, LIMIT)
        assert memory("alloc", 3, 1) == OUT_OF_MEMORY


def test_a_lowered_limit_takes_nothing_away_and_gives_nothing_more(box, uuid):
    with memory_client(box) as memory:
        memory.must("alloc", 1, 300 * MIB)
        memory.must("alloc", 2, 600 * MIB)
        box.limits.replace([Share(uuid, core=30, memory=512 * MIB)])
        assert total_becomes(memory, 512 * MIB)
        assert memory.free() == 0
        assert memory("alloc", 3, 1) == OUT_OF_MEMORY
        memory.must("free", 2)
        assert memory.free() == 212 * MIB
        memory.must("alloc", 3, 212 * MIB)


def test_a_limit_becomes_a_whole_card_and_a_limit_again(box, uuid):
    with memory_client(box) as memory:
        box.limits.replace([Share(uuid)])
        deadline = time.monotonic() + _SECONDS
        while memory("alloc", 1, 20 * GIB) != SUCCESS:
            assert time.monotonic() < deadline
        box.limits.replace([Share(uuid, core=30, memory=LIMIT)])
        assert total_becomes(memory, LIMIT)
        assert memory.free() == 0
        memory.must("free", 1)
        assert memory.free() == LIMIT


def test_what_the_driver_counts_beyond_the_charges_lowers_what_is_left_at_once(box):
    with memory_client(box) as memory:
        box.limits.set_live(0, overhead=300 * MIB)
        assert memory.free() == LIMIT - 300 * MIB
        assert memory.total() == LIMIT
        assert memory("alloc", 1, 800 * MIB) == OUT_OF_MEMORY
        memory.must("alloc", 1, 724 * MIB)
        box.limits.set_live(0, overhead=2 * LIMIT)
        assert memory.free() == 0
        assert memory("alloc", 2, 1) == OUT_OF_MEMORY
        box.limits.set_live(0, overhead=0)
        memory.must("alloc", 2, 300 * MIB)


def test_a_damaged_new_record_leaves_the_last_one(box):
    with memory_client(box) as memory:
        memory.must("alloc", 1, MIB)
        box.limits.replace(data=b"\0" * RECORD_BYTES)
        deadline = time.monotonic() + 0.3  # it is looked at every 100 ms
        while time.monotonic() < deadline:
            assert memory.total() == LIMIT
        assert memory("alloc", 2, LIMIT) == OUT_OF_MEMORY


def test_without_a_record_everything_passes(world, make_container):
    box = make_container(world, None)
    with memory_client(box) as memory:
        memory.must("alloc", 1, 20 * GIB)
        memory.must("free", 1)
        assert memory.end() == ""


@pytest.mark.parametrize("isolation", ["none", "driver", "mps", "mig"])
def test_held_by_something_else_everything_passes(world, uuid, make_container, isolation):
    box = make_container(world, [Share(uuid, core=30, memory=LIMIT)], isolation=isolation)
    with memory_client(box) as memory:
        memory.must("alloc", 1, 2 * LIMIT)
        assert not box.usage.slots()
        assert memory.end() == ""


@pytest.mark.parametrize("data", [b"", b"ALQLIMIT", b"\0" * RECORD_BYTES,
                                  b"ALQLIMIT" + b"\x02\0\0\0" + bytes(RECORD_BYTES - 12)],
                         ids=["empty", "short", "zeros", "version 2"])
def test_a_record_that_cannot_be_read_is_said_once_and_everything_passes(world, uuid, make_container, data):
    box = make_container(world, [Share(uuid, core=30, memory=LIMIT)])
    box.limits.replace(data=data)
    with memory_client(box) as memory:
        memory.must("alloc", 1, 2 * LIMIT)
        memory.must("free", 1)
        said = memory.end()
    assert said.count("\n") == 1
    assert "limits record" in said
