# SPDX-License-Identifier: Apache-2.0
"""The allocator's process: started on free ports, ended by its process id."""
import ctypes
import http.client
import json
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "out" / "bin" / "aliquot-allocator"
CLUSTER = ROOT / "config" / "demo-cluster.yaml"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def _end_with_parent():
    # Even a killed demo leaves nothing running.
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Allocator:
    """One aliquot-allocator on the demo cluster, ready when the constructor returns."""

    def __init__(self, certificates, folder):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: run 'make build' first")
        self.log = folder / "allocator.log"
        addresses = folder / "addresses.json"
        arguments = [PROGRAM, "--cluster", CLUSTER, "--addresses-file", addresses,
                     "--tls-cert", certificates.path("server.crt"),
                     "--tls-key", certificates.path("server.key"),
                     "--client-ca", certificates.path("ca.crt")]
        for listener in ("extender", "admission", "monitor"):
            arguments += [f"--{listener}-listen", "127.0.0.1:0"]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [str(each) for each in arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=_end_with_parent)
        try:
            self._wait_until("listening", addresses.exists)
            self.addresses = json.loads(addresses.read_text())
            self._wait_until("ready", lambda: self.monitor("/readyz")[0] == 200)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def _wait_until(self, what, condition):
        deadline = time.monotonic() + 20
        while not condition():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the allocator is not {what}; its log says:\n"
                                   + self.log.read_text(errors="replace"))
            time.sleep(0.02)

    def monitor(self, path):
        """Status and text of a GET on the monitor listener."""
        connection = http.client.HTTPConnection(self.addresses["monitor"], timeout=5)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def monitor_json(self, path):
        """What a monitor path answers, as values."""
        status, text = self.monitor(path)
        if status != 200:
            raise RuntimeError(f"{path} answered {status}: {text.strip()}")
        return json.loads(text)

    def stop(self):
        """Asks it to end and waits; its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
