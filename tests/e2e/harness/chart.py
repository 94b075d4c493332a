# SPDX-License-Identifier: Apache-2.0
"""Renders charts/aliquot with the real helm and applies exactly these objects.

One thing is overridden: the allocator of the tests runs outside the cluster, so a webhook's Service
reference becomes the URL of that process.
"""
import base64
import copy
import os
import pathlib
import subprocess

import yaml

from . import binaries
from .api import ApiError

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Another one may be tried.
CHART = pathlib.Path(os.environ.get("ALIQUOT_CHART", ROOT / "charts" / "aliquot"))
NAMESPACE = "aliquot-system"

# The allocator of these tests runs beside the control plane with certificates and a key that the tests made, and its cluster has
# a kube-scheduler of its own. What the chart does by default is installed for real by tests/e2e/install.
_OUTSIDE = ("scheduler.mode=stock", "certificates.mode=given", "certificates.given.caBundle=Zm9v", "signing.mode=given")

_CLUSTER_SCOPED = {"Namespace", "ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration",
                   "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
                   "ValidatingAdmissionPolicyBinding", "PriorityClass"}
_PLURALS = {"NetworkPolicy": "networkpolicies", "ValidatingAdmissionPolicy":
            "validatingadmissionpolicies", "PriorityClass": "priorityclasses"}
# A Pod's service account and a binding's role must exist first.
_ORDER = ["Namespace", "ServiceAccount", "ClusterRole", "Role"]


def render(*settings):
    """The chart's objects for these `--set` settings, in the order to apply them."""
    command = [str(binaries.program("helm")), "template", "aliquot", str(CHART),
               f"--namespace={NAMESPACE}", "--skip-tests"]
    for setting in (*_OUTSIDE, *settings):
        command += ["--set", setting]
    text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    objects = [each for each in yaml.safe_load_all(text) if each]
    return sorted(objects, key=lambda each: _ORDER.index(each["kind"])
                  if each["kind"] in _ORDER else len(_ORDER))


def of_kind(objects, kind):
    """The rendered objects of one kind."""
    return [each for each in objects if each["kind"] == kind]


def path_of(built, name=""):
    """The API path of an object's collection or, with a name, of one of them."""
    version, kind = built["apiVersion"], built["kind"]
    path = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    if kind not in _CLUSTER_SCOPED:
        path += f"/namespaces/{built['metadata'].get('namespace', NAMESPACE)}"
    path += "/" + _PLURALS.get(kind, kind.lower() + "s")
    return f"{path}/{name}" if name else path


def point_webhooks_at(objects, address, authority):
    """A copy of the objects whose webhooks call https://ADDRESS and trust `authority`."""
    pointed = copy.deepcopy(objects)
    bundle = base64.b64encode(pathlib.Path(authority).read_bytes()).decode()
    for built in pointed:
        for webhook in built.get("webhooks", []):
            service = webhook["clientConfig"].pop("service")
            webhook["clientConfig"]["url"] = f"https://{address}{service['path']}"
            webhook["clientConfig"]["caBundle"] = bundle
    return pointed


def apply(api, objects):
    """Creates the objects, or replaces those that exist."""
    for built in objects:
        name = built["metadata"]["name"]
        try:
            api.post(path_of(built), built)
        except ApiError as error:
            if error.code != 409:
                raise AssertionError(f"the API server refuses {built['kind']} {name}: "
                                     f"{error.message}") from error
            current = api.get(path_of(built, name))
            replacement = copy.deepcopy(built)
            replacement["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"]
            api.put(path_of(built, name), replacement)
