# SPDX-License-Identifier: Apache-2.0
"""A running aliquot-agent for tests of the documents: a simulated machine, one grant of an agent before it, no API server
and no kubelet. Needs no rights: the grant is only read."""
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "out" / "bin" / "aliquot-agent"
CARD = "GPU-7400aa11-0001-4c5e-9d10-51a000000000"  # of profiles/t4x4.yaml

_KUBECONFIG = """apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
"""


def _state(sequence):
    """A state file with all gauges of one card, a process of nobody's, and XIDs up to a number."""
    card = {"uuid": CARD, "mibUsed": 400, "gpuPercent": 50, "memoryPercent": 20, "temperatureCelsius": 44,
            "powerMilliwatts": 61000, "processes": [{"pid": 1, "mib": 100}]}
    return {"apiVersion": "aliquot.io/v1alpha1", "kind": "MachineState", "cards": [card],
            "events": [{"sequence": at + 1, "xid": 13, "card": CARD} for at in range(sequence)]}


def _write_grant(state):
    """A grant as docs/reference/grant.md says it lies there, with a library and its usage file."""
    ids = sorted(f"c{number}" for number in range(20))
    name = "g" + hashlib.sha256(",".join(ids).encode()).hexdigest()[:32]
    grant = {"name": name, "ids": ids, "namespace": "team", "pod": "train", "uid": "u-1", "container": "main", "kind": "app",
             "index": 0, "core": 20, "memoryUnits": 15, "whole": False, "allocation": "", "signature": "",
             "cards": [{"uuid": CARD, "minor": 0, "core": 20, "mib": 3840}], "limit": 60, "isolation": "auto",
             "driver": "", "library": "0123456789abcdef"}
    text = json.dumps(grant, sort_keys=True, separators=(",", ":"))
    record = {"v": 1, "checksum": hashlib.sha256(text.encode()).hexdigest(), "grant": grant}
    folder = state / "grants" / name
    folder.mkdir(parents=True)
    (folder / "grant.json").write_text(json.dumps(record))
    usage = state / "usage" / name
    usage.mkdir(parents=True)
    header = struct.pack("<8sHHIII", b"ALQUSAGE", 1, 0, 73728, 64, 16)
    (usage / "region").write_bytes(header.ljust(73728, b"\0"))
    (state / "boot-id").write_text(pathlib.Path("/proc/sys/kernel/random/boot_id").read_text())


class AgentProcess:
    """Runs from `start` to `stop`. All it writes lies below `folder`."""

    def __init__(self, folder):
        self._folder = folder
        self._process = None
        self.state = folder / "state"
        (folder / "kubeconfig").write_text(_KUBECONFIG)
        (folder / "plugins").mkdir()
        self._set_state(0)
        _write_grant(self.state)
        (folder / "agent.json").write_text(json.dumps({
            "apiVersion": "aliquot.io/v1alpha1", "kind": "AgentConfiguration", "nodeName": "n1",
            "kubeconfig": str(folder / "kubeconfig"),
            "gpu": {"backend": "simulated", "profile": str(ROOT / "profiles" / "t4x4.yaml"), "state": str(folder / "machine")},
            "grant": {"stateDirectory": str(self.state), "dataDirectory": str(folder / "data"),
                      "cdiDirectory": str(folder / "cdi")},
            "driver": {"delivery": "none"},
            "kubelet": {"pluginDirectory": str(folder / "plugins"), "podResourcesSocket": str(folder / "pods.sock")},
            "listen": {"monitor": "127.0.0.1:0"}, "metrics": {"gpuManagerPages": True},
            "addressesFile": str(folder / "addresses.json"), "drainTimeout": "0s"}))

    def _set_state(self, sequence):
        aside = self._folder / "machine.new"
        aside.write_text(json.dumps(_state(sequence)))
        aside.rename(self._folder / "machine")

    def start(self):
        """Returns when it serves, has offered its devices, looked for the kubelet and counted an XID."""
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen([PROGRAM, "--config", self._folder / "agent.json"], cwd=ROOT,  # pylint: disable=consider-using-with
                                             stdout=log, stderr=subprocess.STDOUT)
        self._until(lambda: (self._folder / "addresses.json").exists())
        self._set_state(1)
        self._until(lambda: all(f"\n{name}{{" in self.get("/metrics") for name in (
            "aliquot_agent_xids_total", "aliquot_agent_devices", "aliquot_agent_registrations_total")))
        return self

    def stop(self):
        """Ends it, however it stands."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _until(self, holds, seconds=30):
        deadline = time.monotonic() + seconds
        while not holds():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < deadline, (self._folder / "log").read_text()
            time.sleep(0.05)

    def get(self, path):
        """The text of a page of its monitor, whatever the status."""
        address = json.loads((self._folder / "addresses.json").read_text())["monitor"]
        try:
            with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.read().decode()


def families(text):
    """What a page in Prometheus' text format has: name to (type, label names; None without a series)."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, flags=re.MULTILINE))
    found = {name: (kind, None) for name, kind in types.items()}
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? \S+$", text, flags=re.MULTILINE):
        family = name if name in types else re.sub(r"_(bucket|count|sum)$", "", name)
        keys = frozenset(re.findall(r'(\w+)="', labels)) - {"le"}
        kind, before = found[family]
        found[family] = (kind, keys | (before or frozenset()))
    return found
