# SPDX-License-Identifier: Apache-2.0
"""Launches are held to the container's share of GPU time. Real time passes here, beside whatever
else the machine does, so bounds are wide; how exactly a share is held is for bench/enforcement to
say."""
import os
import signal
import subprocess
import time

import pytest

from harness.limits import Share

pytestmark = pytest.mark.gpu

_GIB = 1 << 30
_MS = 1_000_000


def _share(world, core, **more):
    return Share(world.uuids()[0], core=core, memory=4 * _GIB, **more)


def _burn(container, *words, **options):
    return container.json(["burn", *words], **options)


def _used(container, seconds, ns, *words):
    """The part of the card that a program gets, by what it launched: its kernels take what they are
    told to. A graph has ten."""
    done = _burn(container, "--ns", ns, "--seconds", seconds, *words)
    return done["launches"] * (10 if "graph" in words else 1) * ns / (done["wallMs"] * _MS)


def _card_busy(world, seconds):
    """The part of the time in which the simulated card works, whoever for."""
    before = world.show()
    time.sleep(seconds)
    after = world.show()
    return (after["cards"][0]["busyNs"] - before["cards"][0]["busyNs"]) / (after["now"] - before["now"])


@pytest.mark.parametrize("words", [
    [50_000], [5 * _MS, "--depth", 4], [2 * _MS, "--mode", "sync"], [100_000, "--mode", "graph"],
    [_MS, "--streams", 4], [_MS, "--threads", 4], [_MS, "--default-stream", "legacy"],
    [_MS, "--default-stream", "thread"],
], ids=lambda words: "-".join(str(word).strip("-") for word in words))
def test_work_of_every_kind_is_held_to_its_share(world, make_container, words):
    container = make_container(world, [_share(world, 25)])
    assert 0.15 < _used(container, 3, *words) < 0.35
    assert container.usage.total("throttled_ns") > 100 * _MS


def test_every_function_that_launches_is_counted_and_answers_as_the_driver(world, make_container):
    without = make_container(world, None, preload=None).json(["launches", 1000])
    container = make_container(world, [_share(world, 50)])
    assert container.json(["launches", 1000]) == without
    went_well = [name for name, result in without.items() if result == 0]
    assert "cuGraphLaunch" in went_well and "cuLaunchKernelEx_ptsz" in went_well and len(went_well) >= 8
    assert container.usage.total("launches") == len(went_well)


def test_a_whole_card_is_counted_and_never_waits(world, make_container):
    container = make_container(world, [_share(world, 100)])
    done = _burn(container, "--ns", 10_000, "--launches", 5000)
    assert done["launches"] == 5000
    assert container.usage.total("launches") == 5000
    assert container.usage.total("throttled_ns") == 0


def test_what_is_written_down_as_gpu_time_is_what_ran(world, make_container):
    container = make_container(world, [_share(world, 60)])
    _burn(container, "--ns", 2 * _MS, "--launches", 200, "--depth", 8)
    assert container.usage.total("busy_ns") == pytest.approx(400 * _MS, rel=0.1)


@pytest.mark.simulated
def test_two_processes_of_a_container_share_its_share(world, make_container):
    container = make_container(world, [_share(world, 20)])
    processes = [container.start(["burn", "--ns", _MS, "--seconds", 60]) for _ in range(2)]
    time.sleep(1)
    assert 0.1 < _card_busy(world, 2) < 0.3
    for process in processes:
        process.kill()


def test_nothing_waits_or_is_counted_inside_a_capture(world, make_container):
    # 200 captures of ten kernels of 10 ms each: 20 s of work at a share of 1 %.
    container = make_container(world, [_share(world, 1)])
    done = _burn(container, "--mode", "capture", "--ns", 10 * _MS, "--launches", 200, "--seconds", 60)
    assert done["launches"] == 200
    assert container.usage.total("launches") == 0
    assert container.usage.total("throttled_ns") == 0


def test_a_thread_that_captures_and_one_that_launches_do_not_disturb_each_other(world, make_container):
    container = make_container(world, [_share(world, 30)])
    capturing = container.start(["burn", "--mode", "capture", "--threads", 3, "--seconds", 2])
    launching = _burn(container, "--ns", _MS, "--threads", 2, "--mode", "graph", "--seconds", 2)
    out, err = capturing.communicate(timeout=60)
    assert capturing.returncode == 0, err
    assert '"launches"' in out and launching["launches"] > 0


def test_contexts_come_and_go_while_launches_are_timed(world, make_container):
    container = make_container(world, [_share(world, 70)])
    assert container.json(["contexts", 30]) == {"launches": 1200, "beside": True}


def test_without_a_record_nothing_is_held(world, make_container):
    container = make_container(world, None)
    assert _burn(container, "--ns", 100_000, "--launches", 2000)["launches"] == 2000


@pytest.mark.simulated
def test_a_changed_record_holds_while_the_program_runs(world, make_container):
    container = make_container(world, [_share(world, 80)])
    process = container.start(["burn", "--ns", _MS, "--seconds", 60])
    time.sleep(1)
    assert _card_busy(world, 1) > 0.6
    container.limits.replace([_share(world, 10)])
    time.sleep(1)
    assert _card_busy(world, 2) < 0.2
    process.kill()


def test_what_was_lent_ends_by_itself(world, make_container):
    container = make_container(world, [_share(world, 10, ceiling=100)])
    container.limits.set_live(0, percent=100, valid_ns=2_500_000_000)
    assert _used(container, 1.5, _MS) > 0.8
    time.sleep(1.5)
    assert _used(container, 2, _MS) < 0.25


@pytest.mark.simulated
def test_idle_capacity_is_lent_and_the_killed_lender_gives_nothing_away(world, make_container):
    first = make_container(world, [_share(world, 20, ceiling=100)])
    second = make_container(world, [_share(world, 40)])
    with subprocess.Popen([first.client("lend"), str(first.folder), str(second.folder)],
                          env={**os.environ, "ALIQUOT_SIMGPU_WORLD": str(world.file)},
                          stdout=subprocess.PIPE, text=True) as lender:
        lender.stdout.readline()
        try:
            borrower = first.start(["burn", "--ns", _MS, "--seconds", 120])
            time.sleep(1)
            assert _card_busy(world, 1) > 0.8
            assert _used(second, 3, _MS) > 0.3
            assert borrower.poll() is None
            time.sleep(1)
            assert _card_busy(world, 1) > 0.8
        finally:
            lender.send_signal(signal.SIGKILL)
    time.sleep(1.2)
    assert _card_busy(world, 2) < 0.35
    borrower.kill()
