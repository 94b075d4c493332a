# SPDX-License-Identifier: Apache-2.0
"""One pod and what it meets a cause: why kube-scheduler leaves it pending, each by its own nodes."""
import dataclasses

from . import nodes, pods

CASE_LABEL = "aliquot.io/test-case"
_PLAIN = {"image": pods.NO_IMAGE}
_STORAGE = "/apis/storage.k8s.io/v1/storageclasses"


@dataclasses.dataclass
class Case:
    """`code` is what aliquotctl why says with an administrator's rights, `text_code` what the scheduler's
    text alone gives ("": the same). `before`: pods that must be bound first. `objects`: (path, object);
    NAMESPACE in a path is the test's."""
    name: str
    code: str
    pod: dict
    text_code: str = ""
    node: dict = dataclasses.field(default_factory=dict)  # changes of its node
    cards: int = 0
    with_inventory: bool = True
    before: tuple = ()
    objects: tuple = ()


def plain(name, **spec):
    """A pod without our resources."""
    return pods.pod(name, [{"name": "main", **_PLAIN}], **spec)


def asking(name, requests, **spec):
    """A pod without our resources, with requests."""
    return pods.pod(name, [{"name": "main", **_PLAIN, "resources": {"requests": requests}}], **spec)


def _affinity(kind, labels):
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}]}}


def _labelled(built, **labels):
    built["metadata"]["labels"] = labels
    return built


def _with_port(name):
    return pods.pod(name, [{"name": "main", **_PLAIN, "ports": [{"containerPort": 80, "hostPort": 7080}]}])


def _with_claim(name, claim):
    return plain(name, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": claim}}])


def _class(name, mode, provisioner="aliquot.io/nobody"):
    return (_STORAGE, {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
                       "provisioner": provisioner, "volumeBindingMode": mode})


def _claim(name, storage_class, **more):
    return ("/api/v1/namespaces/NAMESPACE/persistentvolumeclaims", {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, **more.pop("metadata", {})},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": storage_class,
                 "resources": {"requests": {"storage": "1Gi"}}, **more}})


def _volume(name, claim):
    """Bound to the claim, and on a node that is not there."""
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["elsewhere"]}]}]
    return ("/api/v1/persistentvolumes", {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "bound",
                 "hostPath": {"path": "/nowhere"}, "claimRef": {"namespace": "NAMESPACE", "name": claim},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}})


def _device_claim(name, device_class):
    return ("/apis/resource.k8s.io/v1/namespaces/NAMESPACE/resourceclaims", {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "one", "exactly": {"deviceClassName": device_class}}]}}})


def _with_device(name, claim):
    built = plain(name, resourceClaims=[{"name": "device", "resourceClaimName": claim}])
    built["spec"]["containers"][0]["resources"] = {"claims": [{"name": "device"}]}
    return built


def _taint(key):
    return {"spec": {"taints": [{"key": key, "value": "ml", "effect": "NoSchedule"}]}}


def _room(**amounts):
    return {"status": {"capacity": amounts, "allocatable": amounts}}


# Each of these waits while its node is the only one of the cluster: their texts are of all nodes.
ALONE = (
    Case("taint", "taints", plain("taint"), node=_taint("dedicated")),
    Case("cordon", "cordoned", plain("cordon"), node={"spec": {"unschedulable": True}}),
)

