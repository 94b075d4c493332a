# SPDX-License-Identifier: Apache-2.0
"""What pods do with their shares of simulated cards, and what they get.

    tenants = Tenants(node_work(node))              node has a simulated driver
    tenants.share("small", 30, 4096 * MIB)          a pod that does nothing by itself
    tenants.wait_running("small")
    tenants.says("small", "meminfo")["total"]       a client's line of JSON
    running = tenants.begin("small", burn=True)     a program that uses the card until running.stop()
    tenants.part_of_card(2, "small")                [0.3]: of the card's time, by the simulated hardware
    tenants.metric("aliquot_share_launches_total", "small")
"""
import json
import time

from . import pods
from .waiting import until

MIB = 1 << 20
UNIT = 256 * MIB
_KERNEL_NS = 5_000_000


class Running:
    """A program in a container. `held` is the driver's answer to what it asked for, or None."""

    def __init__(self, popen, send):
        self._popen = popen
        self._send = send
        line = popen.stdout.readline()
        assert line.startswith("{"), f"the tenant says: {line}{popen.stdout.read()}"
        self.held = json.loads(line)["hold"]

    def running(self):
        """True while it has not ended."""
        return self._popen.poll() is None

    def stop(self):
        """Asks it to end and returns how many kernels it ran."""
        self._send("SIGTERM")
        output, _ = self._popen.communicate(timeout=20)
        assert self._popen.returncode == 0, f"the tenant ended with {self._popen.returncode}: {output}"
        return json.loads(output.splitlines()[-1])["launches"]

    def wait(self):
        """Its exit status once it has ended by itself."""
        return self._popen.wait(timeout=20)


class Tenants:
    """The pods of a test on a node with a simulated driver."""

    def __init__(self, work):
        self.work = work
        self.agent = work.node.agent
        self.driver = work.node.driver
        self._node = work.node

    def share(self, name, core, memory, **more):
        """Creates a pod with a share of a card; `memory` in bytes."""
        return self.work.create(self.driver.use(pods.share(name, core, memory // UNIT, **more)))

    def whole(self, name):
        """Creates a pod with a whole card."""
        return self.work.create(self.driver.use(pods.whole(name)))

    def wait_running(self, *names):
        """Returns when these pods run."""
        self.work.wait_running(*names)

    def says(self, name, *command):
        """What a client says in a pod: its last line, as JSON."""
        return json.loads(self.last_line(name, *command))

    def last_line(self, name, *command):
        """The last line that a command prints in a pod. It must print one, and bear to be repeated:
        ctr loses the output of a command that ends while it is being connected to it.
        """
        def run():
            # Not every ctr closes the input of what it runs.
            return self.work.execute(name, "sh", "-c", 'exec "$@" </dev/null', "sh",
                                     *command).splitlines()
        return until(f"the output of {command[0]} in {name}", run, timeout=10)[-1]

    def begin(self, name, hold=0, burn=False, program="tenant"):
        """Starts a program that allocates `hold` bytes and keeps the card busy, if it is to."""
        container = self.work.container_status(name)["containerID"].split("://")[1]
        return Running(*self._node.runtime.begin(
            container, program, "--hold", str(hold), "--burn", str(_KERNEL_NS if burn else 0)))

    def part_of_card(self, seconds, *names):
        """Which part of the card's time each pod gets within the next `seconds`."""
        found = [self.work.pod(name) for name in names]
        start, before = self.driver.busy(*found)
        time.sleep(seconds)
        end, after = self.driver.busy(*found)
        return [(b - a) / (end - start) for a, b in zip(before, after)]

    def wait_part(self, what, name, good, timeout=15):
        """Waits until the part of the card's time that a pod gets is as `good` says."""
        def measured():
            (part,) = self.part_of_card(0.5, name)
            assert good(part), f"{name} gets {part:.2f} of the card"
            return True
        until(what, measured, timeout)

    def metric(self, metric, name, **labels):
        """A figure of the agent about a pod."""
        return self.agent.metric(metric, namespace=self.work.name, pod=name, **labels)

    def unenforced(self, name):
        """The reasons why the agent says that a pod is not held: a sorted list."""
        reasons = ("no_library", "wrong_library", "over_memory", "usage_damaged", "usage_low")
        return [each for each in sorted(reasons)
                if self.metric("aliquot_agent_unenforced", name, reason=each)]

    def told(self, name, reason, *words):
        """Waits for an event of this reason about a pod whose message holds these words."""
        def found():
            events = self.events(name, reason)
            assert any(all(word in each for word in words) for each in events), f"told: {events}"
            return True
        until(f"an event {reason}", found, timeout=5)

    def events(self, name, reason):
        """The messages of the agent's events of this reason about a pod."""
        return [each.get("note") or each.get("message") for each in self.work.events(name)
                if each["reason"] == reason]
