# SPDX-License-Identifier: Apache-2.0
"""A simple model of a container's memory, and random operations whose every answer it checks.

The model knows what the program asked for and was given, and asks the driver what its pools have reserved;
it knows nothing of how the library counts. Two processes share a limit:

- a request that fits into what is free must be granted;
- a request may be refused only if it does not fit even when all unused pool memory of the process has been
  given back;
- what is granted never makes what was asked for more than the limit, of which the agent may take something off;
- after every operation what cuMemGetInfo calls free, and what the usage file says is held, are the model's.
"""
import dataclasses
import mmap
import struct
import time

from memory_client import INVALID_VALUE, MIB, OUT_OF_MEMORY, SUCCESS, MemoryClient

_CELLS_AT, _SLOT_BYTES, _SLOTS = 4096, 1088, 64
_HELD_AT = 64
_POOLS = (0, 1, 2)  # 0 is the driver's own


@dataclasses.dataclass
class _Physical:
    bytes: int
    references: int = 1
    mapped: bool = False


@dataclasses.dataclass
class _Held:
    """Something in linear memory, or an array."""
    release: str
    bytes: int
    context: int = 0
    pool: int = -1  # from a pool: charged by what that has reserved; -1: by itself


class Process:
    """One client and what the model says that it holds."""

    def __init__(self, container):
        self.client = MemoryClient(container)
        self.held = {}  # (table of the client, index) -> _Held
        self.physical = {}
        self.execs = {}
        self.imports = {}  # index -> the exporting Process and its index
        self.lent = {}  # own index -> how many have it open
        self.context = 0
        self.pools = {0: (0, 0)}  # -> reserved, used
        self.graphs = 0
        self.client.must("poolof", 0, 0)
        self._next = 0

    def index(self):
        """Of the next object: never one that is alive."""
        taken = {index for _, index in self.held} | set(self.physical) | set(self.execs) | set(self.imports)
        while self._next in taken:
            self._next = (self._next + 1) % 200
        return self._next

    def asked(self):
        """Bytes that it was given, without what pools keep."""
        return (sum(each.bytes for each in self.held.values() if each.pool < 0) +
                sum(each.bytes for each in self.physical.values() if each.references or each.mapped))

    def total(self):
        return self.asked() + sum(reserved for reserved, _ in self.pools.values()) + self.graphs

    def used(self):
        return self.asked() + sum(used for _, used in self.pools.values())

    def observe(self):
        """What the driver's pools hold now."""
        for pool in self.pools:
            self.client.must("poolinfo", pool)
            self.pools[pool] = (self.client.last["reserved"], self.client.last["used"])
        self.client.must("graphinfo")
        self.graphs = self.client.last["reserved"]

    def trim(self):
        for pool in self.pools:
            self.client.must("trim", pool, 0)
        self.client.must("graphtrim")


