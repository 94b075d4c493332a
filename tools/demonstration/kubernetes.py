# SPDX-License-Identifier: Apache-2.0
"""The two parts of Kubernetes that call the allocator, played by their protocols."""
import base64
import collections
import copy
import http.client
import json
import ssl
import uuid


class Caller:
    """POSTs JSON over HTTPS on one kept connection, as Go's client does."""

    def __init__(self, address, context):
        self._connection = http.client.HTTPSConnection(address, context=context, timeout=10)

    def post(self, path, value):
        """The answer as values; anything but a 200 ends the demo."""
        self._connection.request("POST", path, json.dumps(value),
                                 {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        text = response.read().decode()
        if response.status != 200:
            raise RuntimeError(f"POST {path} answered {response.status}: {text.strip()}")
        return json.loads(text)

    def close(self):
        """Closes the connection."""
        self._connection.close()


def apply_patch(document, patch):
    """A copy of the document with a JSON Patch (RFC 6902) of add, replace and remove applied."""
    patched = copy.deepcopy(document)
    for step in patch:
        *parents, last = [each.replace("~1", "/").replace("~0", "~")
                          for each in step["path"].split("/")[1:]]
        at = patched
        for each in parents:
            at = at[int(each)] if isinstance(at, list) else at[each]
        if isinstance(at, list):
            index = len(at) if last == "-" else int(last)
            if step["op"] != "add":
                at.pop(index)
            if step["op"] != "remove":
                at.insert(index, step["value"])
        elif step["op"] == "remove":
            del at[last]
        else:
            at[last] = step["value"]
    return patched


class ApiServer:
    """Sends the CREATE of a pod to the mutating webhook, as kube-apiserver does."""

    def __init__(self, address, certificates):
        context = ssl.create_default_context(cafile=str(certificates.path("ca.crt")))
        self.caller = Caller(address, context)

    def review(self, pod):
        """The AdmissionReview of a CREATE."""
        kind = {"group": "", "version": "v1", "kind": "Pod"}
        resource = {"group": "", "version": "v1", "resource": "pods"}
        return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": str(uuid.uuid4()), "kind": kind, "resource": resource, "requestKind": kind,
            "requestResource": resource, "name": pod["metadata"]["name"],
            "namespace": pod["metadata"]["namespace"], "operation": "CREATE",
            "userInfo": {"username": "demo-user", "groups": ["system:authenticated"]},
            "object": pod, "oldObject": None, "dryRun": False,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}}}

    def create(self, pod):
        """The pod as stored, with its UID, or None; and the sentence of a refusal."""
        review = self.review(pod)
        response = self.caller.post("/admission/mutate", review)["response"]
        if response["uid"] != review["request"]["uid"]:
            raise RuntimeError("the webhook answered another request's UID")
        if not response["allowed"]:
            return None, response["status"]["message"]
        patch = json.loads(base64.b64decode(response.get("patch", "") or "W10="))
        stored = apply_patch(pod, patch)
        stored["metadata"]["uid"] = str(uuid.uuid4())
        return stored, ""


class Scheduler:
    """Runs one scheduling cycle after the other through filter, prioritize and bind, as
    kube-scheduler with nodeCacheCapable: true does."""

    def __init__(self, address, certificates):
        context = ssl.create_default_context(cafile=str(certificates.path("ca.crt")))
        context.load_cert_chain(str(certificates.path("scheduler.crt")),
                                str(certificates.path("scheduler.key")))
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        self.caller = Caller(address, context)

    def feasible(self, pod, names):
        """The nodes that can hold the pod, and the sentence that kubectl would show if none can."""
        answer = self.caller.post("/scheduler/filter",
                                  {"Pod": pod, "Nodes": None, "NodeNames": names})
        if answer["Error"]:
            raise RuntimeError(f"filter: {answer['Error']}")
        failed = {**answer["FailedNodes"], **answer["FailedAndUnresolvableNodes"]}
        if sorted(answer["NodeNames"] + list(failed)) != sorted(names):
            raise RuntimeError("filter did not answer for each node once")
        counts = sorted(collections.Counter(failed.values()).items(),
                        key=lambda each: (-each[1], each[0]))
        reasons = ", ".join(f"{count} {reason}" for reason, count in counts)
        return answer["NodeNames"], f"0/{len(names)} nodes are available: {reasons}."

    def best(self, pod, names):
        """The node with the highest score; prioritize is not called for a single one."""
        if len(names) == 1:
            return names[0]
        scores = self.caller.post("/scheduler/prioritize",
                                  {"Pod": pod, "Nodes": None, "NodeNames": names})
        if sorted(each["Host"] for each in scores) != sorted(names):
            raise RuntimeError("prioritize did not answer for each node once")
        return max(scores, key=lambda each: each["Score"])["Host"]

    def bind(self, pod, node):
        """Binds it or ends the demo with the extender's sentence."""
        metadata = pod["metadata"]
        answer = self.caller.post("/scheduler/bind", {
            "PodName": metadata["name"], "PodNamespace": metadata["namespace"],
            "PodUID": metadata["uid"], "Node": node})
        if answer["Error"]:
            raise RuntimeError(f"bind of {metadata['name']} to {node}: {answer['Error']}")
