# SPDX-License-Identifier: Apache-2.0
"""Node objects without a kubelet, with cards as a node agent would publish them."""
import json

GROUP_LABEL = "aliquot.io/test-group"
CARD_MIB = 81920
MODEL = "NVIDIA A100-SXM4-80GB"
MEMORY_UNIT_MIB = 256


def cards(node, count, mib=CARD_MIB, health="ok", mode="none"):
    """The inventory entries of `count` equal cards."""
    return [[f"GPU-{node}-{index}", index, 0, mib, f"0000:{0x10 + index:02x}:00.0",
             0 if index < (count + 1) // 2 else 1, "8.0", health, mode] for index in range(count)]


def links(count):
    """NVLink inside each half of the node and the socket interconnect between the halves."""
    half = (count + 1) // 2
    return ",".join("NV12" if (a < half) == (b < half) else "SYS"
                    for a in range(count) for b in range(a + 1, count))


def inventory(node, count, mib=CARD_MIB, entries=None, model=MODEL):
    """The value of the annotation aliquot.io/gpu-inventory."""
    return json.dumps({"v": 1, "driver": "550.54.15", "models": [model],
                       "cards": entries if entries is not None else cards(node, count, mib),
                       "links": links(count)}, separators=(",", ":"))


def node(name, group, count=8, mib=CARD_MIB, with_inventory=True, model=MODEL):
    """A ready node with `count` cards; pods of a test reach it through its group label."""
    amounts = {"cpu": "256", "memory": "2048Gi", "pods": "500", "ephemeral-storage": "1000Gi"}
    if count:
        amounts["tencent.com/vcuda-core"] = str(100 * count)
        amounts["tencent.com/vcuda-memory"] = str(count * mib // MEMORY_UNIT_MIB)
    annotations = {}
    if with_inventory and count:
        annotations["aliquot.io/gpu-inventory"] = inventory(name, count, mib, model=model)
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "annotations": annotations,
                     "labels": {"kubernetes.io/hostname": name, GROUP_LABEL: group}},
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": [{
            "type": "Ready", "status": "True", "reason": "TestNode",
            "message": "fake node of a test"}]},
    }
