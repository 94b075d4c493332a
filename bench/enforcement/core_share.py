# SPDX-License-Identifier: Apache-2.0
"""How well shares of a card are held, in real time on the simulated card: what each gets over ten
seconds, and how soon a change holds. GPU time is the simulated card's own count, by process."""
import dataclasses
import os
import signal
import subprocess
import tempfile
import time

from harness.container import Container
from harness.limits import Share
from harness.world import World

_SECONDS = float(os.environ.get("BENCH_SHARE_SECONDS", "10"))
_WARM_SECONDS = 5.0  # long kernels of several shares take a while to be known
_GIB = 1 << 30
_KERNELS = {"10 us": 10_000, "1 ms": 1_000_000, "10 ms": 10_000_000, "100 ms": 100_000_000}
_NEAR_POINTS = 3.0


def _burn(kind):
    """The client's words for one kind of work."""
    if kind == "graphs":
        return ["--ns", 100_000, "--mode", "graph", "--nodes", 10]
    words = ["--ns", _KERNELS[kind]]
    # Small kernels are fed in long queues: it is the card that should be busy, not the program.
    return words + ["--depth", 800] if _KERNELS[kind] < 100_000 else words


@dataclasses.dataclass
class Tenant:
    """One container with work for the card."""
    core: int
    work: list
    ceiling: int = 0


class Card:
    """One card with tenants on it, and what the agent would do for them; `held` False: no library."""

    def __init__(self, tenants, *, held=True):
        self._folder = tempfile.TemporaryDirectory(dir="/dev/shm")  # pylint: disable=consider-using-with
        self.world = World(self._folder.name)
        uuid = self.world.uuids()[0]
        self.tenants = tenants
        self.containers = [
            Container(self.world, [Share(uuid, core=each.core, memory=8 * _GIB, ceiling=each.ceiling)],
                      preload="file" if held else None)
            for each in tenants]
        self._programs = {}
        self.lender = None
        if held:
            tool = self.containers[0].client("lend")
            self.lender = subprocess.Popen(  # pylint: disable=consider-using-with
                [tool, *[str(container.folder) for container in self.containers]],
                env={**os.environ, "ALIQUOT_SIMGPU_WORLD": str(self.world.file)},
                stdout=subprocess.PIPE, text=True)
            self.lender.stdout.readline()

    def start(self, index):
        self._programs[index] = self.containers[index].start(
            ["burn", "--seconds", 3600, *self.tenants[index].work])

    def stop(self, index):
        self._programs.pop(index).kill()

    def busy(self):
        """(time, [GPU time of each tenant]) in seconds."""
        show = self.world.show()
        by_pid = {each["pid"]: each["busyNs"] / 1e9 for each in show["cards"][0]["processes"]}
        return show["now"] / 1e9, [by_pid.get(self._programs[i].pid, 0.0) if i in self._programs else 0.0
                                   for i in range(len(self.tenants))]

    def shares(self, seconds):
        """Percent of the card that each tenant gets from now on."""
        begin, before = self.busy()
        time.sleep(seconds)
        end, after = self.busy()
        return [(late - early) / (end - begin) * 100 for early, late in zip(before, after)]

    def trace(self, seconds):
        """[(seconds from now, [GPU time of each])], ten times a second."""
        begin = time.monotonic()
        origin, _ = self.busy()
        points = []
        while time.monotonic() - begin < seconds:
            now, busy = self.busy()
            points.append((now - origin, busy))
            time.sleep(0.1)
        return points

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.lender is not None:
            self.lender.kill()
            self.lender.wait()
            self.lender.stdout.close()
        for container in self.containers:
            container.close()
        self._folder.cleanup()


def _held(tenants):
    """The worst error of the tenants' shares in points, and all of them."""
    with Card(tenants) as card:
        for index in range(len(tenants)):
            card.start(index)
        time.sleep(_WARM_SECONDS)
        shares = card.shares(_SECONDS)
    return max(abs(got - each.core) for got, each in zip(shares, tenants)), shares


