# SPDX-License-Identifier: Apache-2.0
"""The six pods of the demo, as their users would write them."""
import dataclasses
import typing

CORE = "tencent.com/vcuda-core"
MEMORY = "tencent.com/vcuda-memory"


@dataclasses.dataclass(frozen=True)
class Container:
    """A container and its share: percent of a card (100 and up: whole cards) and units of 256 MiB."""
    name: str
    core: int
    memory: int = 0

    def manifest(self):
        """As in a Pod's spec."""
        limits = {CORE: str(self.core)}
        if self.memory:
            limits[MEMORY] = str(self.memory)
        # The API server copies limits into requests before any webhook sees the pod.
        return {"name": self.name, "image": "example.org/app:1",
                "resources": {"limits": limits, "requests": dict(limits)}}


@dataclasses.dataclass(frozen=True)
class DemoPod:
    """One pod and what must become of it."""
    name: str
    asks: str  # in words, for the table
    containers: typing.Tuple[Container, ...]
    init_containers: typing.Tuple[Container, ...] = ()
    ceiling: typing.Optional[int] = None
    expected: str = "placed"  # "placed", "refused" by admission, or "pending"

    def manifest(self):
        """The Pod as `kubectl create` sends it."""
        metadata = {"name": self.name, "namespace": "demo"}
        if self.ceiling:
            metadata["annotations"] = {"tencent.com/vcuda-core-limit": str(self.ceiling)}
        spec = {"containers": [each.manifest() for each in self.containers]}
        if self.init_containers:
            spec["initContainers"] = [each.manifest() for each in self.init_containers]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


PODS = (
    DemoPod("notebook", "a fifth of a card, 3.75 GiB", (Container("notebook", 20, 15),)),
    DemoPod("ranker", "half a card, 10 GiB, up to 80 % while idle",
            (Container("server", 50, 40),), ceiling=80),
    DemoPod("studio", "a whole card and a share, init first",
            (Container("trainer", 100), Container("viewer", 20, 8)),
            init_containers=(Container("prepare", 40, 16),)),
    DemoPod("training", "four linked cards", (Container("worker", 400),)),
    DemoPod("typo", "150 % of a card", (Container("app", 150),), expected="refused"),
    DemoPod("giant", "sixteen cards of one node", (Container("worker", 1600),),
            expected="pending"),
)
