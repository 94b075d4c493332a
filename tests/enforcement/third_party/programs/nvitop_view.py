# SPDX-License-Identifier: Apache-2.0
"""What nvitop's library shows of each card, as one line of JSON."""
import json

import nvitop


def main():
    print(json.dumps([{
        "uuid": device.uuid(), "index": device.physical_index, "total": device.memory_total(),
        "used": device.memory_used(), "free": device.memory_free(),
        "processes": {pid: process.gpu_memory() for pid, process in device.processes().items()},
    } for device in nvitop.Device.all()]))


main()
