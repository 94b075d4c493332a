# SPDX-License-Identifier: Apache-2.0
"""Names as a loader asks for them: standard input has one a line. Prints, as JSON, those of NVML
that are missing and what cuGetProcAddress_v2 says of each of CUDA: result, status, found or not."""
import ctypes
import json
import sys

_VERSIONS = (11030, 12020)


def main():
    cuda = ctypes.CDLL("libcuda.so.1")
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    missing = []
    asked = {}
    for name in sys.stdin.read().split():
        if name.startswith("nvml"):
            missing += [] if hasattr(nvml, name) else [name]
            continue
        for version in _VERSIONS:
            found, status = ctypes.c_void_p(), ctypes.c_int(-1)
            result = cuda.cuGetProcAddress_v2(name.encode(), ctypes.byref(found), version,
                                              ctypes.c_uint64(0), ctypes.byref(status))
            asked[f"{name}@{version}"] = [result, status.value, bool(found.value)]
    print(json.dumps({"missing": missing, "asked": asked}))


main()
