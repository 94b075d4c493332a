# SPDX-License-Identifier: Apache-2.0
"""What 200 idle keep-alive connections cost: processor time and memory, beside none."""
import contextlib
import socket
import time

from allocator_process import AllocatorProcess

CONNECTIONS = 200
_WINDOW_S = 5.0


def _cpu_percent(allocator):
    before, started = allocator.cpu_s(), time.monotonic()
    time.sleep(_WINDOW_S)
    return round(100 * (allocator.cpu_s() - before) / (time.monotonic() - started), 2)


def idle_cost(folder, cluster_file):
    """{"connections", "cpu_percent", "cpu_percent_without", "rss_mb", "rss_mb_without"}"""
    allocator = AllocatorProcess(folder, [f"--cluster={cluster_file}"], name="idle")
    try:
        without = _cpu_percent(allocator)
        rss_without = allocator.rss_mb()
        context = folder.client_context()
        with contextlib.ExitStack() as stack:
            for _ in range(CONNECTIONS):
                raw = socket.create_connection(allocator.extender(), timeout=10)
                stack.enter_context(context.wrap_socket(raw, server_hostname="127.0.0.1"))
            percent = _cpu_percent(allocator)
            rss = allocator.rss_mb()
    finally:
        allocator.stop()
    return {"connections": CONNECTIONS, "cpu_percent": percent, "cpu_percent_without": without,
            "rss_mb": round(rss, 1), "rss_mb_without": round(rss_without, 1)}
