# SPDX-License-Identifier: Apache-2.0
"""The two files between agent and container, written and read by src/quota/FORMAT.md alone: this is
an independent reader and writer of that format, not a binding of the C++ one."""
import dataclasses
import mmap
import os
import pathlib
import struct
import time

RECORD_BYTES = 3088
USAGE_BYTES = 73728
_MAX_CARDS = 16
_SLOTS = 64
_ISOLATION = {"none": 0, "library": 1, "driver": 2, "mps": 3, "mig": 4}
_CHECKED = slice(24, 2568)
_CARDS_AT = 520
_LIVE_AT = 2568
_LIVE = struct.Struct("=IIQQq")
_CELLS_AT = 4096
_SLOT_BYTES = 1088


@dataclasses.dataclass
class Share:
    """What a container may use of one card. memory 0 = the whole card; ceiling 0 = core."""
    uuid: str
    core: int = 100
    memory: int = 0
    ceiling: int = 0
    minor: int = 0


@dataclasses.dataclass
class Cell:
    """What one process says of one card."""
    held: int
    pending: int
    peak: int
    busy_ns: int
    launches: int
    throttled_ns: int
    denied: int


def _fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def record_bytes(shares, isolation="library"):
    """A limits record for these cards, in this order."""
    record = bytearray(RECORD_BYTES)
    struct.pack_into("=8sHHI", record, 0, b"ALQLIMIT", 1, 0, RECORD_BYTES)
    struct.pack_into("=II", record, 24, len(shares), _ISOLATION[isolation])
    for place, text in ((32, b"11111111-2222-3333-4444-555555555555"), (72, b"main"), (136, b"pod"),
                        (392, b"default")):
        record[place:place + len(text)] = text
    for index, share in enumerate(shares):
        struct.pack_into("=48sIIIIQ", record, _CARDS_AT + 128 * index, share.uuid.encode(), share.minor,
                         share.core, share.ceiling or share.core, 0, share.memory)
    struct.pack_into("=Q", record, 16, _fnv1a(record[_CHECKED]))
    return bytes(record)


class LimitsFile:
    """limits/record of one container, as the agent keeps it."""

    def __init__(self, folder, shares, isolation="library"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "record"
        self.shares = list(shares)
        self.isolation = isolation
        self.replace()

    def replace(self, shares=None, isolation=None, data=None):
        """A new record by rename; `data` to write something else than a record."""
        self.shares = list(shares) if shares is not None else self.shares
        self.isolation = isolation or self.isolation
        made = self.folder / ".record.new"
        made.write_bytes(record_bytes(self.shares, self.isolation) if data is None else data)
        made.chmod(0o644)
        made.rename(self.path)

    def set_live(self, card, *, percent=0, valid_ns=1_000_000_000, overhead=0, correction_ns=0):
        """Live values of a card, in place under the sequence lock. `percent` holds for `valid_ns`."""
        with open(self.path, "r+b") as file, mmap.mmap(file.fileno(), RECORD_BYTES) as place:
            sequence, = struct.unpack_from("=Q", place, _LIVE_AT)
            struct.pack_into("=Q", place, _LIVE_AT, sequence + 1)
            until = time.monotonic_ns() + valid_ns if percent else 0
            _LIVE.pack_into(place, _LIVE_AT + 8 + 32 * card, percent, 0, until, overhead, correction_ns)
            struct.pack_into("=Q", place, _LIVE_AT, sequence + 2)


class UsageFile:
    """The usage region of one container."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        region = bytearray(USAGE_BYTES)
        struct.pack_into("=8sHHIII", region, 0, b"ALQUSAGE", 1, 0, USAGE_BYTES, _SLOTS, _MAX_CARDS)
        self.path.write_bytes(region)
        self.path.chmod(0o666)

    def slots(self):
        """{slot: (pid, [Cell per card])} of every slot that was ever taken and not given back."""
        region = self.path.read_bytes()
        found = {}
        for index in range(_SLOTS):
            at = _CELLS_AT + _SLOT_BYTES * index
            pid, = struct.unpack_from("=I", region, at)
            cells = [Cell(*struct.unpack_from("=QQQQQQQ", region, at + 64 + 64 * card))
                     for card in range(_MAX_CARDS)]
            if pid or any(cell.held or cell.launches for cell in cells):
                found[index] = (pid, cells)
        return found

    def held(self, card=0):
        return sum(cells[card].held for _, cells in self.slots().values())

    def total(self, field, card=0):
        return sum(getattr(cells[card], field) for _, cells in self.slots().values())


def own_tmpfs_folder():
    """A folder on a file system whose record locks live as long as a mapping (not an overlay)."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
