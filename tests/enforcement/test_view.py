# SPDX-License-Identifier: Apache-2.0
"""What NVML shows inside a container: its own cards, its share's memory and load, its own processes;
the same as CUDA. Seen through NVIDIA's nvidia-ml-py."""
import json
import threading
import time

import pytest

from harness.limits import Share
from third_party import environments

_GIB = 1 << 30
_NVML_INVALID_ARGUMENT = 2
_NVML_NOT_SUPPORTED = 3
_NVML_NOT_FOUND = 6
_VIEW = environments.PROGRAMS / "nvml_view.py"


def _share(world, index, **limits):
    """A share of the machine's card of that number; the cards of the profile are numbered so."""
    return Share(world.uuids()[index], minor=index, **limits)


def _view(container, *names, **options):
    return container.json([environments.python("cuda12"), _VIEW, *names], **options)


@pytest.fixture(name="begin")
def fixture_begin():
    """Starts a client that goes on until the test ends, and waits for its first line."""
    def begin(container, *command):
        process = container.start(list(command))
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return process, json.loads(line)
    return begin


def test_memory_is_the_shares_and_adds_up_and_is_what_cuda_says(world, make_container, begin):
    container = make_container(world, [_share(world, 0, core=30, memory=10 * _GIB)])
    _, cuda = begin(container, "alloc", 3 * _GIB)
    assert cuda["results"] == [0] and cuda["total"] == 10 * _GIB
    shown = _view(container)["cards"][0]
    for memory in (shown["memory"], shown["memory2"]):
        assert memory["total"] == cuda["total"]
        assert memory["free"] == cuda["free"]
        assert memory["used"] + memory["free"] == memory["total"]
    assert shown["memory2"]["reserved"] == 0


def test_both_forms_of_cudas_figures_take_the_pointers_that_the_driver_takes(world, make_container):
    command = [environments.python("cuda12"), environments.PROGRAMS / "cuda_info.py"]
    alone = make_container(world, None, preload=None).json(command)
    shown = make_container(world, [_share(world, 0, memory=10 * _GIB)]).json(command)
    small = make_container(world, [_share(world, 0, memory=2 * _GIB)]).json(command)
    assert shown.keys() == alone.keys()
    for name, rows in alone.items():
        # The results, and which numbers are written at all, are the driver's.
        assert [[row[0], *(each in (None, 7) for each in row[1:])] for row in shown[name]] == [
            [row[0], *(each in (None, 7) for each in row[1:])] for row in rows], name
    most = (1 << 32) - 1
    assert shown["info"][0] == [0, 10 * _GIB, 10 * _GIB] and shown["total"][0] == [0, 10 * _GIB]
    assert shown["info of CUDA 2"][0] == [0, most, most]
    assert shown["total of CUDA 2"][0] == [0, most]
    assert small["info of CUDA 2"][0] == [0, 2 * _GIB, 2 * _GIB]
    assert small["total of CUDA 2"][0] == [0, 2 * _GIB]


def test_another_containers_memory_shows_only_where_the_card_runs_short(world, make_container, begin):
    card = world.card(world.uuids()[0])
    one = make_container(world, [_share(world, 0, core=30, memory=10 * _GIB)])
    other = make_container(world, [_share(world, 0, core=30)])  # no limit: takes what is left
    begin(other, "alloc", 20 * _GIB)
    assert _view(one)["cards"][0]["memory"]["used"] == 0
    # All but 4 GiB and what the second program's own context takes.
    begin(other, "alloc", card["free"] - 24 * _GIB - 2 * 1024 * (1 << 20))
    memory = _view(one)["cards"][0]["memory"]
    assert memory["total"] == 10 * _GIB and 4 * _GIB <= memory["free"] < 6 * _GIB
    assert memory["used"] + memory["free"] == memory["total"]


def test_a_whole_card_shows_the_drivers_own_figures(world, make_container, begin):
    container = make_container(world, [_share(world, 0)])
    begin(container, "alloc", 3 * _GIB)
    shown = _view(container)["cards"][0]
    card = world.card(world.uuids()[0])
    assert shown["memory"]["total"] == shown["memory2"]["total"] == card["memory"]
    assert shown["memory2"]["used"] == card["used"] and shown["memory2"]["reserved"] > 0


