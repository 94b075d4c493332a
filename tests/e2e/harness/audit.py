# SPDX-License-Identifier: Apache-2.0
"""Reads the API server's audit log."""
import json


def entries(path, since=0):
    """The complete entries written after byte offset `since`."""
    with open(path, "rb") as log:
        log.seek(since)
        return [json.loads(line) for line in log.read().split(b"\n")[:-1]]


def position(path):
    """The offset that `entries` takes as `since`: behind the last complete entry."""
    if not path.exists():
        return 0
    with open(path, "rb") as log:
        return log.read().rfind(b"\n") + 1


def by_user(found, user):
    """The entries of requests that `user` made."""
    return [each for each in found if each["user"]["username"] == user]


def about_pod(found, namespace, name):
    """The entries about one pod or one of its subresources."""
    return [each for each in found
            if (each.get("objectRef") or {}).get("resource") in ("pods", "bindings")
            and each["objectRef"].get("namespace") == namespace
            and each["objectRef"].get("name") == name]


def webhooks_called(entry):
    """The names of the mutating webhooks that saw this request."""
    called = set()
    for key, value in (entry.get("annotations") or {}).items():
        if key.startswith("mutation.webhook.admission.k8s.io/round_"):
            called.add(json.loads(value)["webhook"])
    return called
