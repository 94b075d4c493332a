# SPDX-License-Identifier: Apache-2.0
"""What the library costs a process that never uses CUDA: /bin/true, in turn with nothing preloaded, with
an empty object and with the library; the time that a tenth of many starts stayed below (whatever else the
machine does only adds), the best of five."""
import json
import subprocess

from harness.container import library_file
from harness.world import build_folder

_RUNS = 5
_STARTS = 400
_TARGET_US = 100


def measure(say=print):
    """Rows as docs/reference/bench.md describes them."""
    clients = build_folder() / "tests" / "enforcement" / "clients"
    command = [clients / "start_cost", str(_STARTS), "/bin/true", clients / "libempty.so", library_file()]
    best = None
    for _ in range(_RUNS):
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        took = json.loads(done.stdout)
        best = took if best is None else [min(pair) for pair in zip(best, took)]
    nothing, empty, library = (each / 1000 for each in best)
    rows = []
    for name, value, baseline, target in (
            ("added to the start of /bin/true", library - nothing, nothing, _TARGET_US),
            ("added to the start of /bin/true, beside an empty object", library - empty, empty, None)):
        rows.append({"name": name, "value": round(value, 1), "unit": "us", "baseline": round(baseline, 1),
                     "target": target})
        say(f"{name}: {value:.1f} us over {baseline:.1f} us")
    return rows
