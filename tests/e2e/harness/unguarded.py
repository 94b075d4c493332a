# SPDX-License-Identifier: Apache-2.0
"""An installation whose administrator has taken the guards of the record away: the bindings of its
policies and the webhook on Bindings. What is left is the agent, which verifies.

    with unguarded(installation):
        ...anybody may write a record onto a pod, and a configured scheduler in its Binding...
"""
import contextlib

from . import pods
from .api import ApiError
from .waiting import until

_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_BINDINGS = f"{_ADMISSION}/validatingadmissionpolicybindings"
_WEBHOOKS = f"{_ADMISSION}/mutatingwebhookconfigurations/aliquot"
_GUARDS = ("aliquot-pod-record", "aliquot-binding-record")
# What the API server adds to an object.
_SERVERS = ("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields")
_PROBE = "/api/v1/namespaces/kube-system/pods"


@contextlib.contextmanager
def unguarded(installation):
    """Takes the guards away, and puts them back as they were."""
    api = installation.api
    kept = [api.get(f"{_BINDINGS}/{name}") for name in _GUARDS]
    webhooks = api.get(_WEBHOOKS)["webhooks"]
    others = [each for each in webhooks if not each["name"].startswith("stamp.")]
    assert 0 < len(others) < len(webhooks)
    for name in _GUARDS:
        api.delete(f"{_BINDINGS}/{name}")
    api.patch(_WEBHOOKS, {"webhooks": others})
    until("the guards to be gone", lambda: _lets_a_record_in(installation))
    try:
        yield
    finally:
        for each in kept:
            metadata = {key: value for key, value in each["metadata"].items() if key not in _SERVERS}
            api.post(_BINDINGS, {**each, "metadata": metadata})
        api.patch(_WEBHOOKS, {"webhooks": webhooks})
        until("the guards to be back", lambda: not _lets_a_record_in(installation))


def _lets_a_record_in(installation):
    """Whether a record may be made where no webhook of ours takes it off."""
    built = pods.share("forged", annotations={pods.ALLOCATION: "{}"})
    # Needs no service account, which the namespace may not have yet.
    built["spec"].update(automountServiceAccountToken=False)
    installation.cluster.ensure_service_account("kube-system")
    try:
        installation.api.post(_PROBE, built, dryRun="All")
    except ApiError as error:
        assert error.code == 403, error
        return False
    return True
