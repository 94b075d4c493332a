# SPDX-License-Identifier: Apache-2.0
"""CoreDNS as the DNS of an InstallCluster; its image must be among the cluster's."""
from . import install_images
from .addresses import IPV4
from .waiting import until

_COREFILE = """.:53 {
    errors
    ready
    kubernetes cluster.local
}
"""
_PODS = "/api/v1/namespaces/kube-system/pods"
_LABELS = {"k8s-app": "kube-dns"}


def _objects():
    named = {"name": "coredns", "namespace": "kube-system"}
    yield "/api/v1/namespaces/kube-system/serviceaccounts", {
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": named}
    group = "rbac.authorization.k8s.io"
    yield f"/apis/{group}/v1/clusterroles", {
        "apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "coredns"},
        "rules": [{"apiGroups": [""], "resources": ["services", "pods", "namespaces"],
                   "verbs": ["list", "watch"]},
                  {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"],
                   "verbs": ["list", "watch"]}]}
    yield f"/apis/{group}/v1/clusterrolebindings", {
        "apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "coredns"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "coredns"},
        "subjects": [{"kind": "ServiceAccount", **named}]}
    yield "/api/v1/namespaces/kube-system/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": named, "data": {"Corefile": _COREFILE}}
    yield "/api/v1/namespaces/kube-system/services", {
        "apiVersion": "v1", "kind": "Service", "metadata": {**named, "name": "kube-dns"},
        "spec": {"clusterIP": IPV4.dns_service, "selector": _LABELS, "ports": [
            {"name": "dns", "port": 53, "protocol": "UDP"},
            {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]}}
    yield _PODS, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {**named, "labels": _LABELS},
        "spec": {"serviceAccountName": "coredns", "dnsPolicy": "Default", "containers": [{
            "name": "coredns", "image": install_images.COREDNS, "imagePullPolicy": "Never",
            "args": ["-conf", "/etc/coredns/Corefile"],
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
            "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns"}]}],
            "volumes": [{"name": "config", "configMap": {"name": "coredns"}}]}}


def start(api):
    """Starts it and returns when it answers."""
    for path, built in _objects():
        api.post(path, built)
    until("CoreDNS to be ready", lambda: any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in api.get(f"{_PODS}/coredns")["status"].get("conditions") or []), timeout=30)
