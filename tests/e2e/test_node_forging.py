# SPDX-License-Identifier: Apache-2.0
"""Records that were signed, but not so that this node may obey them: by another key, for another node,
or of a version that this agent does not know. Missing, changed and foreign records: test_node_refusals.py.
"""
import base64
import hashlib
import json
import subprocess

import pytest

from harness import pods, runtime
from harness.expectations import check_container, wait_refused_start, wait_started

SIGNATURE = "aliquot.io/allocation-signature"


@pytest.fixture
def work(real_nodes, node_work):
    """A namespace on a node of four T4."""
    return node_work(real_nodes.get("refuses", runtime.NEW, "t4x4"))


def sign(private, public, record, folder):
    """The signature annotation of a record, made without the allocator: docs/reference/annotations.md."""
    text = folder / "record"
    text.write_text(record)
    made = subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", private, "-in", text],
                          check=True, stdout=subprocess.PIPE).stdout
    raw = subprocess.run(["openssl", "pkey", "-pubin", "-in", public, "-outform", "DER"],
                         check=True, stdout=subprocess.PIPE).stdout[-32:]
    return f"{hashlib.sha256(raw).hexdigest()[:16]}:{base64.b64encode(made).decode()}"


def rewrite(work, name, record, signature):
    """Replaces a pod's record as the allocator's own user."""
    work.cluster.allocator.client().patch(
        f"/api/v1/namespaces/{work.name}/pods/{name}",
        {"metadata": {"annotations": {pods.ALLOCATION: record, SIGNATURE: signature}}})


def check_starts_with(work, name, original):
    """Once its own record is back, the container starts by itself, on its card."""
    assert work.starts(name) == 0
    annotations = pods.annotations_of(original)
    rewrite(work, name, annotations[pods.ALLOCATION], annotations[SIGNATURE])
    wait_started(work, name)
    check_container(work, name)


def test_a_record_signed_by_a_key_that_the_node_does_not_know_is_refused(work, tmp_path):
    original = work.create_held(pods.share("stranger"))
    record = pods.annotations_of(original)[pods.ALLOCATION]
    keys = work.cluster.plane.authority.signing_key_pair("stranger", ed25519=True)
    rewrite(work, "stranger", record, sign(*keys, record, tmp_path))
    work.let_go("stranger")
    sentence = wait_refused_start(work, "stranger", "bad_signature")
    assert "key" in sentence
    check_starts_with(work, "stranger", original)


def test_a_record_for_another_node_is_refused_although_it_is_signed(work, tmp_path):
    original = work.create_held(pods.share("elsewhere"))
    record = json.loads(pods.annotations_of(original)[pods.ALLOCATION])
    assert record["node"] == work.node.name
    record = json.dumps({**record, "node": "another-node"}, separators=(",", ":"))
    keys = work.cluster.allocator.signing_keys
    rewrite(work, "elsewhere", record, sign(*keys, record, tmp_path))
    work.let_go("elsewhere")
    sentence = wait_refused_start(work, "elsewhere", "wrong_node")
    assert "another-node" in sentence and work.node.name in sentence
    check_starts_with(work, "elsewhere", original)


def test_a_record_of_a_later_version_is_refused_although_it_is_signed(work, tmp_path):
    original = work.create_held(pods.share("later"))
    record = json.loads(pods.annotations_of(original)[pods.ALLOCATION])
    record = json.dumps({**record, "v": 9}, separators=(",", ":"))
    keys = work.cluster.allocator.signing_keys
    rewrite(work, "later", record, sign(*keys, record, tmp_path))
    work.let_go("later")
    sentence = wait_refused_start(work, "later", "record_version")
    assert pods.ALLOCATION in sentence and "9" in sentence
    check_starts_with(work, "later", original)
