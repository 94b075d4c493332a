# SPDX-License-Identifier: Apache-2.0
"""A share through NVIDIA's cuda-bindings, as one line of JSON. Arguments: bytes to ask for, one
after the other; what was given is kept."""
import json
import sys

from cuda.bindings import driver


def must(answer):
    assert answer[0] == driver.CUresult.CUDA_SUCCESS, answer
    return answer[1] if len(answer) == 2 else answer[1:]


def main():
    must(driver.cuInit(0))
    device = must(driver.cuDeviceGet(0))
    must(driver.cuCtxSetCurrent(must(driver.cuDevicePrimaryCtxRetain(device))))
    begin = must(driver.cuMemGetInfo())
    results = [int(driver.cuMemAlloc(int(size))[0]) for size in sys.argv[1:]]
    print(json.dumps({
        "count": must(driver.cuDeviceGetCount()), "uuid": must(driver.cuDeviceGetUuid(device)).bytes.hex(),
        "total": must(driver.cuDeviceTotalMem(device)), "begin": begin, "results": results,
        "end": must(driver.cuMemGetInfo())}))


main()