def _lone(kind, *, held):
    """Percent of the card that a share of 20 % gets alone, which may use all of it."""
    with Card([Tenant(20, _burn(kind), 100)], held=held) as card:
        card.start(0)
        time.sleep(_WARM_SECONDS)
        return card.shares(_SECONDS / 2)[0]


def _lost(kind):
    """Percent of what the program gets without the library that it does not get with it; the median
    of three pairs, and what it gets without."""
    pairs = [(_lone(kind, held=False), _lone(kind, held=True)) for _ in range(3)]
    losses = sorted((bare - held) / bare * 100 for bare, held in pairs)
    return losses[1], max(bare for bare, _ in pairs)


def _near_after(points, tenant, wanted):
    """Seconds until the tenant's use over the second that follows is what is wanted; None: never."""
    for at, busy in points:
        later = next((point for point in points if point[0] >= at + 1), None)
        if later is None:
            return None
        used = (later[1][tenant] - busy[tenant]) / (later[0] - at) * 100
        if wanted(used):
            return at
    return None


def _about(percent):
    return lambda used: abs(used - percent) <= _NEAR_POINTS


def _changed_limit():
    """A share of 80 % becomes one of 20 %, and back."""
    seconds = []
    with Card([Tenant(80, _burn("1 ms"))]) as card:
        card.start(0)
        time.sleep(_WARM_SECONDS)
        uuid = card.containers[0].limits.shares[0].uuid
        for percent in (20, 80):
            card.containers[0].limits.replace([Share(uuid, core=percent, memory=8 * _GIB)])
            seconds.append(_near_after(card.trace(4), 0, _about(percent)))
    return seconds


def _borrowing():
    """Seconds until idle capacity is taken, given back, and given up without a lender."""
    with Card([Tenant(30, _burn("1 ms"), 100), Tenant(50, _burn("1 ms"))]) as card:
        card.start(0)
        card.start(1)
        time.sleep(_WARM_SECONDS)
        card.stop(1)
        taken = _near_after(card.trace(4), 0, lambda used: used >= 100 - _NEAR_POINTS)
        card.start(1)
        back = _near_after(card.trace(4), 1, lambda used: used >= 50 - _NEAR_POINTS)
        card.stop(1)
        time.sleep(_WARM_SECONDS)
        card.lender.send_signal(signal.SIGKILL)
        given_up = _near_after(card.trace(4), 0, _about(30))
    return taken, back, given_up


def _matrix():
    kinds = [*_KERNELS, "graphs"]
    for kind in kinds:
        for percent in (10, 20, 50, 80):
            yield f"one share of {percent} %, {kind}", [Tenant(percent, _burn(kind))]
    for kind in kinds:
        yield f"two shares, {kind}", [Tenant(30, _burn(kind)), Tenant(50, _burn(kind))]
        yield f"five shares, {kind}", [Tenant(core, _burn(kind)) for core in (10, 10, 20, 20, 30)]


def measure(say=print):
    """Rows as docs/reference/bench.md describes them."""
    rows = []

    def add(name, value, unit, target):
        rows.append({"name": name, "value": None if value is None else round(value, 3), "unit": unit,
                     "baseline": None, "target": target})
        say(f"{name}: {rows[-1]['value']} {unit}")

    only = os.environ.get("BENCH_SHARE_ONLY", "")
    for name, tenants in _matrix():
        if only in name:
            worst, shares = _held(tenants)
            add(f"share error, {name}", worst, "points", 2)
            rows[-1]["shares"] = [round(share, 2) for share in shares]
    if only:
        return rows
    for kind in ("10 us", "1 ms", "100 ms", "graphs"):
        lost, without = _lost(kind)
        add(f"lost by a lone share with ceiling 100, {kind}", lost, "%", 2)
        rows[-1]["percent_of_card_without"] = round(without, 1)
    for name, seconds in zip(("to 20 %", "to 80 %"), _changed_limit()):
        add(f"a changed limit holds, {name}", seconds, "s", 1)
    for name, seconds in zip(("idle capacity is taken", "idle capacity is given back",
                              "the lender is killed: the guaranteed share holds"), _borrowing()):
        add(name, seconds, "s", 1)
    return rows
