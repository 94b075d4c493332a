# SPDX-License-Identifier: Apache-2.0
"""Who holds what when processes fork, become others, end by themselves or by kill -9; and a container
that damages the file it is counted in."""
import fcntl
import json
import os
import struct
import time

import pytest

from harness.limits import USAGE_BYTES, Share
from memory_client import GIB, INVALID_VALUE, MIB, OUT_OF_MEMORY, SUCCESS, memory_client

pytestmark = pytest.mark.gpu

LIMIT = GIB


@pytest.fixture(name="box")
def fixture_box(world, make_container):
    return make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])


class Life:
    """The client memory_life, step by step."""

    def __init__(self, container, way, mib):
        self.process = container.start(["memory_life", way, mib * MIB])

    def said(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        self.go_on()
        assert self.process.wait() == 0, self.process.stderr.read()


def held_by(box, pid):
    return sum(cells[0].held for owner, cells in box.usage.slots().values() if owner == pid)


def test_parent_and_child_of_a_fork_have_a_slot_each(box):
    life = Life(box, "fork", 600)
    child = life.said()
    assert child["result"] == SUCCESS
    assert held_by(box, child["pid"]) == 600 * MIB
    life.go_on()  # the child ends without freeing
    parent = life.said()
    assert parent["result"] == SUCCESS  # the child's 600 MiB are given back, or these would not fit
    assert held_by(box, parent["pid"]) == 600 * MIB
    life.end()


def test_a_child_that_does_not_use_cuda_holds_nothing_and_does_not_keep_its_dead_parents_memory(box):
    life = Life(box, "orphan", 900)
    assert life.said()["result"] == SUCCESS
    child = life.said()
    assert life.process.wait() == 0
    os.kill(child["pid"], 0)  # it lives, and has inherited every descriptor and mapping that forks pass on
    with memory_client(box) as memory:
        memory.must("alloc", 1, LIMIT)
    life.go_on()


def test_a_live_parents_memory_stays_when_its_child_ends(box):
    life = Life(box, "late", 900)
    parent = life.said()
    life.said()
    with memory_client(box) as memory:
        assert memory("alloc", 1, 200 * MIB) == OUT_OF_MEMORY
        assert held_by(box, parent["pid"]) == 900 * MIB
    life.end()


def test_an_exec_gives_back_what_the_program_before_it_held(box):
    life = Life(box, "exec", 900)
    assert life.said()["result"] == SUCCESS
    life.go_on()
    assert life.said() == {"who": "holder", "pid": life.process.pid, "result": SUCCESS}
    assert box.usage.held() == 900 * MIB
    life.end()


def test_a_program_that_closes_every_descriptor_keeps_its_slot(box):
    life = Life(box, "close", 400)
    assert life.said()["result"] == SUCCESS
    assert life.said()["result"] == SUCCESS
    with memory_client(box) as memory:
        assert memory("alloc", 1, 300 * MIB) == OUT_OF_MEMORY
        memory.must("alloc", 1, 200 * MIB)
    life.end()


def test_a_free_from_a_thread_without_a_context_is_judged_by_the_driver(box, world, make_container):
    plain = Life(make_container(world, None, preload=None), "thread", 100)
    life = Life(box, "thread", 100)
    for step in (plain, life):
        assert step.said()["result"] == SUCCESS
    answer = life.said()["result"]
    assert answer == plain.said()["result"]
    assert box.usage.held() == (0 if answer == SUCCESS else 100 * MIB)
    life.end()
    plain.end()


def test_what_a_killed_process_held_is_there_for_the_next_request(box):
    with memory_client(box) as memory:
        for _ in range(5):
            with_all = box.start(["memory_life", "hold", 1000 * MIB])
            assert json.loads(with_all.stdout.readline())["result"] == SUCCESS
            assert memory("alloc", 1, 100 * MIB) == OUT_OF_MEMORY
            with_all.kill()
            with_all.wait()
            assert memory.free() == LIMIT
            memory.must("alloc", 1, LIMIT)
            memory.must("free", 1)


def test_memory_of_another_process_of_the_container_is_charged_where_it_was_allocated(box):
    with memory_client(box) as exporter, memory_client(box) as importer:
        exporter.must("alloc", 1, 600 * MIB)
        exporter.must("ipcget", 1, 1)
        importer.must("ipcopen", 2, 1)
        assert importer.free() == LIMIT - 600 * MIB
        importer.must("alloc", 3, 400 * MIB)
        importer.must("ipcclose", 2)
        assert importer.free() == LIMIT - 1000 * MIB
        exporter.must("free", 1)
        assert importer.free() == LIMIT - 400 * MIB


def take_every_slot(path):
    """Locks as 64 processes have them; the file that holds them."""
    file = open(path, "r+b")  # pylint: disable=consider-using-with
    for slot in range(64):
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, slot, 1, 0))
    return file


def test_without_a_free_slot_nothing_is_allocated_and_with_one_again(box):
    with take_every_slot(box.usage.path) as others, memory_client(box) as memory:
        assert memory("alloc", 1, MIB) == OUT_OF_MEMORY
        others.close()
        deadline = time.monotonic() + 5
        while memory("alloc", 1, MIB) != SUCCESS:  # a slot is asked for again every 100 ms
            assert time.monotonic() < deadline
        assert box.usage.held() == MIB


@pytest.mark.parametrize("byte", [0x00, 0x5A, 0xFF])
def test_a_scribbled_usage_file_harms_no_process_of_the_container(box, byte):
    with memory_client(box) as memory, memory_client(box) as other:
        memory.must("alloc", 1, 100 * MIB)
        with open(box.usage.path, "r+b") as file:
            file.write(bytes([byte]) * USAGE_BYTES)
        for process in (memory, other):
            assert process("alloc", 2, 100 * MIB) in (SUCCESS, OUT_OF_MEMORY)
            process.must("info")
            assert process.last["free"] <= process.last["total"] == LIMIT
            assert process("alloc", 3, 2 * LIMIT) == OUT_OF_MEMORY
        memory.must("free", 1)
        assert memory("free", 1) == INVALID_VALUE


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * USAGE_BYTES], ids=["empty", "short", "garbage"])
def test_without_a_usable_usage_file_each_process_is_held_by_itself(world, make_container, content):
    box = make_container(world, [Share(world.uuids()[0], core=30, memory=LIMIT)])
    with open(box.usage.path, "wb") as file:
        file.write(content)
    clients = [memory_client(box), memory_client(box)]
    with clients[0] as one, clients[1] as other:
        for process in (one, other):
            process.must("alloc", 1, LIMIT)
            assert process("alloc", 2, 1) == OUT_OF_MEMORY
            process.must("free", 1)
        assert "usage file" in one.end()


def test_on_a_file_system_whose_locks_do_not_last_each_process_is_held_by_itself(box):
    setup = """
      mkdir -p /run/low /run/up /run/work /run/both
      cp /run/aliquot/usage /run/low/usage
      mount -t overlay overlay -o lowerdir=/run/low,upperdir=/run/up,workdir=/run/work /run/both
      umount /run/aliquot/usage && mount --bind /run/both/usage /run/aliquot/usage
      exec "$1" hold 1073741824"""
    process = box.start(["unshare", "--mount", "sh", "-ec", setup, "sh", box.client("memory_life")])
    assert json.loads(process.stdout.readline())["result"] == SUCCESS
    _, said = process.communicate("\n")
    assert "can't hold a lock" in said
    assert process.returncode == 0
