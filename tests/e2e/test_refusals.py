# SPDX-License-Identifier: Apache-2.0
"""What a person sees in kubectl when a GPU pod is refused or corrected on its way in.

Each sentence must name the field, its value and the remedy, so these are asserted word by word
where they carry them.
"""
import json

import pytest

from harness import pods
from harness.waiting import until


def _limits(**amounts):
    """A pod whose one container has exactly these limits, by name behind tencent.com/."""
    built = pods.pod("p", [pods.container()])
    built["spec"]["containers"][0]["resources"] = {"limits": {
        f"tencent.com/{name.replace('_', '-')}": value for name, value in amounts.items()}}
    return built


def _annotated(key, value, core=20):
    built = pods.share("p", core=core)
    built["metadata"]["annotations"] = {key: value}
    return built


# What is refused, and what the sentence must hold: the field, the value, the remedy.
REFUSALS = {
    "core above 100 and no multiple of 100": (
        _limits(vcuda_core="150"),
        ['container "main"', "tencent.com/vcuda-core is 150", "multiple of 100"]),
    "a share without memory": (
        _limits(vcuda_core="20"),
        ['container "main"', "tencent.com/vcuda-core is 20 without tencent.com/vcuda-memory",
         "1 for each 256 MiB"]),
    "memory without a share": (
        _limits(vcuda_memory="15"),
        ['container "main"', "tencent.com/vcuda-memory is 15 without tencent.com/vcuda-core",
         "1 to 99"]),
    "a ceiling below the share": (
        _annotated("tencent.com/vcuda-core-limit", "10"),
        ['annotation tencent.com/vcuda-core-limit is "10"', "below the share of 20", '"main"']),
    "a ceiling that is no integer": (
        _annotated("tencent.com/vcuda-core-limit", "half"),
        ['annotation tencent.com/vcuda-core-limit is "half"', "use 1 to 100"]),
    "zero": (
        _limits(vcuda_core="0", vcuda_memory="15"),
        ['container "main"', "tencent.com/vcuda-core is 0", "at least 1"]),
    "negative": (
        _limits(vcuda_core="-20", vcuda_memory="15"),
        ['container "main"', 'tencent.com/vcuda-core is "-20"', "whole number"]),
    "a resource name with a typing error": (
        _limits(vcuda_cores="20", vcuda_memory="15"),
        ['container "main"', "tencent.com/vcuda-cores", "use tencent.com/vcuda-core"]),
    "an annotation of ours with a typing error": (
        _annotated("aliquot.io/gpu-modle", "A100"),
        ["annotation aliquot.io/gpu-modle is not known", "did you mean aliquot.io/gpu-model?"]),
    "a malformed annotation of ours": (
        _annotated("aliquot.io/placement", "sideways"),
        ['annotation aliquot.io/placement is "sideways"', "use binpack, spread or topology"]),
    "a number of cards that does not divide the share": (
        _annotated("aliquot.io/gpu-count", "3"),
        ['annotation aliquot.io/gpu-count is "3"', "core 20 and memory 15", '"main"',
         "use a number that divides both"]),
    "a malformed list of models": (
        _annotated("aliquot.io/gpu-model", "A100,,T4"),
        ['annotation aliquot.io/gpu-model is "A100,,T4"', "separated by commas"]),
    "a malformed strength of a wish": (
        _annotated("aliquot.io/link", "must"),
        ['annotation aliquot.io/link is "must"', "use preferred or required"]),
    "a privileged container": (
        pods.pod("p", [pods.container(core=20, memory=15, securityContext={"privileged": True})]),
        ['container "main": securityContext.privileged is true', "remove it, or ask for no GPU"]),
    "a node chosen by the pod itself": (
        pods.share("p", nodeName="some-node"),
        ['spec.nodeName is "some-node"', "remove it, or use spec.nodeSelector"]),
    "more than 16 GPU containers": (
        pods.pod("p", [pods.container(f"c{index}", core=1, memory=1) for index in range(17)]),
        ["the pod has 17 GPU containers", "use at most 16"]),
    "an init container is held to the same rules": (
        pods.pod("p", [pods.container()], init=[pods.container("prepare", core=250)]),
        ['container "prepare"', "tencent.com/vcuda-core is 250", "multiple of 100"]),
}


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case.replace(" ", "-"))
def test_kubectl_shows_one_sentence_with_field_value_and_remedy(cluster, work, case):
    built, parts = REFUSALS[case]
    status, _, shown = cluster.kubectl("create", "-n", work.name, "-f", "-", stdin=built)
    assert status == 1, "kubectl created the pod"
    assert "admission webhook" in shown and "denied the request: " in shown, shown
    sentence = shown.split("denied the request: ")[1].strip()
    for part in parts:
        assert part in sentence, f"'{part}' is missing in: {sentence}"
    assert "\n" not in sentence and len(sentence) < 400, sentence
    assert not work.pods()[0]


