# SPDX-License-Identifier: Apache-2.0
"""Memory whose size the driver decides: pools are charged by what they have reserved, graphs by their
allocation nodes and then by what their pool has reserved, mapped memory until nothing refers to it."""
import pytest

from harness.limits import Share
from memory_client import GIB, MIB, OUT_OF_MEMORY, SUCCESS, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


def reserved(memory, pool=1):
    memory.must("poolinfo", pool)
    return memory.last["reserved"]


def reserved_by_graphs(memory):
    memory.must("graphinfo")
    return memory.last["reserved"]


def test_a_pool_costs_what_it_has_reserved_and_not_what_is_used(box):
    with memory_client(box) as memory:
        memory.must("pool", 1, 0)
        memory.must("keep", 1, LIMIT)
        memory.must("frompool", 1, 1, 100 * MIB)
        assert memory.free() == LIMIT - reserved(memory)
        memory.must("asyncfree", 1)
        memory.must("sync")
        assert reserved(memory) >= 100 * MIB  # kept by its threshold
        assert memory.free() == LIMIT - reserved(memory)
        memory.must("frompool", 1, 1, 100 * MIB)  # out of what is reserved
        assert memory.free() == LIMIT - reserved(memory)
        memory.must("asyncfree", 1)
        memory.must("sync")
        memory.must("trim", 1, 0)
        assert reserved(memory) == 0
        assert memory.free() == LIMIT


def test_what_a_synchronisation_gave_back_is_seen_by_the_next_question(box):
    with memory_client(box) as memory:
        memory.must("async", 1, 512 * MIB)
        memory.must("asyncfree", 1)
        memory.must("sync")
        assert memory.free() == LIMIT
        memory.must("alloc", 2, LIMIT)


def test_what_a_synchronisation_gave_back_is_there_for_another_process_at_once(box):
    with memory_client(box) as idle, memory_client(box) as other:
        idle.must("async", 1, 800 * MIB)
        assert other("alloc", 1, 900 * MIB) == OUT_OF_MEMORY
        idle.must("asyncfree", 1)
        idle.must("sync")
        other.must("alloc", 1, 900 * MIB)


def test_above_the_limit_by_padding_a_pool_gives_back_its_own_unused_memory_for_its_next_allocation(box):
    with memory_client(box) as memory:
        memory.must("pool", 1, 0)
        memory.must("keep", 1, LIMIT)
        memory.must("alloc", 2, LIMIT - 50 * MIB)
        memory.must("frompool", 1, 1, 40 * MIB)  # the driver reserves in pieces: 64 MiB
        memory.must("asyncfree", 1)
        memory.must("sync")
        assert memory.free() == max(0, 50 * MIB - reserved(memory))
        memory.must("frompool", 1, 1, 24 * MIB)


def test_at_the_limit_unused_memory_of_own_pools_is_given_back_first(box):
    with memory_client(box) as memory:
        memory.must("pool", 1, 0)
        memory.must("keep", 1, LIMIT)
        memory.must("frompool", 1, 1, 800 * MIB)
        memory.must("asyncfree", 1)
        memory.must("sync")
        assert reserved(memory) >= 800 * MIB
        memory.must("alloc", 2, 900 * MIB)  # needs the pool's memory
        assert reserved(memory) == 0
        assert memory("frompool", 1, 1, 200 * MIB) == OUT_OF_MEMORY
        memory.must("frompool", 1, 1, 64 * MIB)


def test_a_pool_that_ends_with_allocations_holds_them_until_they_are_freed(box):
    with memory_client(box) as memory:
        memory.must("pool", 1, 0)
        memory.must("frompool", 1, 1, 100 * MIB)
        memory.must("frompool", 2, 1, 200 * MIB)
        memory.must("poolend", 1)
        assert memory.free() == LIMIT - 300 * MIB
        memory.must("asyncfree", 1)
        memory.must("sync")
        assert memory.free() == LIMIT - 200 * MIB
        memory.must("free", 2)
        assert memory.free() == LIMIT


def test_memory_of_a_pool_may_be_freed_like_any_other(box):
    with memory_client(box) as memory:
        memory.must("async", 1, 100 * MIB)
        memory.must("free", 1)
        memory.must("sync")
        assert memory.free() == LIMIT


@pytest.mark.simulated
def test_a_pool_on_another_card_is_that_cards(world, make_container):
    uuids = world.uuids()
    box = make_container(world, [Share(uuids[0], core=30, memory=LIMIT), Share(uuids[1], core=30, memory=LIMIT)])
    with memory_client(box) as memory:
        memory.must("device", 1)
        memory.must("device", 0)
        memory.must("pool", 1, 1)
        memory.must("frompool", 1, 1, 600 * MIB)
        assert memory.free() == LIMIT
        assert memory("frompool", 2, 1, 600 * MIB) == OUT_OF_MEMORY
        memory.must("device", 1)
        assert memory.free() <= LIMIT - 600 * MIB


def test_a_graph_is_charged_when_it_first_runs_and_until_it_is_trimmed(box):
    with memory_client(box) as memory:
        memory.must("graph", 1, 100 * MIB, 200 * MIB)
        assert memory.free() == LIMIT
        memory.must("launch", 1)
        held = reserved_by_graphs(memory)
        assert held >= 300 * MIB
        assert memory.free() == LIMIT - held
        memory.must("launch", 1)
        assert memory.free() == LIMIT - held
        memory.must("execend", 1)
        memory.must("graphtrim")
        assert memory.free() == LIMIT


