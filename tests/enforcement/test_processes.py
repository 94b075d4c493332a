# SPDX-License-Identifier: Apache-2.0
"""Programs that fork, go to the background, start threads, close the driver and end: everything goes as on the
driver alone, and the container is charged for what is alive. test_memory_life.py has the rest."""
import pytest

from harness.limits import Share
from memory_client import GIB, MIB, OUT_OF_MEMORY, SUCCESS, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


@pytest.fixture(name="plain")
def fixture_plain(world, make_container):
    return make_container(world, None, preload=None)


def _answers(container, way, number, size):
    done = container.run(["process_life", way, number, size])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return [int(line) for line in done.stdout.split()]


def _nothing_is_held(box):
    with memory_client(box) as memory:
        memory.must("alloc", 1, LIMIT)


def test_a_child_of_a_process_that_used_cuda_gets_the_drivers_error_and_its_parent_goes_on(box, plain):
    answers = _answers(box, "forked", 0, 400 * MIB)
    assert answers == _answers(plain, "forked", 0, 400 * MIB)
    first, in_child, last = answers[0], answers[1:5], answers[5:]
    assert first == SUCCESS and last == [SUCCESS, SUCCESS]
    assert SUCCESS not in in_child and OUT_OF_MEMORY not in in_child
    _nothing_is_held(box)


def test_a_child_that_was_forked_while_others_allocated_does_not_hang(box):
    answers = _answers(box, "storm", 60, MIB)
    assert len(answers) == 60 and SUCCESS not in answers and OUT_OF_MEMORY not in answers
    _nothing_is_held(box)


def test_a_daemon_that_closes_all_descriptors_is_held_to_the_share(box):
    assert _answers(box, "daemon", 0, 600 * MIB) == [SUCCESS, OUT_OF_MEMORY, SUCCESS]
    _nothing_is_held(box)


def test_memory_of_a_thread_outlives_it_and_is_freed_by_another(box):
    answers = _answers(box, "threads", 8, 200 * MIB)
    assert sorted(answers[:8]) == [SUCCESS] * 5 + [OUT_OF_MEMORY] * 3  # 5 x 200 MiB of 1,024
    assert answers[8] == SUCCESS  # 800 MiB, after all were freed
    _nothing_is_held(box)


def test_a_driver_that_is_closed_and_opened_again_is_charged_once(box):
    assert _answers(box, "closed", 20, 1000 * MIB) == [SUCCESS] * 20
    _nothing_is_held(box)


def test_what_is_freed_while_the_process_ends_is_freed_as_on_the_driver_alone(box, plain):
    assert _answers(box, "atexit", 0, LIMIT) == _answers(plain, "atexit", 0, LIMIT) == [SUCCESS, SUCCESS]
    _nothing_is_held(box)