WARNINGS = {
    "annotations that only the allocator writes": (
        _annotated("aliquot.io/allocation", '{"v":1}'),
        ["annotation aliquot.io/allocation is removed; only Aliquot writes it"]),
    "memory on whole GPUs": (
        _limits(vcuda_core="100", vcuda_memory="15"), 
        ["tencent.com/vcuda-memory is ignored for whole GPUs"]),
    "a ceiling above 100": (
        _annotated("tencent.com/vcuda-core-limit", "150"), 
        ["annotation tencent.com/vcuda-core-limit is 150; it is taken as 100"]),
    "NVIDIA_VISIBLE_DEVICES": (
        pods.pod("p", [pods.container(core=20, memory=15, env=[
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}])]),
        ['container "main": NVIDIA_VISIBLE_DEVICES=all is replaced by void']),
    "an annotation that has no effect yet": (
        _annotated("aliquot.io/isolation", "mps"),
        ["annotation aliquot.io/isolation has no effect in this version"]),
    "a path into the kubelet's directories": (
        pods.pod("p", [pods.container(core=20, memory=15)], volumes=[
            {"name": "v", "hostPath": {"path": "/var/lib/kubelet"}}]),
        ["hostPath /var/lib/kubelet"]),
}


@pytest.mark.parametrize("case", WARNINGS, ids=lambda case: case.replace(" ", "-"))
def test_kubectl_warns_about_what_is_corrected_or_ignored(cluster, work, case):
    built, parts = WARNINGS[case]
    status, _, shown = cluster.kubectl("create", "-n", work.name, "-f", "-", stdin=built)
    assert status == 0, shown
    warnings = [line for line in shown.splitlines() if line.startswith("Warning: ")]
    for part in parts:
        assert any(part in line for line in warnings), f"no warning names '{part}': {shown}"


def test_our_annotations_are_stripped_from_a_restored_pod(cluster, work):
    restored = pods.share("restored")
    restored["metadata"]["annotations"] = {
        pods.ALLOCATION: '{"v":1}', f"{pods.INDEX_PREFIX}0": "7",
        "tencent.com/predicate-node": "old", "tencent.com/predicate-time": "1",
        "example.org/kept": "yes"}
    status, _, shown = cluster.kubectl("create", "-n", work.name, "-f", "-", stdin=restored)
    assert status == 0 and "Warning: " in shown, shown
    assert pods.annotations_of(work.pod("restored")) == {"example.org/kept": "yes"}


def test_an_admitted_pod_is_labelled_tolerates_gpu_nodes_and_sees_no_device(work):
    built = pods.pod("admitted", [pods.container(core=20, memory=15), pods.container("plain")],
                     init=[pods.container("prepare")])
    admitted = work.create(built)
    assert admitted["metadata"]["labels"][pods.GPU_LABEL] == "true"
    for each in admitted["spec"]["containers"] + admitted["spec"]["initContainers"]:
        assert {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in each["env"], each["name"]
    tolerated = {(each.get("key"), each.get("operator"))
                 for each in admitted["spec"]["tolerations"]}
    assert ("nvidia.com/gpu", "Exists") in tolerated


def test_a_dry_run_changes_nothing(cluster, work):
    built = pods.share("dry")
    status, shown, errors = cluster.kubectl("create", "-n", work.name, "-f", "-", "-o", "json",
                                            "--dry-run=server", stdin=built)
    assert status == 0, errors
    assert json.loads(shown)["metadata"]["labels"][pods.GPU_LABEL] == "true"
    assert not work.pods()[0]


def test_a_share_larger_than_any_card_is_admitted_with_a_warning(cluster, work):
    work.add_node(cards=1)
    large = pods.share("large", memory=400)

    def warned():
        status, _, shown = cluster.kubectl("create", "-n", work.name, "-f", "-",
                                           "--dry-run=server", stdin=large)
        assert status == 0, shown
        return "102400 MiB on one GPU, more than any card known now" in shown
    # The largest card is looked up once a second.
    until("a warning about the large share", warned)


def test_a_mirror_pod_passes(work):
    # The kubelet made it for a static pod that runs already: to refuse it would stop nothing.
    node = work.add_node(cards=1)
    mirror = pods.share("static", nodeName=node)
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "hash"}
    assert pods.node_of(work.create(mirror)) == node
