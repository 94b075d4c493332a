# SPDX-License-Identifier: Apache-2.0
"""Every family of allocation is held to the container's share: refused above it with the driver's own
code, and the next smaller request succeeds; what is free is what can be had."""
import pytest

from harness.limits import Share
from memory_client import GIB, INVALID_VALUE, MIB, OUT_OF_MEMORY, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    """A container that may use 1 GiB of the first card."""
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


# verb and arguments of an allocation of so many MiB, and the verb that gives it back
FAMILIES = {
    "linear": (lambda mib: ("alloc", 1, mib * MIB), "free"),
    "linear of CUDA 2": (lambda mib: ("alloc1", 1, mib * MIB), "free1"),
    "pitched": (lambda mib: ("pitch", 1, MIB, mib), "free"),
    "managed": (lambda mib: ("managed", 1, mib * MIB), "free"),
    "array": (lambda mib: ("array2", 1, 256, 1024 * mib), "arrayend"),  # 256 x 4 bytes a row
    "array of three dimensions": (lambda mib: ("array", 1, 512, 512, mib, 0x20, 1, 0), "arrayend"),
    "mipmap of one level": (lambda mib: ("mipmap", 1, 512, 512, mib, 1, 0), "mipmapend"),
    "stream-ordered": (lambda mib: ("async", 1, mib * MIB), "asyncfree"),
    "stream-ordered, per-thread stream": (lambda mib: ("asyncp", 1, mib * MIB), "asyncfree"),
    "physical": (lambda mib: ("create", 1, mib * MIB), "release"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_above_the_share_the_driver_says_out_of_memory_and_the_next_smaller_request_succeeds(box, family):
    allocate, release = FAMILIES[family]
    with memory_client(box) as memory:
        most = LIMIT // MIB
        assert memory(*allocate(most + 2)) == OUT_OF_MEMORY
        memory.must(*allocate(most - 64))
        assert box.usage.held() >= LIMIT - 64 * MIB
        memory.must(release, 1)
        memory("sync")
        assert memory.free() == LIMIT
    assert box.usage.total("denied") == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_free_is_what_can_be_allocated(box, family):
    allocate, _ = FAMILIES[family]
    with memory_client(box) as memory:
        memory.must(*allocate(600))
        free = memory.free()
        assert free <= LIMIT - 600 * MIB
        assert memory("alloc", 2, free + 1) == OUT_OF_MEMORY
        memory.must("alloc", 2, free)
        assert memory.free() == 0


@pytest.mark.parametrize("family", ["linear", "pitched", "managed", "stream-ordered"])
def test_a_second_free_is_the_drivers_affair_and_gives_nothing_back(box, family):
    allocate, release = FAMILIES[family]
    with memory_client(box) as memory:
        memory.must("alloc", 2, 512 * MIB)
        memory.must(*allocate(64))
        memory.must(release, 1)
        assert memory(release, 1) == INVALID_VALUE
        memory("sync")
        assert memory.free() == LIMIT - 512 * MIB


def test_pitch_is_held_with_its_padding(box):
    with memory_client(box) as memory:
        memory.must("pitch", 1, 1000, 1000)
        pitch = memory.last["pitch"]
        assert pitch > 1000
        assert memory.free() == LIMIT - pitch * 1000


def test_levels_of_a_mipmap_add_up(box):
    with memory_client(box) as memory:
        memory.must("mipmap", 1, 1024, 1024, 0, 2, 0)  # four bytes: 1024 x 1024 + 512 x 512
        assert memory.free() == LIMIT - 5 * MIB


def test_sparse_and_deferred_arrays_have_no_memory_of_their_own(box):
    with memory_client(box) as memory:
        for flags in (0x40, 0x80):
            memory("array", 1, 16384, 16384, 0, 0x20, 4, flags)  # 4 GiB if it had memory; not every card has them
            assert memory.last["result"] != OUT_OF_MEMORY
            assert memory.free() == LIMIT


def test_memory_of_the_host_is_not_touched(box):
    with memory_client(box) as memory:
        memory.must("hostalloc", 2 * LIMIT)
        assert memory("createhost", 1, 2 * LIMIT) != OUT_OF_MEMORY
        assert memory.free() == LIMIT


def test_nothing_asked_for_and_nowhere_to_answer_are_the_drivers_to_judge(box, world, make_container):
    plain = make_container(world, None, preload=None)
    with memory_client(box) as memory, memory_client(plain) as driver:
        for words in (("alloc", 1, 0), ("nowhere", 5), ("nowhere", 5 * LIMIT), ("freeany", 12345), ("freeany", 0),
                      ("managed", 1, 0), ("pitch", 1, 0, 5), ("array", 1, 0, 0, 0, 0x20, 1, 0),
                      ("create", 1, 5), ("release", 9), ("arrayend", 9), ("pool", 1, 99)):
            assert memory(*words) == driver(*words), words
        assert memory.free() == LIMIT


def test_what_the_driver_refuses_is_not_held(world, make_container):
    whole = world.show()["cards"][0]
    box = make_container(world, [Share(whole["uuid"], core=30, memory=1 << 50)])
    with memory_client(box) as memory:
        assert memory("alloc", 1, 1 << 45) == OUT_OF_MEMORY  # the card's own refusal
        assert box.usage.held() == 0
        assert box.usage.total("denied") == 0
        memory.must("alloc", 1, GIB)
        assert box.usage.held() == GIB


@pytest.mark.simulated
def test_a_whole_card_is_not_limited_but_counted(world, make_container):
    box = make_container(world, [Share(world.uuids()[0])])
    with memory_client(box) as memory:
        memory.must("alloc", 1, 20 * GIB)
        assert box.usage.held() == 20 * GIB
        total = memory.total()
        assert total > 70 * GIB
        memory.must("free", 1)
        assert box.usage.held() == 0


def test_a_limit_above_the_card_shows_the_card(world, make_container):
    whole = make_container(world, [Share(world.uuids()[0])])
    more = make_container(world, [Share(world.uuids()[0], core=30, memory=1 << 50)])
    with memory_client(whole) as one, memory_client(more) as other:
        assert other.total() == one.total()


@pytest.mark.simulated
def test_two_cards_have_a_limit_each_whatever_the_driver_calls_them(world, make_container):
    uuids = world.uuids()
    box = make_container(world, [Share(uuids[5], core=30, memory=LIMIT), Share(uuids[2], core=30, memory=2 * LIMIT)])
    with memory_client(box) as memory:
        memory.must("device", 5)
        memory.must("alloc", 1, LIMIT)
        assert memory("alloc", 2, 1) == OUT_OF_MEMORY
        memory.must("device", 2)
        assert memory.total() == 2 * LIMIT
        memory.must("alloc", 2, 2 * LIMIT)
        assert memory("alloc", 3, 1) == OUT_OF_MEMORY
        memory.must("free", 1)  # while the other card's context is current
        memory.must("device", 5)
        assert memory.free() == LIMIT


@pytest.mark.simulated
def test_a_driver_that_calls_its_own_functions_through_the_symbol_table_is_charged_once(make_world, make_container):
    world = make_world(variant="lib-nosymbolic")  # its cuMemAllocPitch calls the exported cuMemAlloc
    box = make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])
    with memory_client(box) as memory:
        memory.must("pitch", 1, MIB, 600)
        assert box.usage.held() == 600 * MIB
        memory.must("free", 1)
        assert box.usage.held() == 0
