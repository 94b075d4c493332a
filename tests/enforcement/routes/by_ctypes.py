# SPDX-License-Identifier: Apache-2.0
"""by_ctypes.py NAME: what lookup.c reports, through ctypes; NAME "-" is the program itself."""
import ctypes
import json
import os
import sys


def mapped(prefix):
    """Whether a mapped file's name begins like that."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return any(line.rpartition("/")[2].startswith(prefix) for line in maps if "/" in line)


def main():
    """Prints the line."""
    driver = ctypes.CDLL(None if sys.argv[1] == "-" else sys.argv[1])
    if not hasattr(driver, "cuInit"):
        print(json.dumps({"error": "not found"}))
        return
    limit = int(os.environ["ROUTE_LIMIT"])
    device, context = ctypes.c_int(), ctypes.c_void_p()
    free, total, pointer = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_ulonglong()
    answers = [driver.cuInit(0), driver.cuDeviceGet(ctypes.byref(device), 0),
               driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
               driver.cuCtxSetCurrent(context),
               driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))]
    if any(answers):
        sys.exit(f"the driver fails: {answers}")
    asked = []
    for size in (limit + (1 << 30), limit // 4):
        asked.append(driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)))
        if asked[-1] == 0:
            driver.cuMemFree_v2(pointer)
    print(json.dumps({"total": total.value, "over": asked[0], "under": asked[1],
                      "driver": mapped("libcuda.so"), "library": mapped("libaliquot.so")}))


if __name__ == "__main__":
    main()