def test_the_cards_are_the_containers_in_pci_order_as_cuda_numbers_them(world, make_container):
    uuids = world.uuids()
    shares = [_share(world, 5, memory=2 * _GIB), _share(world, 2, memory=_GIB)]
    container = make_container(world, shares, nodes=True,
                               environment={"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
    view = _view(container)
    assert view["count"] == 2
    assert [card["uuid"] for card in view["cards"]] == [uuids[2], uuids[5]]
    assert view["oldWay"] == [uuids[2], uuids[5]]
    assert [card["index"] for card in view["cards"]] == [0, 1]
    assert [card["memory"]["total"] for card in view["cards"]] == [_GIB, 2 * _GIB]
    assert [card["near"] for card in view["cards"]] == [1, 1]
    for index, card in enumerate(view["cards"]):
        cuda = container.json(["meminfo", index])
        assert cuda["devices"] == 2
        assert f"GPU-{cuda['uuid'][:8]}" == card["uuid"][:12]
        assert cuda["total"] == card["memory"]["total"]


def test_of_other_cards_nvml_says_that_there_are_none(world, make_container):
    uuids = world.uuids()
    alone = _view(make_container(world, None, preload=None))
    places = [card["pci"] for card in alone["cards"]]
    serials = [f"1{minor:06}" for minor in range(len(uuids))]
    container = make_container(world, [_share(world, 2, memory=_GIB)])
    names = [name for card in (2, 3)
             for name in (uuids[card], "V:" + uuids[card], places[card], serials[card])]
    unlimited = _view(make_container(world, None, preload=None), *names)
    assert unlimited["found"] == [uuids[2]] * 4 + [uuids[3]] * 4
    view = _view(container, *names)
    assert view["found"] == [uuids[2]] * 4 + [_NVML_NOT_FOUND] * 4
    assert view["nearProcessor"] == 1 and view["cards"][0]["near"] == 0
    assert view["past"] == {"error": _NVML_INVALID_ARGUMENT}
    # The older functions of the driver call the newer ones, which is not asked for a second time.
    assert view["oldWay"] == [uuids[2]]


def test_a_container_without_a_record_sees_what_the_driver_shows(world, make_container):
    assert _view(make_container(world, None)) == _view(make_container(world, None, preload=None))
    assert _view(make_container(world, None))["count"] == 8


@pytest.mark.parametrize("pids", [False, True], ids=["its numbers", "other numbers"])
def test_only_the_containers_processes_are_listed(world, make_container, begin, pids):
    # In a process namespace of their own the driver's numbers of the processes mean nothing.
    one = make_container(world, [_share(world, 0, memory=10 * _GIB)], pids=pids)
    other = make_container(world, [_share(world, 0, memory=10 * _GIB)])
    begin(one, "alloc", 2 * _GIB)
    begin(other, "alloc", _GIB)
    slots = one.usage.slots()
    assert len(slots) == 1
    pid = slots[0][0]
    shown = _view(one)["cards"][0]
    # With the driver's own numbers the context is known as well.
    context = 0 if pids else world.card(world.uuids()[0])["processes"][0]["contextBytes"]
    for listed in ("computing", "computing1", "computing2", "details"):
        assert shown[listed] == [[pid, 2 * _GIB + context]], listed
    assert shown["accounts"] == ({} if pids else {str(pid): 2 * _GIB + context})
    assert shown["drawing"] == ([] if pids else shown["computing"])


def test_an_ended_process_is_listed_no_more(world, make_container, begin):
    container = make_container(world, [_share(world, 0, memory=10 * _GIB)], pids=True)
    process, _ = begin(container, "alloc", _GIB)
    assert len(_view(container)["cards"][0]["computing"]) == 1
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while _view(container)["cards"][0]["computing"]:
        assert time.monotonic() < deadline, "a killed process stays listed"


def test_the_load_is_the_containers_own_in_percent_of_the_card(world, make_container):
    one = make_container(world, [_share(world, 0, core=40, memory=10 * _GIB)])
    other = make_container(world, [_share(world, 0, core=40, memory=10 * _GIB)])
    worker = one.start(["spin", 2_000_000, 100_000])
    deadline = time.monotonic() + 30
    while not 20 <= _view(one)["cards"][0]["utilization"][0] <= 60:
        assert worker.poll() is None and time.monotonic() < deadline
    shown = _view(one)["cards"][0]
    assert shown["samples"] and shown["samples"][0][0] == worker.pid
    assert shown["history"] == _NVML_NOT_SUPPORTED
    idle = _view(other)["cards"][0]
    assert idle["utilization"] == [0, 0] and idle["samples"] == _NVML_NOT_FOUND


def test_gpu_time_that_only_the_agent_saw_counts_as_load(world, make_container):
    # An unpaced share does not measure itself: the agent writes what the driver says, here 2 s in 5.
    container = make_container(world, [_share(world, 0, memory=10 * _GIB)])
    ended = threading.Event()

    def write():
        start = time.monotonic_ns()
        while not ended.is_set():
            container.limits.set_live(0, correction_ns=(time.monotonic_ns() - start) * 2 // 5)
            time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        deadline = time.monotonic() + 30
        while not 30 <= _view(container)["cards"][0]["utilization"][0] <= 50:
            assert time.monotonic() < deadline
    finally:
        ended.set()
        writer.join()


def test_a_lost_card_keeps_its_number(world, make_container):
    container = make_container(world, [_share(world, 2, memory=_GIB), _share(world, 5, memory=_GIB)])
    uuids = world.uuids()
    # The driver's list then has one card without a name; the container's other one stays the second.
    world.lose(uuids[2])
    view = _view(container)
    assert view["count"] == 2
    assert view["cards"][0] == {"error": 15}
    assert view["cards"][1]["uuid"] == uuids[5] and view["cards"][1]["index"] == 1


def test_a_failed_nvml_can_be_tried_again(world, make_container, tmp_path):
    faults = tmp_path / "faults.yaml"
    faults.write_text("faults:\n  - {function: nvmlInit_v2, error: 999}\n")
    program = ("import os, pynvml\n"
               "try:\n  pynvml.nvmlInit()\nexcept pynvml.NVMLError as error:\n  first = error.value\n"
               f"os.remove('{faults}')\n"
               "pynvml.nvmlInit()\nprint([first, pynvml.nvmlDeviceGetCount()])")
    container = make_container(world, [_share(world, 0, memory=_GIB)],
                               environment={"ALIQUOT_SIMGPU_FAULTS": str(faults)})
    assert container.json([environments.python("cuda12"), "-c", program]) == [999, 1]
