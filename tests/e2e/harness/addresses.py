# SPDX-License-Identifier: Apache-2.0
"""The addresses of an InstallCluster: of IPv4, or of IPv6 alone. The machine's own loopback has both
in either, as on any machine."""
import dataclasses

from .box import NODE_ADDRESS, SECOND_ADDRESS


@dataclasses.dataclass(frozen=True)
class Addresses:
    """`nodes` and `node_pods` are of the first and the second node; `pods` holds all ranges of pods."""
    nodes: tuple
    node_pods: tuple
    pods: str
    services: str
    api_service: str
    dns_service: str
    every: str  # what one binds to that listens on all addresses
    forwarding: str  # the kernel's setting that lets a node pass packets of its pods on


IPV4 = Addresses(
    nodes=(NODE_ADDRESS, SECOND_ADDRESS), node_pods=("10.213.64.0/24", "10.213.65.0/24"),
    pods="10.213.64.0/23", services="10.213.0.0/24", api_service="10.213.0.1",
    dns_service="10.213.0.10", every="0.0.0.0", forwarding="net.ipv4.ip_forward")

IPV6 = Addresses(
    nodes=("fd00:213:128::1", "fd00:213:128::2"),
    node_pods=("fd00:213:64:a::/64", "fd00:213:64:b::/64"), pods="fd00:213:64::/48",
    services="fd00:213:0:1::/112", api_service="fd00:213:0:1::1", dns_service="fd00:213:0:1::a",
    every="::", forwarding="net.ipv6.conf.all.forwarding")


def in_url(address):
    """An address as a URL has it."""
    return f"[{address}]" if ":" in address else address
