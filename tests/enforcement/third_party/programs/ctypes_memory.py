# SPDX-License-Identifier: Apache-2.0
"""A share by ctypes alone, as one line of JSON. Arguments: the library's name, path, or "None" for
what the process has already; then bytes to ask for."""
import ctypes
import json
import sys


def main():
    name = sys.argv[1]
    if name == "None":
        ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
    cuda = ctypes.CDLL(None if name == "None" else name)
    device, count = ctypes.c_int(), ctypes.c_int()
    context, total = ctypes.c_void_p(), ctypes.c_size_t()
    uuid = (ctypes.c_ubyte * 16)()

    def must(result):
        assert result == 0, result

    def info():
        free, whole = ctypes.c_size_t(), ctypes.c_size_t()
        must(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(whole)))
        return [free.value, whole.value]

    must(cuda.cuInit(0))
    must(cuda.cuDeviceGetCount(ctypes.byref(count)))
    must(cuda.cuDeviceGet(ctypes.byref(device), 0))
    must(cuda.cuDeviceGetUuid(uuid, device))
    must(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device))
    must(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    must(cuda.cuCtxSetCurrent(context))
    begin = info()
    pointer = ctypes.c_uint64()
    results = [cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(int(size)))
               for size in sys.argv[2:]]
    print(json.dumps({"count": count.value, "uuid": bytes(uuid).hex(), "total": total.value,
                      "begin": begin, "results": results, "end": info()}))


main()