TOGETHER = (
    Case("selector", "affinity", plain("selector", nodeSelector={"disk": "fast"})),
    Case("affinity", "affinity", plain("affinity", affinity={"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]}}})),
    Case("cpu", "cpu_or_memory", asking("cpu", {"cpu": "300"})),
    Case("memory", "cpu_or_memory", asking("memory", {"memory": "3000Gi"})),
    Case("other-resource", "other_resource", pods.pod("other-resource", [
        {"name": "main", **_PLAIN, "resources": {"limits": {"nvidia.com/gpu": "1"}}}])),
    Case("too-many-pods", "too_many_pods", plain("too-many-pods"), node=_room(cpu="4", memory="4Gi", pods="0")),
    Case("host-port", "host_ports", _with_port("host-port"), before=(_with_port("host-port-first"),)),
    Case("spread", "topology_spread", plain("spread", topologySpreadConstraints=[
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
         "labelSelector": {"matchLabels": {"app": "spread"}}}])),
    Case("anti-affinity", "pod_affinity", plain("anti-affinity", affinity=_affinity("podAntiAffinity", {"app": "lonely"})),
         before=(_labelled(plain("lonely"), app="lonely"),)),
    Case("unwanted", "pod_affinity", _labelled(plain("unwanted"), app="unwanted"),
         before=(plain("hater", affinity=_affinity("podAntiAffinity", {"app": "unwanted"})),)),
    Case("pod-affinity", "pod_affinity", plain("pod-affinity", affinity=_affinity("podAffinity", {"app": "nobody"}))),
    Case("claim-unbound", "volume", _with_claim("claim-unbound", "waiting"),
         objects=(_class("immediate", "Immediate"), _claim("waiting", "immediate"))),
    Case("claim-missing", "volume", _with_claim("claim-missing", "gone")),
    Case("no-volume", "volume", _with_claim("no-volume", "first-consumer"),
         objects=(_class("late", "WaitForFirstConsumer", "kubernetes.io/no-provisioner"), _claim("first-consumer", "late"))),
    Case("volume-elsewhere", "volume", _with_claim("volume-elsewhere", "bound"), objects=(
        _class("bound", "WaitForFirstConsumer", "kubernetes.io/no-provisioner"), _volume("elsewhere", "bound"),
        _claim("bound", "bound", volumeName="elsewhere",
               metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}))),
    Case("class-missing", "volume", _with_claim("class-missing", "classless"), objects=(_claim("classless", "nowhere"),)),
    Case("device-claim-missing", "resource_claim", _with_device("device-claim-missing", "gone")),
    Case("device-class-missing", "resource_claim", _with_device("device-class-missing", "classless"),
         objects=(_device_claim("classless", "nowhere.example"),)),
    Case("no-device", "resource_claim", _with_device("no-device", "deviceless"), objects=(
        ("/apis/resource.k8s.io/v1/deviceclasses", {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
                                                    "metadata": {"name": "none.example"}, "spec": {}}),
        _device_claim("deviceless", "none.example"))),
    Case("gate", "scheduling_gates", plain("gate", schedulingGates=[{"name": "aliquot.io/test"}])),
    Case("no-scheduler", "no_scheduler", plain("no-scheduler", schedulerName="nobody")),
    # From here on pods of ours.
    Case("too-few-cards", "too_few_cards", pods.whole("too-few-cards", 9), cards=8, text_code="not_enough_free"),
    Case("in-sum-only", "fragmented", pods.share("in-sum-only", 60), cards=2, text_code="not_on_one_card",
         before=(pods.share("sum-a", 60), pods.share("sum-b", 60))),
    Case("no-inventory", "old_plugin", pods.share("no-inventory"), cards=2, with_inventory=False,
         text_code="no_inventory"),
    Case("gpu-taint", "taints", pods.share("gpu-taint"), cards=2, node=_taint("dedicated"), text_code="affinity"),
    Case("gpu-selector", "affinity", pods.share("gpu-selector", nodeSelector={"disk": "fast"}), cards=2),
    Case("gpu-cpu", "cpu_or_memory", pods.pod("gpu-cpu", [{"name": "main", **_PLAIN, "resources": {
        "requests": {"cpu": "300"}, "limits": {pods.CORE: "20", pods.MEMORY: "15"}}}]), cards=2),
    Case("extender-away", "extender_down", pods.share("extender-away", scheduler="deaf"), cards=2),
    Case("extender-answers-not", "extender_down", pods.share("extender-answers-not", scheduler="astray"), cards=2),
)


def node_of(case, group):
    """The node of a case; its name is that of the case in the group."""
    built = nodes.node(f"{group}-{case.name}", group, case.cards, with_inventory=case.with_inventory)
    built["metadata"]["labels"][CASE_LABEL] = case.name
    for part, changes in case.node.items():
        built.setdefault(part, {}).update(changes)
    return built