class Stress:
    """Random operations of the processes of one container. `random` decides everything."""

    def __init__(self, container, limit, random):
        self.container = container
        self.limit = limit
        self.overhead = 0  # what the agent takes off the limit
        self.random = random
        self.processes = [Process(container), Process(container)]
        self.counts = {}
        with open(container.usage.path, "rb") as file:
            self._usage = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        self._operations = [
            (5, self.linear), (3, self.array), (5, self.pool_memory), (3, self.create), (9, self.release),
            (1, self.double_free), (3, self.handle), (1, self.make_pool), (1, self.end_pool), (1, self.settle),
            (2, self.graph), (1, self.share), (1, self.unshare), (1, self.context), (0.3, self.agent_looks),
            (0.02, self.kill)]

    def run(self, count):
        weights = [weight for weight, _ in self._operations]
        for number in range(count):
            operation, = self.random.choices([call for _, call in self._operations], weights)
            process = self.random.choice(self.processes)
            try:
                process = operation(process) or process
                self.check(process)
            except AssertionError as error:
                raise AssertionError(f"operation {number}, {operation.__name__}: {error}") from error
            self.counts[operation.__name__] = self.counts.get(operation.__name__, 0) + 1

    def total(self):
        return sum(process.total() for process in self.processes)

    def used(self):
        return sum(process.used() for process in self.processes)

    def held(self):
        """What the usage file says."""
        return sum(struct.unpack_from("=Q", self._usage, _CELLS_AT + _SLOT_BYTES * slot + _HELD_AT)[0]
                   for slot in range(_SLOTS))

    def room(self):
        return self.limit - self.overhead

    def check(self, process):
        """After an operation of the process."""
        process.client.must("info")
        free = process.client.last["free"]
        process.observe()
        total, held = self.total(), self.held()
        assert held == total, f"the usage file says {held}, the model {total}"
        assert free == max(0, self.room() - total), f"{free} free, {total} held, {self.overhead} overhead"
        assert self.used() <= self.limit, f"{self.used()} bytes were granted"

    def close(self):
        self.container.limits.set_live(0)
        self._usage.close()
        for process in self.processes:
            process.client.end()

    # Requests.

    def _size(self):
        """Mostly small, now and then much of the limit."""
        kind = self.random.random()
        if kind < 0.3:
            return self.random.randrange(1, MIB)
        if kind < 0.9:
            return self.random.randrange(1, 40) * MIB
        return self.random.randrange(1, self.limit // MIB + 2) * MIB

    def _request(self, process, need, *words):
        """Whether it was granted. `need()` says by how much what is held would grow, at present."""
        growth = need()
        before, least = self.total() + growth, self.used() + growth
        result = process.client(*words)
        if result == SUCCESS:
            assert growth == 0 or least <= self.room(), f"{words} was granted: {least} of {self.room()}"
            return True
        assert result == OUT_OF_MEMORY, f"{words}: {result}"
        assert before > self.room(), f"{words} was refused with {self.room() - self.total()} free"
        process.observe()
        kept, graphs = dict(process.pools), process.graphs
        process.trim()
        process.observe()
        assert self.total() + need() > self.room(), (
            f"{words} was refused without a trim that would have done: {self.total()} + {need()} after one; "
            f"pools before {kept}, after {process.pools}, graphs {graphs}, {process.graphs}")
        return False

    def linear(self, process):
        index, size = process.index(), self._size()
        kind = self.random.choice(["alloc", "alloc", "managed", "pitch"])
        if kind == "pitch":
            width, height = 512 * self.random.randrange(1, 2048), self.random.randrange(1, 300)
            size = width * height
            words = (kind, index, width, height)
        else:
            words = (kind, index, size)
        if self._request(process, lambda: size, *words):
            process.held["pointer", index] = _Held("free", size, process.context)

    def array(self, process):
        index, mib = process.index(), self.random.randrange(1, 60)
        words, release = self.random.choice([
            (("array2", index, 256, 1024 * mib), "arrayend"),
            (("array", index, 512, 512, mib, 0x20, 1, 0), "arrayend"),
            (("mipmap", index, 512, 512, mib, 1, 0), "mipmapend")])
        if self._request(process, lambda: mib * MIB, *words):
            process.held[release, index] = _Held(release, mib * MIB, process.context)

    def pool_memory(self, process):
        if process.context:
            return
        index, size = process.index(), self.random.randrange(1, 4000) * 32 * 512
        pool = self.random.choice(list(process.pools))

        def need():
            reserved, used = process.pools[pool]
            return max(0, size - (reserved - used))

        words = ("async", index, size) if pool == 0 else ("frompool", index, pool, size)
        if self._request(process, need, *words):
            process.held["pointer", index] = _Held("asyncfree", size, 0, pool)

    def create(self, process):
        index, size = process.index(), 2 * MIB * self.random.randrange(1, 80)
        if self._request(process, lambda: size, "create", index, size):
            process.physical[index] = _Physical(size)

    def graph(self, process):
        if process.context:
            return
        if process.execs and self.random.random() < 0.3:
            index, _ = process.execs.popitem()
            process.client.must("execend", index)
            return
        if not process.execs or self.random.random() < 0.3:
            index, sizes = process.index(), [self.random.randrange(1, 200) * MIB for _ in range(2)]
            process.client.must("graph", index, *sizes)
            process.execs[index] = sum(sizes)
        index = self.random.choice(list(process.execs))
        size = process.execs[index]
        self._request(process, lambda: max(0, size - process.graphs), self.random.choice(["launch", "upload"]), index)

    # Gifts.

    def _some_held(self, process):
        keys = [key for key in process.held if key[1] not in process.lent or key[0] != "pointer"]
        return self.random.choice(keys) if keys else None

    def release(self, process):
        key = self._some_held(process)
        if key is None:
            return
        held = process.held[key]
        verb = held.release
        if verb == "asyncfree" and process.context:
            return
        if verb == "free":
            verb = self.random.choice(["free", "freeother"])
        process.client.must(verb, key[1])
        del process.held[key]

    def double_free(self, process):
        key = self._some_held(process)
        if key is None or process.held[key].release != "free":
            return
        process.client.must("free", key[1])
        del process.held[key]
        for verb in ("free", "freeother"):
            result = process.client(verb, key[1])
            assert result == INVALID_VALUE, f"a second {verb}: {result}"

    def handle(self, process):
        """Something with a physical allocation; what it may not do is refused by the driver."""
        if not process.physical:
            return
        index = self.random.choice(list(process.physical))
        physical = process.physical[index]
        verb = self.random.choice(["map", "unmap", "release", "retain"])
        allowed = {"map": physical.references and not physical.mapped, "unmap": physical.mapped,
                   "release": physical.references, "retain": physical.mapped}[verb]
        if not allowed:
            return
        process.client.must(verb, index)
        physical.references += {"retain": 1, "release": -1}.get(verb, 0)
        physical.mapped = {"map": True, "unmap": False}.get(verb, physical.mapped)
        if not physical.references and not physical.mapped:
            assert process.client("release", index) != SUCCESS, "a handle that is gone was released"
            del process.physical[index]

    def make_pool(self, process):
        pool = self.random.choice([pool for pool in _POOLS if pool])
        if pool not in process.pools:
            process.client.must("pool", pool, 0)
            process.client.must("keep", pool, self.random.choice([0, 64 * MIB, self.limit]))
            process.pools[pool] = (0, 0)

    def end_pool(self, process):
        pools = [pool for pool in process.pools if pool]
        if not pools:
            return
        pool = self.random.choice(pools)
        process.client.must("poolend", pool)
        del process.pools[pool]
        for held in process.held.values():
            if held.pool == pool:  # from now on by itself
                held.pool = -1

    def settle(self, process):
        if process.context:
            return
        if self.random.random() < 0.5:
            process.client.must("sync")
        elif self.random.random() < 0.5:
            process.trim()
        else:
            process.client.must("trim", self.random.choice(list(process.pools)), 32 * MIB)

    def share(self, process):
        """The other process opens memory of this one."""
        other = next(each for each in self.processes if each is not process)
        keys = [key for key, held in process.held.items()
                if held.release == "free" and held.context == 0 and key[1] not in process.lent and held.bytes >= 2 * MIB]
        if not keys or other.context or process.context:
            return
        _, index = self.random.choice(keys)
        if process.client("ipcget", index, index) != SUCCESS:
            return  # managed memory cannot be given
        place = other.index()
        other.client.must("ipcopen", place, index)
        other.imports[place] = (process, index)
        process.lent[index] = 1

    def unshare(self, process):
        for place, (owner, index) in list(process.imports.items()):
            process.client.must("ipcclose", place)
            del owner.lent[index]
            del process.imports[place]

    def context(self, process):
        """A context of its own begins, or ends with all that was allocated in it."""
        if not process.context:
            process.client.must("context", 1)
            process.context = 1
            return
        process.client.must("contextend", 1)
        process.context = 0
        process.held = {key: held for key, held in process.held.items() if not held.context}

    def agent_looks(self, process):
        """What contexts take is found, and comes off the limit; what is held stays held."""
        del process
        self.overhead = self.random.choice([0, 300 * MIB, self.random.randrange(self.limit // 2)])
        self.container.limits.set_live(0, overhead=self.overhead)

    def kill(self, process):
        """By kill -9; another takes its place. Who looks into the dead process's memory just then (a monitor) keeps it a
        moment longer."""
        for each in self.processes:
            self.unshare(each)
        process.client.kill()
        fresh = Process(self.container)
        self.processes[self.processes.index(process)] = fresh
        deadline = time.monotonic() + 10
        fresh.client.must("info")
        while self.held() != self.total() and time.monotonic() < deadline:
            fresh.client.must("info")
        return fresh
