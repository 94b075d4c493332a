# SPDX-License-Identifier: Apache-2.0
"""Builds Pod objects, reads them, and plays the kubelet that reports their phase."""
from . import nodes

CORE = "tencent.com/vcuda-core"
MEMORY = "tencent.com/vcuda-memory"
ALLOCATION = "aliquot.io/allocation"
INDEX_PREFIX = "tencent.com/predicate-gpu-idx-"
GPU_LABEL = "aliquot.io/gpu"
GPU_COUNT = "aliquot.io/gpu-count"
ENDED = ("Succeeded", "Failed")  # the phases that a pod never leaves
NO_IMAGE = "registry.example/pause:1"  # nothing runs on a fake node


def container(name="main", core=None, memory=None, sidecar=False, **fields):
    """One container; `core` in percent, `memory` in units of 256 MiB."""
    limits = {}
    if core is not None:
        limits[CORE] = str(core)
    if memory is not None:
        limits[MEMORY] = str(memory)
    built = {"name": name, "image": NO_IMAGE, **fields}
    if limits:
        built["resources"] = {"limits": limits}
    if sidecar:
        built["restartPolicy"] = "Always"
    return built


def pod(name, containers, group=None, init=(), annotations=None, scheduler=None, **spec):
    """One pod that may run only on the nodes of `group`."""
    built = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
             "spec": {"containers": list(containers), "terminationGracePeriodSeconds": 30, **spec}}
    if annotations:
        built["metadata"]["annotations"] = annotations
    if init:
        built["spec"]["initContainers"] = list(init)
    if group:
        built["spec"]["nodeSelector"] = {nodes.GROUP_LABEL: group}
    if scheduler:
        built["spec"]["schedulerName"] = scheduler
    return built


def share(name, core=20, memory=15, **more):
    """A pod of one container with a share of a card."""
    return pod(name, [container(core=core, memory=memory)], **more)


def whole(name, cards=1, **more):
    """A pod of one container with whole cards."""
    return pod(name, [container(core=100 * cards)], **more)


def annotations_of(built):
    """The annotations of an object, or an empty dictionary."""
    return built["metadata"].get("annotations") or {}


def node_of(built):
    """The node a pod is bound to, or an empty string."""
    return built["spec"].get("nodeName", "")


def condition(built, kind):
    """The pod's condition of this type, or None."""
    for found in (built.get("status") or {}).get("conditions") or []:
        if found["type"] == kind:
            return found
    return None


def report_phase(api, namespace, name, phase):
    """Reports a phase as the kubelet would."""
    ready = "True" if phase == "Running" else "False"
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    if phase in ENDED:
        state = {"terminated": {"exitCode": 0 if phase == "Succeeded" else 1,
                                "startedAt": "2026-01-01T00:00:00Z",
                                "finishedAt": "2026-01-01T00:01:00Z"}}
    current = api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")
    statuses = [{"name": each["name"], "image": each["image"], "imageID": "none",
                 "containerID": "test://none", "ready": ready == "True", "restartCount": 0,
                 "state": state} for each in current["spec"]["containers"]]
    kept = [each for each in (current["status"].get("conditions") or [])
            if each["type"] == "PodScheduled"]
    api.patch(f"/api/v1/namespaces/{namespace}/pods/{name}/status", {"status": {
        "phase": phase, "containerStatuses": statuses,
        "conditions": kept + [{"type": "Ready", "status": ready},
                              {"type": "ContainersReady", "status": ready},
                              {"type": "Initialized", "status": "True"}]}})
