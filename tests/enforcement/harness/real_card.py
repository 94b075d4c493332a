# SPDX-License-Identifier: Apache-2.0
"""The machine's own cards in the place of a simulated machine, for `make test-gpu`: the programs then find the
real driver as any program does. Figures are the driver's, by NVML."""
import ctypes
import os
import pathlib

from .world import build_folder

_CARDS = pathlib.Path("/proc/driver/nvidia/gpus")


def missing():
    """Why there is no card to test with, in one sentence; empty where there is one. Loads no library of NVIDIA's:
    as root they would make device nodes on a machine without a card."""
    if not _CARDS.is_dir() or not any(_CARDS.iterdir()):
        return (f"this machine has no NVIDIA card with its driver loaded ({_CARDS} names none), so nothing was run: "
                "use a machine with one, or `make test` for the simulated cards")
    return ""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint),
                ("compute_instance", ctypes.c_uint)]


class RealMachine:
    """What harness.world.World is for a simulated machine, as far as a real one can be."""

    real = True

    def __init__(self):
        self.build = build_folder()
        self.libraries = self.build / "tests" / "simgpu" / "lib"  # to link against, never to run with
        self._nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self._ask("nvmlInit_v2")

    def _ask(self, name, *arguments):
        result = getattr(self._nvml, name)(*arguments)
        if result:
            raise RuntimeError(f"{name} answered {result}")

    def _cards(self):
        """(UUID, handle) of every card, in NVML's order."""
        count = ctypes.c_uint()
        self._ask("nvmlDeviceGetCount_v2", ctypes.byref(count))
        for index in range(count.value):
            handle, text = ctypes.c_void_p(), ctypes.create_string_buffer(96)
            self._ask("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle))
            self._ask("nvmlDeviceGetUUID", handle, text, len(text))
            yield text.value.decode(), handle

    def uuids(self):
        return [uuid for uuid, _ in self._cards()]

    def card(self, uuid):
        """{"uuid", "used", "processes": [{"pid", "used"}]} of one card."""
        handle = dict(self._cards())[uuid]
        memory, room = _Memory(), 1024
        self._ask("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
        rows, count = (_Process * room)(), ctypes.c_uint(room)
        self._ask("nvmlDeviceGetComputeRunningProcesses_v3", handle, ctypes.byref(count), rows)
        return {"uuid": uuid, "used": memory.used,
                "processes": [{"pid": row.pid, "used": row.used} for row in rows[:count.value]]}

    def show(self):
        return {"cards": [self.card(uuid) for uuid in self.uuids()]}

    def environment(self):
        """The tester's own search path, where the driver is in no usual place; CUDA's order is NVML's."""
        found = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
        if "LD_LIBRARY_PATH" in os.environ:
            found["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        return found
