# SPDX-License-Identifier: Apache-2.0
"""States of a process and requests in which a library might let go of it: it is held all the same."""
import pytest

from harness.limits import Share
from memory_client import GIB, MIB, OUT_OF_MEMORY, SUCCESS

pytestmark = pytest.mark.gpu

LIMIT = GIB


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=10, memory=LIMIT)])


def _answers(box, way, size):
    done = box.run(["escapes", way, size])
    assert done.returncode == 0, done.stdout + done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.parametrize("way", ["descriptors", "memory"])
def test_a_process_that_had_none_left_at_its_first_call_is_held_from_the_next_one_on(box, way):
    assert _answers(box, way, 2 * GIB)[-1] == OUT_OF_MEMORY
    assert _answers(box, way, 512 * MIB)[-1] == SUCCESS


def test_a_handler_that_jumps_out_of_a_waiting_launch_leaves_the_thread_held(box):
    assert _answers(box, "longjmp", 2 * GIB) == [OUT_OF_MEMORY]


def test_rows_that_the_driver_pads_are_refused_when_they_do_not_fit_with_their_padding(box):
    # 80,000,000 rows of a byte: at 512 bytes each 41 GB, of a share of 1 GiB
    assert _answers(box, "pitch", 80_000_000) == [OUT_OF_MEMORY]
    assert box.usage.held() == 0
    assert _answers(box, "pitch", 1_000_000) == [SUCCESS]  # 512 MB


def test_a_free_into_a_capture_gives_nothing_back(box):
    assert _answers(box, "capture", 600 * MIB) == [OUT_OF_MEMORY]


def test_kernels_of_which_no_two_are_alike_pay_for_their_time(box):
    # A wait that is given up after half a second each time let them have 300 of 800 ms.
    percent, _ = _answers(box, "shapes", 10)
    assert percent <= 25


def test_launches_beside_a_capture_are_paced_and_wait_for_nothing_else(box):
    percent, longest_ms = _answers(box, "captures", 3)
    assert 5 <= percent <= 20
    assert longest_ms < 700  # 20 ms of work at 10 %, and what was launched before it was measured


def test_kernels_that_may_overlap_pay_for_their_time(box):
    percent, _ = _answers(box, "overlapping", 3)
    assert 5 <= percent <= 20
