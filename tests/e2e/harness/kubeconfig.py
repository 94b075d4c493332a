# SPDX-License-Identifier: Apache-2.0
"""Writes kubeconfig files. They are JSON, which is YAML too."""
import json
import pathlib


def write(path, server, authority, client_certificate=None, token_file=None):
    """One cluster, one user (by certificate or token file), one context; returns the path."""
    user = {}
    if client_certificate:
        user["client-certificate"], user["client-key"] = (str(part) for part in client_certificate)
    if token_file:
        user["tokenFile"] = str(token_file)
    path = pathlib.Path(path)
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {
            "server": server, "certificate-authority": str(authority)}}],
        "users": [{"name": "test", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
    }, indent=1))
    return path
