# SPDX-License-Identifier: Apache-2.0
"""What NVML shows, through NVIDIA's own nvidia-ml-py, as one line of JSON. Arguments: UUIDs (with V:
before one, by the newer function), PCI addresses and serial numbers to look up. An error is shown as
its number."""
import ctypes
import json
import sys

import pynvml


def ask(function, *arguments, **options):
    """The answer, or the number of the error."""
    try:
        return function(*arguments, **options)
    except pynvml.NVMLError as error:
        return error.value


def numbers(memory):
    return {name: getattr(memory, name) for name, _ in memory._fields_}  # pylint: disable=protected-access


def processes(function, handle):
    listed = ask(function, handle)
    return listed if isinstance(listed, int) else [[row.pid, row.usedGpuMemory] for row in listed]


def oldest_list(handle):
    """By the function that NVML had first."""
    class Row(ctypes.Structure):
        _fields_ = [("pid", ctypes.c_uint), ("bytes", ctypes.c_ulonglong)]
    count, rows = ctypes.c_uint(64), (Row * 64)()
    must(pynvml.nvmlLib.nvmlDeviceGetComputeRunningProcesses(handle, ctypes.byref(count), rows))
    return [[row.pid, row.bytes] for row in rows[:count.value]]


def details(handle):
    listed = ask(pynvml.nvmlDeviceGetRunningProcessDetailList, handle, pynvml.nvmlProcessDetailList_v1,
                 0)
    return listed if isinstance(listed, int) else [[row.pid, row.usedGpuMemory] for row in listed]


def accounts(handle):
    """Of the accounted processes, and of those that others say are on the card: what is told."""
    told = {pid: ask(pynvml.nvmlDeviceGetAccountingStats, handle, pid)
            for pid in pynvml.nvmlDeviceGetAccountingPids(handle)}
    return {pid: each if isinstance(each, int) else each.maxMemoryUsage for pid, each in told.items()}


def utilization(handle):
    rates = ask(pynvml.nvmlDeviceGetUtilizationRates, handle)
    return rates if isinstance(rates, int) else [rates.gpu, rates.memory]


def samples(handle):
    listed = ask(pynvml.nvmlDeviceGetProcessUtilization, handle, 0)
    return listed if isinstance(listed, int) else [[row.pid, row.smUtil] for row in listed]


def must(result):
    if result:
        raise pynvml.NVMLError(result)


def old_way():
    """UUIDs by the functions that NVML had first; a newer one calls the new ones from there."""
    count, handle = ctypes.c_uint(0), pynvml.c_nvmlDevice_t()
    must(pynvml.nvmlLib.nvmlDeviceGetCount(ctypes.byref(count)))
    uuids = []
    for index in range(count.value):
        must(pynvml.nvmlLib.nvmlDeviceGetHandleByIndex(index, ctypes.byref(handle)))
        uuids.append(pynvml.nvmlDeviceGetUUID(handle))
    return uuids


def card(index):
    handle = ask(pynvml.nvmlDeviceGetHandleByIndex, index)
    if isinstance(handle, int):
        return {"error": handle}
    # The first look of a process at the load waits for a quarter of a second, and begins the next.
    return {
        "uuid": pynvml.nvmlDeviceGetUUID(handle),
        "index": pynvml.nvmlDeviceGetIndex(handle),
        "pci": pynvml.nvmlDeviceGetPciInfo(handle).busId,
        "memory": numbers(pynvml.nvmlDeviceGetMemoryInfo(handle)),
        "memory2": numbers(pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2)),
        "computing": processes(pynvml.nvmlDeviceGetComputeRunningProcesses, handle),
        "details": details(handle),
        "accounts": accounts(handle),
        "computing1": oldest_list(handle),
        "computing2": processes(pynvml.nvmlDeviceGetComputeRunningProcesses_v2, handle),
        "drawing": processes(pynvml.nvmlDeviceGetGraphicsRunningProcesses, handle),
        "utilization": utilization(handle),
        "samples": samples(handle),
        "history": ask(pynvml.nvmlDeviceGetSamples, handle, pynvml.NVML_GPU_UTILIZATION_SAMPLES, 0),
        "near": len(ask(pynvml.nvmlDeviceGetTopologyNearestGpus, handle,
                        pynvml.NVML_TOPOLOGY_SYSTEM)),
    }


def looked_up(name):
    if name.startswith("V:"):
        handle = ask(pynvml.nvmlDeviceGetHandleByUUIDV, name[2:].encode(), pynvml.NVML_UUID_TYPE_ASCII)
    else:
        function = (pynvml.nvmlDeviceGetHandleByUUID if name.startswith("GPU-") else
                    pynvml.nvmlDeviceGetHandleByPciBusId if ":" in name else
                    pynvml.nvmlDeviceGetHandleBySerial)
        handle = ask(function, name.encode())
    return handle if isinstance(handle, int) else pynvml.nvmlDeviceGetUUID(handle)


def main():
    pynvml.nvmlInit()
    count = pynvml.nvmlDeviceGetCount()
    print(json.dumps({"count": count, "oldWay": ask(old_way),
                      "cards": [card(index) for index in range(count)],
                      "past": card(count),
                      "nearProcessor": len(pynvml.nvmlSystemGetTopologyGpuSet(0)),
                      "found": [looked_up(name) for name in sys.argv[1:]]}))
    pynvml.nvmlShutdown()


main()
