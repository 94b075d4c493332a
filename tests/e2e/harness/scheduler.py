# SPDX-License-Identifier: Apache-2.0
"""A kube-scheduler process, with or without our extender."""
import http.client
import json
import re
import ssl

from . import binaries
from .processes import Process, free_port


class Scheduler:
    """One kube-scheduler of the control plane's minor; `configuration` is written to its file."""

    def __init__(self, plane, name, configuration):
        self._port = free_port()
        self.name = name
        configuration = dict(configuration)
        connection = dict(configuration.get("clientConnection") or {})
        connection["kubeconfig"] = str(plane.kubeconfig("scheduler"))
        configuration["clientConnection"] = connection
        configuration["leaderElection"] = {"leaderElect": False}
        path = plane.folder / f"{name}.yaml"
        path.write_text(json.dumps(configuration, indent=1))
        # Who may read its metrics is of no interest here, so it asks nobody.
        self.process = Process(name, [
            binaries.program("kube-scheduler", plane.minor), f"--config={path}",
            "--bind-address=127.0.0.1", f"--secure-port={self._port}",
            "--authorization-always-allow-paths=/healthz,/metrics"], plane.folder)
        self._context = ssl.create_default_context()
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE  # its serving certificate is self-signed

    def _get(self, path):
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=5,
                                                 context=self._context)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def _healthy(self):
        try:
            return self._get("/healthz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def start(self):
        """Starts it and returns when it is healthy."""
        self.process.start()
        self.process.wait_until("healthy", self._healthy, timeout=30)
        return self

    def attempts(self):
        """How many times it tried to place a pod so far, by result."""
        status, text = self._get("/metrics")
        assert status == 200, f"{self.name} answered /metrics with {status}: {text[:200]}"
        found = {}
        for result, value in re.findall(
                r'^scheduler_schedule_attempts_total\{[^}]*result="([^"]+)"[^}]*\} (\S+)$', text,
                re.MULTILINE):
            found[result] = found.get(result, 0) + int(float(value))
        return found


def plain_configuration(scheduler_name):
    """A kube-scheduler that knows nothing of us and serves the pods that name it."""
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": scheduler_name}]}
