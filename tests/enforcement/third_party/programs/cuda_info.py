# SPDX-License-Identifier: Apache-2.0
"""cuMemGetInfo and cuDeviceTotalMem in both their forms, with each pointer or none, as one line of
JSON: result and what was written (null where no pointer was given)."""
import ctypes
import itertools
import json


def main():
    cuda = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    assert cuda.cuInit(0) == 0
    without = [call(cuda.cuMemGetInfo_v2, ctypes.c_size_t, 2)]
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    print(json.dumps({
        "without context": without,
        "info": calls(cuda.cuMemGetInfo_v2, ctypes.c_size_t, 2),
        "info of CUDA 2": calls(cuda.cuMemGetInfo, ctypes.c_uint, 2),
        "total": calls(cuda.cuDeviceTotalMem_v2, ctypes.c_size_t, 1, 0),
        "total of CUDA 2": calls(cuda.cuDeviceTotalMem, ctypes.c_uint, 1, 0),
        "no device": calls(cuda.cuDeviceTotalMem_v2, ctypes.c_size_t, 1, 99),
    }))


def calls(function, number, count, *more):
    return [call(function, number, count, *more, given=given)
            for given in itertools.product((True, False), repeat=count)]


def call(function, number, count, *more, given=None):
    given = given or (True,) * count
    written = [number(7) if each else None for each in given]
    result = function(*(ctypes.byref(each) if each is not None else None for each in written), *more)
    return [result, *(None if each is None else each.value for each in written)]


main()
