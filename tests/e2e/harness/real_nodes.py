# SPDX-License-Identifier: Apache-2.0
"""The real nodes of a test run: each is started when a test first asks for it, and then shared.

    node = real_nodes.get("plain", runtime.OLD)          no agent
    node = real_nodes.get("t4", runtime.NEW, "t4x4")     the agent simulates profiles/t4x4.yaml
    node = real_nodes.get("x", runtime.NEW, "t4x4", cards=1)    its first card, with a driver behind it

The purpose is part of the node's name: a test that damages a node asks for one of its own.
"""
from . import images, runtime
from .real_node import RealNode


class RealNodes:
    """Starts nodes on demand beside one cluster."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._archive = None
        self._nodes = {}

    # pylint: disable=too-many-arguments
    def get(self, purpose, runtime_kind=runtime.NEW, profile=None, mode="auto", cards=0):
        """The node for a purpose (a word for its name) on one kind of container runtime.

        With a profile it has an agent, whose grant mode is `mode`; with `cards` besides it has so
        many of the profile's cards, with a simulated driver.
        """
        key = (purpose, runtime_kind, profile, mode, cards)
        if key not in self._nodes:
            if self._archive is None:
                self._archive = images.write_archive(self._cluster.folder)
            age = "old" if runtime_kind == runtime.OLD else "new"
            node = RealNode(self._cluster, f"{purpose}-{age}", self._archive, runtime_kind,
                            profile, mode, cards)
            # Known before it has started: what a failed start leaves is cleaned up too.
            self._nodes[key] = node
            node.start()
        return self._nodes[key]

    def processes(self):
        """Every program of every node."""
        return [process for node in self._nodes.values() for process in node.processes()]

    def end(self, node):
        """Ends one node for good."""
        node.stop()
        self._nodes = {key: each for key, each in self._nodes.items() if each is not node}

    def stop(self):
        """Ends all nodes."""
        for node in list(self._nodes.values()):
            self.end(node)
