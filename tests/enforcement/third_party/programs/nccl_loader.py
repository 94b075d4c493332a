# SPDX-License-Identifier: Apache-2.0
"""NCCL loaded and asked, as one line of JSON. Argument: libnccl.so.2."""
import ctypes
import json
import sys


def main():
    nccl = ctypes.CDLL(sys.argv[1])
    nccl.ncclGetLastError.restype = ctypes.c_char_p
    version, device, communicator = ctypes.c_int(), ctypes.c_int(0), ctypes.c_void_p()
    answers = [nccl.ncclGetVersion(ctypes.byref(version)), version.value,
               nccl.ncclCommInitAll(ctypes.byref(communicator), 1, ctypes.byref(device))]
    print(json.dumps([*answers, nccl.ncclGetLastError(None).decode()]))


main()
