# SPDX-License-Identifier: Apache-2.0
"""Starting and ending the programs of a test cluster.

Each program writes to its own log file and is ended by its recorded process id. The kernel ends it
when the test run itself dies, so an aborted run leaves nothing behind.
"""
import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def free_port():
    """A TCP port of the loopback interface that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _die_with_parent():
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One program that can be started again with the same arguments."""

    def __init__(self, name, arguments, log_folder, environment=None):
        self.name = name
        self.arguments = [str(argument) for argument in arguments]
        self.log = pathlib.Path(log_folder) / f"{name}.log"
        self._environment = environment
        self._popen = None

    def start(self):
        """Starts the program; its output is appended to the log."""
        assert not self.running(), f"{self.name} runs already"
        with self.log.open("ab") as log:
            self._popen = self._spawn(log)
        return self

    def _spawn(self, log):
        # pylint: disable=subprocess-popen-preexec-fn  # the child only calls prctl
        return subprocess.Popen(
            self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=self._environment, preexec_fn=_die_with_parent)

    def running(self):
        """True while the program has not ended."""
        return self._popen is not None and self._popen.poll() is None

    @property
    def pid(self):
        """The process id of the last start."""
        return self._popen.pid

    def signal(self, number):
        """Sends one signal to the program."""
        os.kill(self._popen.pid, number)

    def kill(self):
        """Ends the program as a crash would."""
        if self.running():
            self._popen.kill()
        if self._popen is not None:
            self._popen.wait()

    def stop(self, timeout=10.0):
        """Asks the program to end, and returns its exit status; a crash ends it after `timeout`."""
        if self._popen is None:
            return None
        if self.running():
            self._popen.terminate()
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._popen.returncode

    def log_tail(self, lines=40):
        """The end of the log, for a failure report."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - 200 * lines))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])

    def wait_until(self, what, condition, timeout):
        """Polls `condition`; fails at once, with the log, when the program ends meanwhile."""
        deadline = time.monotonic() + timeout
        while not condition():
            if not self.running():
                raise AssertionError(f"{self.name} ended with status {self._popen.returncode} "
                                     f"before {what}:\n{self.log_tail()}")
            if time.monotonic() >= deadline:
                raise AssertionError(
                    f"{self.name} not {what} after {timeout:g} s:\n{self.log_tail()}")
            time.sleep(0.05)
