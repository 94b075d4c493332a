# SPDX-License-Identifier: Apache-2.0
"""One allocator under load: certificates, start, memory and processor time."""
import json
import os
import pathlib
import ssl
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

# pylint: disable=wrong-import-position
from harness.certificates import Authority
from harness.processes import Process

PROGRAM = ROOT / "out" / "bin" / "aliquot-allocator"
_CONFIGURATION = """apiVersion: aliquot.io/v1alpha1
kind: AllocatorConfiguration
http:
  serverTiming: true
log:
  level: warn
"""


class BenchFolder:
    """Certificates and configuration that all allocators of a bench share."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.authority = Authority(self.path / "certificates")
        self.server = self.authority.issue("server", "aliquot-allocator", hosts=("127.0.0.1", "localhost"))
        self.client = self.authority.issue("client", "kube-scheduler")
        self.configuration = self.path / "allocator.yaml"
        self.configuration.write_text(_CONFIGURATION)

    def client_context(self):
        """TLS as kube-scheduler would use it."""
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        context.load_cert_chain(*map(str, self.client))
        return context


class AllocatorProcess:
    """An allocator on a cluster file or an API server, ready when the constructor returns."""

    def __init__(self, folder, source, name="allocator", ready_limit_s=120):
        self._addresses = folder.path / f"{name}.addresses.json"
        self._addresses.unlink(missing_ok=True)
        arguments = [PROGRAM, f"--config={folder.configuration}", *source,
                     f"--tls-cert={folder.server[0]}", f"--tls-key={folder.server[1]}",
                     f"--client-ca={folder.authority.certificate}",
                     f"--addresses-file={self._addresses}"]
        arguments += [f"--{each}-listen=127.0.0.1:0" for each in ("extender", "admission", "monitor")]
        self.process = Process(name, arguments, folder.path)
        started = time.monotonic()
        self.process.start()
        self.process.wait_until("listening", self._listening, timeout=ready_limit_s)
        self.addresses = json.loads(self._addresses.read_text())
        self.process.wait_until("ready", self._ready, timeout=ready_limit_s)
        self.ready_s = time.monotonic() - started

    def _listening(self):
        return self._addresses.exists() and self._addresses.stat().st_size > 0

    def _ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.addresses['monitor']}/readyz", timeout=5) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def extender(self):
        """Host and port of the scheduler verbs."""
        host, port = self.addresses["extender"].rsplit(":", 1)
        return host, int(port)

    def rss_mb(self):
        """Resident memory in MB (10^6 bytes)."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise RuntimeError("the kernel names no VmRSS")

    def cpu_s(self):
        """Processor seconds used so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metric(self, series):
        """One value of /metrics by name and labels."""
        with urllib.request.urlopen(f"http://{self.addresses['monitor']}/metrics", timeout=10) as reply:
            for line in reply.read().decode().splitlines():
                if line.startswith(series + " "):
                    return float(line.rsplit(" ", 1)[1])
        raise RuntimeError(f"/metrics has no {series}")

    def stop(self):
        """Ends it; a status other than 0 is an error of the bench."""
        status = self.process.stop()
        if status != 0:
            raise RuntimeError(f"the allocator ended with {status}:\n{self.process.log_tail()}")