def test_a_graph_over_the_limit_is_refused_by_launch_and_upload_and_a_smaller_one_runs(box):
    with memory_client(box) as memory:
        memory.must("graph", 1, 600 * MIB, 600 * MIB)
        assert memory("launch", 1) == OUT_OF_MEMORY
        assert memory("upload", 1) == OUT_OF_MEMORY
        assert memory.free() == LIMIT
        memory.must("graph", 2, 600 * MIB)
        memory.must("upload", 2)
        assert memory.free() <= LIMIT - 600 * MIB
        memory.must("launch", 2)
        assert memory.free() == LIMIT - reserved_by_graphs(memory)
        assert memory("alloc", 1, LIMIT + 1) == OUT_OF_MEMORY
        assert box.usage.total("denied") == 3


def test_at_the_limit_memory_that_graphs_are_not_using_is_given_back_first(box):
    with memory_client(box) as memory:
        memory.must("graph", 1, 600 * MIB)
        memory.must("launch", 1)
        memory.must("alloc", 1, 600 * MIB)  # needs it
        assert reserved_by_graphs(memory) == 0
        assert memory("launch", 1) == OUT_OF_MEMORY
        memory.must("free", 1)
        memory.must("launch", 1)


def test_a_graph_that_frees_before_it_allocates_again_needs_its_peak_alone(box):
    with memory_client(box) as memory:
        memory.must("chain", 1, 600 * MIB, 700 * MIB, 600 * MIB)
        memory.must("launch", 1)
        assert memory.free() == LIMIT - reserved_by_graphs(memory)
        assert 700 * MIB <= reserved_by_graphs(memory) < 800 * MIB
        memory.must("chain", 2, 1100 * MIB, 100 * MIB)
        assert memory("launch", 2) == OUT_OF_MEMORY


def test_a_graph_that_is_uploaded_when_it_is_instantiated_is_charged_then(box):
    with memory_client(box) as memory:
        assert memory("graphnow", 1, 600 * MIB, 600 * MIB) == OUT_OF_MEMORY
        assert memory.free() == LIMIT
        memory.must("graphnow", 1, 600 * MIB)
        assert reserved_by_graphs(memory) >= 600 * MIB
        assert memory.free() == LIMIT - reserved_by_graphs(memory)
        memory.must("launch", 1)
        assert memory.free() == LIMIT - reserved_by_graphs(memory)


def test_a_trimmed_graph_is_charged_again_when_it_runs_again(box):
    with memory_client(box) as memory:
        memory.must("graph", 1, 600 * MIB)
        memory.must("launch", 1)
        memory.must("graphtrim")
        assert memory.free() == LIMIT
        memory.must("alloc", 1, 600 * MIB)
        assert memory("launch", 1) == OUT_OF_MEMORY
        memory.must("free", 1)
        memory.must("launch", 1)


def test_inside_a_capture_nothing_is_charged_and_the_graph_is_when_it_runs(box):
    with memory_client(box) as memory:
        memory.must("capture", 1, 2 * LIMIT)  # no answer of ours inside the capture
        assert memory.free() == LIMIT
        assert memory("launch", 1) == OUT_OF_MEMORY
        memory.must("capture", 2, 500 * MIB)
        memory.must("launch", 2)
        assert memory.free() == LIMIT - reserved_by_graphs(memory)
        assert reserved_by_graphs(memory) >= 500 * MIB


@pytest.mark.parametrize("order", [("unmap", "release"), ("release", "unmap")])
def test_mapped_memory_is_held_until_neither_handle_nor_mapping_is_left(box, order):
    with memory_client(box) as memory:
        memory.must("create", 1, 512 * MIB)
        memory.must("map", 1)
        memory.must(order[0], 1)
        assert memory.free() == LIMIT - 512 * MIB
        assert memory("create", 2, 600 * MIB) == OUT_OF_MEMORY
        memory.must(order[1], 1)
        assert memory.free() == LIMIT
        memory.must("create", 2, 600 * MIB)


def test_a_retained_handle_holds_as_well(box):
    with memory_client(box) as memory:
        memory.must("create", 1, 512 * MIB)
        memory.must("map", 1)
        memory.must("retain", 1)
        memory.must("release", 1)
        memory.must("unmap", 1)
        assert memory.free() == LIMIT - 512 * MIB
        memory.must("release", 1)
        assert memory.free() == LIMIT
        assert memory("release", 1) != SUCCESS
        assert memory.free() == LIMIT


def test_a_context_that_ends_takes_its_memory_with_it(box):
    with memory_client(box) as memory:
        memory.must("alloc", 1, 100 * MIB)  # of the primary context: it stays
        memory.must("context", 1)
        memory.must("alloc", 2, 200 * MIB)
        memory.must("array2", 1, 256, 1024 * 100)
        assert memory.free() == LIMIT - 400 * MIB
        memory.must("contextend", 1)
        assert memory.free() == LIMIT - 100 * MIB
        memory.must("alloc", 3, 900 * MIB)
        memory.must("reset")
        assert memory.free() == LIMIT
