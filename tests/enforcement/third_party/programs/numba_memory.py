# SPDX-License-Identifier: Apache-2.0
"""A share through numba-cuda's devices, contexts and memory, as one line of JSON. Arguments: bytes
to ask for, one after the other; what was given is kept."""
import json
import sys

import numpy
from numba import cuda
from numba.cuda.cudadrv.driver import CudaAPIError


def main():
    context = cuda.current_context()
    begin = list(context.get_memory_info())
    kept = []
    results = []
    for size in sys.argv[1:]:
        try:
            kept.append(cuda.device_array(int(size), dtype=numpy.uint8))
            results.append(0)
        except CudaAPIError as error:
            results.append(int(error.code))
    uuid = cuda.get_current_device().uuid
    print(json.dumps({"count": len(cuda.gpus), "uuid": uuid.removeprefix("GPU-").replace("-", ""),
                      "total": begin[1], "begin": begin, "results": results,
                      "end": list(context.get_memory_info())}))


main()
