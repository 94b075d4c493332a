# SPDX-License-Identifier: Apache-2.0
"""Drives the client `memory` (clients/memory.c) command by command."""
import contextlib
import json

MIB = 1 << 20
GIB = 1 << 30
SUCCESS = 0
INVALID_VALUE = 1
OUT_OF_MEMORY = 2


class MemoryClient:
    """One process. Each command's answer is the driver's code; what else it said is in `last`."""

    def __init__(self, container, **options):
        self._process = container.start(["memory"], **options)
        self.last = {}

    def __call__(self, verb, *numbers):
        self._process.stdin.write(" ".join(map(str, (verb, *numbers))) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the client ended at {verb}: {self._process.stderr.read()}")
        self.last = json.loads(line)
        return self.last["result"]

    def must(self, verb, *numbers):
        result = self(verb, *numbers)
        assert result == SUCCESS, f"{verb} {numbers}: {result}"

    def free(self):
        """Bytes that cuMemGetInfo calls free."""
        self.must("info")
        return self.last["free"]

    def total(self):
        self.must("info")
        return self.last["total"]

    def kill(self):
        self._process.kill()
        self._process.wait()

    def end(self):
        """Ends by itself; its standard error."""
        self._process.stdin.close()
        assert self._process.wait() == 0
        return self._process.stderr.read()


@contextlib.contextmanager
def memory_client(container, **options):
    client = MemoryClient(container, **options)
    yield client
    client.end()
