# SPDX-License-Identifier: Apache-2.0
"""The simulated driver by itself, without the library: what the other tests here rely on."""
import time

import pytest

_MIB = 1 << 20


@pytest.fixture(name="bare")
def fixture_bare(world, make_container):
    """A container on the machine without a library."""
    return make_container(world, None, preload=None)


def test_a_family_takes_what_it_should_and_gives_all_of_it_back(bare):
    taken = {
        "small": 2 * _MIB,     # three of 600,000 bytes share one block of 2 MiB
        "linear": 6 * _MIB,    # 5 MiB in blocks of 2
        "pitch": 10 * _MIB,    # rows of 10,000 bytes are 10,240 long: 1,000 of them need 9.8 MiB
        "managed": 0,          # with the host until a card is told to have it
        "array": 16 * _MIB,    # 1024 x 1024 texels of 16 bytes
        "mipmap": 20 * _MIB,   # 16 MiB and a quarter of it
        "async": 64 * _MIB,    # 40 MiB in pieces of 32
        "pool": 64 * _MIB,
        "map": 64 * _MIB,
        "export": 64 * _MIB,
        "graph": 64 * _MIB,
    }
    assert bare.json(["families"]) == {name: [bytes_, 0] for name, bytes_ in taken.items()}


def test_a_driver_that_calls_itself_by_its_exported_names_does_the_same(make_world, make_container):
    bare = make_container(make_world(variant="lib-nosymbolic"), None, preload=None)
    assert bare.json(["families"])["pitch"] == [10 * _MIB, 0]


