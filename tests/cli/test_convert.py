# SPDX-License-Identifier: Apache-2.0
"""aliquotctl convert, on the built program; what comes out is read by another YAML reader."""
import json

import pytest
import yaml
from aliquotctl import run

HAMI = """# our notebooks
apiVersion: apps/v1
kind: Deployment
metadata: {name: notebook}
spec:
  template:
    metadata: {annotations: {hami.io/gpu-scheduler-policy: spread}}
    spec:
      schedulerName: hami-scheduler
      containers:
        - name: main
          image: notebook:1
          env: [{name: DEBUG, value: "1"}]
          resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 20}}
"""
KAI = """apiVersion: v1
kind: Pod
metadata: {name: half, labels: {kai.scheduler/queue: test}, annotations: {gpu-fraction: "0.5"}}
spec: {schedulerName: kai-scheduler, containers: [{name: main, image: i}]}
"""
SERVICE = """apiVersion: v1
kind: Service   # stays as it is
metadata: {name:   s}
"""


def convert(text, *flags):
    """What convert makes of the text, and its notes."""
    done = run("convert", "-", *flags, text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.splitlines()


def test_hami_becomes_shares_with_notes():
    out, notes = convert(HAMI)
    template = yaml.safe_load(out)["spec"]["template"]
    # 2 x 20 %, 2 x 12 units (3000 MiB rounded up to 3072).
    assert template["spec"]["containers"][0]["resources"]["limits"] == {
        "tencent.com/vcuda-core": "40", "tencent.com/vcuda-memory": "24"}
    assert template["metadata"]["annotations"] == {"aliquot.io/placement": "spread", "aliquot.io/gpu-count": "2"}
    assert "schedulerName" not in template["spec"]
    assert template["spec"]["containers"][0]["env"] == [{"name": "DEBUG", "value": "1"}]
    assert all(note.startswith('-:2: Deployment "notebook": ') for note in notes) and len(notes) == 2
    assert out.startswith("# our notebooks\n# aliquotctl convert: ")


def test_several_documents_each_by_its_own_scheme():
    out, _ = convert(SERVICE + "---\n" + HAMI + "---\n" + KAI, "--card-memory", 16384)
    assert out.startswith(SERVICE + "---\n")
    _, _, half = yaml.safe_load_all(out)
    assert half["spec"]["containers"][0]["resources"]["limits"] == {
        "tencent.com/vcuda-core": "50", "tencent.com/vcuda-memory": "32"}
    assert convert(out, "--card-memory", 16384)[0] == out, "converting twice is converting once"


def test_a_part_of_a_card_of_unknown_memory_is_refused():
    done = run("convert", "-", text=HAMI + "---\n" + KAI)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith('-:16: Pod "half": container "main": gpu-fraction 0.5 is a part')
    assert "--card-memory" in done.stderr


def test_time_slicing_needs_the_size_of_a_replica():
    pod = "kind: Pod\nspec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu.shared: 1}}}]}\n"
    assert run("convert", "-", text=pod).returncode == 1
    out, _ = convert(pod, "--share", "10:2048")
    assert yaml.safe_load(out)["spec"]["containers"][0]["resources"]["limits"] == {
        "tencent.com/vcuda-core": "10", "tencent.com/vcuda-memory": "8"}


@pytest.mark.parametrize("flags", [("--share", "100:1"), ("--share", "x"), ("--from", "other"), ("-o", "xml")])
def test_flags_that_make_no_sense_are_refused(flags):
    done = run("convert", "-", *flags, text=SERVICE)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and done.stdout == ""


def test_json_on_demand():
    out, _ = convert(KAI, "--card-memory", "16384", "-o", "json")
    assert json.loads(out)["spec"]["containers"][0]["resources"]["limits"]["tencent.com/vcuda-core"] == "50"
