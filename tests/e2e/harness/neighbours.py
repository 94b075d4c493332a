# SPDX-License-Identifier: Apache-2.0
"""What a cluster shows of HAMi and of gpu-manager where one of them is installed: the names, labels and
placement of their charts' objects. Nothing of theirs runs but an idle container.

    with neighbours(cluster):
        ...HAMi's webhook, scheduler and device plugin; gpu-manager's DaemonSet, on every node...
"""
import contextlib

from . import gpu_manager, images

_APPS = "/apis/apps/v1/namespaces/kube-system"
_WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_HAMI = {"app.kubernetes.io/name": "hami", "app.kubernetes.io/instance": "hami"}


def _workload(kind, name, labels, node_selector):
    built = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "labels": labels},
             "spec": {"selector": {"matchLabels": labels}, "template": {
                 "metadata": {"labels": labels},
                 "spec": {"nodeSelector": node_selector, "automountServiceAccountToken": False,
                          "terminationGracePeriodSeconds": 1,
                          "containers": [{"name": "idle", "image": images.PROBE,
                                          "imagePullPolicy": "Never"}]}}}}
    return f"{_APPS}/{kind.lower()}s", built


def _objects():
    # As its chart has it: it ignores that nobody answers, and sees every pod of the cluster.
    yield _WEBHOOKS, {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "hami-webhook", "labels": _HAMI}, "webhooks": [{
            "name": "vgpu.hami.io", "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore",
            "clientConfig": {"service": {"name": "hami-scheduler", "namespace": "kube-system",
                                         "path": "/webhook", "port": 443}},
            "objectSelector": {"matchExpressions": [
                {"key": "hami.io/webhook", "operator": "NotIn", "values": ["ignore"]}]},
            "reinvocationPolicy": "Never", "sideEffects": "None", "timeoutSeconds": 10,
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                       "resources": ["pods"], "scope": "*"}]}]}
    yield _workload("Deployment", "hami-scheduler", {
        **_HAMI, "app.kubernetes.io/component": "hami-scheduler"}, {})
    # No node has been given to it.
    yield _workload("DaemonSet", "hami-device-plugin", {
        **_HAMI, "app.kubernetes.io/component": "hami-device-plugin"}, {"gpu": "on"})
    yield _workload("DaemonSet", "gpu-manager-daemonset", {"name": "gpu-manager-ds"},
                    dict([gpu_manager.LABEL]))


@contextlib.contextmanager
def neighbours(cluster):
    """Both are installed, gpu-manager on every node."""
    api = cluster.api
    cluster.ensure_service_account("kube-system")
    nodes = [f"/api/v1/nodes/{node.name}" for node in cluster.nodes]
    key, value = gpu_manager.LABEL
    made = []
    try:
        for path in nodes:
            api.patch(path, {"metadata": {"labels": {key: value}}})
        for path, built in _objects():
            api.post(path, built)
            made.append(f"{path}/{built['metadata']['name']}")
        yield
    finally:
        for path in made:
            api.delete(path, propagationPolicy="Background")
        for path in nodes:
            api.patch(path, {"metadata": {"labels": {key: None}}})