def test_more_than_the_card_has_is_refused(bare):
    info = bare.json(["meminfo"])
    assert info["total"] - info["free"] == 300 * _MIB  # the context
    most = info["free"] // (2 * _MIB) * 2 * _MIB
    assert bare.json(["alloc", most, 1, most // 2])["results"] == [0, 2, 2]
    assert bare.json(["alloc", most + 1])["results"] == [2]


def test_what_a_killed_process_held_is_free_again(world, bare):
    uuid = world.uuids()[0]
    process = bare.start(["alloc", 3 << 30])
    process.stdout.readline()
    card = world.card(uuid)
    assert card["used"] == (3 << 30) + 300 * _MIB
    assert [each["pid"] for each in card["processes"]] == [process.pid]
    process.kill()
    process.wait()
    assert world.card(uuid)["used"] == 0


def test_a_process_id_is_told_in_the_asker_s_namespace(world, make_container):
    inside = make_container(world, None, preload=None, pids=True)
    process = inside.start(["sh", "-c", f"echo $$; exec {inside.client('alloc')} 1000"])
    own_number = int(process.stdout.readline())
    process.stdout.readline()
    pid, = (each["pid"] for each in world.card(world.uuids()[0])["processes"])
    assert pid != own_number
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        numbers = [line for line in status if line.startswith("NSpid:")][0].split()[1:]
    assert numbers == [str(pid), str(own_number)]


def test_two_that_compute_get_half_of_the_card_each_and_its_time_adds_up(world, bare):
    processes = [bare.start(["spin", 2_000_000, 200]) for _ in range(2)]
    lines = [process.communicate(timeout=60)[0] for process in processes]
    assert all("cardMs" in line for line in lines)
    assert world.card(world.uuids()[0])["busyNs"] == 2 * 200 * 2_000_000


def test_virtual_time_moves_by_waiting_alone(make_world, make_container):
    world = make_world(virtual=True)
    bare = make_container(world, None, preload=None)
    start = world.show()["now"]
    # an hour of GPU time, exactly, in no time
    assert bare.json(["spin", 36_000_000_000, 100])["cardMs"] == 3_600_000
    assert world.show()["now"] - start == 3_600_000_000_000
    world.advance(5)
    assert world.show()["now"] - start == 3_600_000_000_005


def test_memory_of_an_ipc_handle_is_counted_once_and_outlives_its_owner(world, bare):
    uuid = world.uuids()[0]
    owner = bare.start(["ipc", "share", 100 * _MIB])
    handle = owner.stdout.readline().strip()
    guest = bare.start(["ipc", "open", handle])
    assert guest.stdout.readline() == '{"found": 42, "taken": 0}\n'
    assert world.card(uuid)["used"] == 700 * _MIB  # two contexts and the memory
    owner.kill()
    owner.wait()
    assert world.card(uuid)["used"] == 400 * _MIB
    guest.communicate("\n", timeout=60)
    assert world.card(uuid)["used"] == 0


def test_a_lost_card_answers_no_more(world, make_container):
    bare = make_container(world, None, preload=None)
    process = bare.start(["alloc", 1000, 2000])
    process.stdout.readline()
    world.lose(world.uuids()[0])
    _, err = process.communicate("\n", timeout=60)
    assert process.returncode == 1
    assert "= 999" in err
    assert bare.json(["meminfo"])["devices"] == 7  # who comes later does not see it


def test_a_fault_hits_the_call_that_it_names(tmp_path, world, make_container):
    faults = tmp_path / "faults.yaml"
    faults.write_text("faults:\n  - {function: cuMemAlloc_v2, error: 719, after: 1, times: 2}\n")
    bare = make_container(world, None, preload=None,
                          environment={"ALIQUOT_SIMGPU_FAULTS": str(faults)})
    assert bare.json(["alloc", 1, 1, 1, 1])["results"] == [0, 719, 719, 0]


def test_a_stream_that_is_full_blocks_the_launch(bare):
    start = time.monotonic()
    result = bare.json(["spin", 200_000, 1524])
    # 1,524 of 0.2 ms are 304.8 ms; 1,024 wait at most, so the last launch came after 500 were done.
    assert result["cardMs"] == pytest.approx(304.8, abs=40)
    assert time.monotonic() - start >= 0.3


def test_a_child_of_a_fork_has_no_driver(bare):
    assert bare.json(["fork_child"]) == {"fork": 3, "call": 3, "parent": 0}


_NVML = """
import ctypes, json, sys, time
nvml = ctypes.CDLL("libnvidia-ml.so.1")
class Sample(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("at", ctypes.c_ulonglong), ("sm", ctypes.c_uint),
                ("rest", ctypes.c_uint * 3)]
device = ctypes.c_void_p()
assert nvml.nvmlInit_v2() == 0
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
last = 0
for line in sys.stdin:
    room = ctypes.c_uint(64)
    samples = (Sample * 64)()
    answer = nvml.nvmlDeviceGetProcessUtilization(device, samples, ctypes.byref(room),
                                                  ctypes.c_ulonglong(last))
    found = [(each.pid, each.sm) for each in samples[:room.value]] if answer == 0 else []
    last = max([each.at for each in samples[:room.value]]) if answer == 0 else last
    print(json.dumps(found), flush=True)
"""


def test_nvml_tells_each_process_s_part_of_the_time_since_the_last_look(make_world, make_container):
    world = make_world(virtual=True)
    bare = make_container(world, None, preload=None)
    reader = bare.start(["/usr/bin/python3", "-c", _NVML])
    worker = bare.start(["sh", "-c", f"exec {bare.client('spin_steps')}"])
    assert worker.stdout.readline() == "ready\n"

    def work(ns):
        worker.stdin.write(f"{ns}\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "done\n"

    def look():
        reader.stdin.write("\n")
        reader.stdin.flush()
        return reader.stdout.readline()

    look()
    work(300)
    world.advance(700)  # 300 of 1,000 ns
    assert look() == f"[[{worker.pid}, 30]]\n"
    world.advance(1000)
    assert look() == "[]\n"
    work(900)
    world.advance(100)  # since the last answer: 900 of 2,000 ns
    assert look() == f"[[{worker.pid}, 45]]\n"
