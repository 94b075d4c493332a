# SPDX-License-Identifier: Apache-2.0
"""docs/quickstart.md, steps 4 to 7, as it stands there, on a cluster of one machine without a GPU.

Other than in the page the images of the two pods are the test's own: nothing can be pulled here.
Nothing of the cluster is prepared: what the chart needs without GPUs is in its examples/.
"""
import re
import shlex

from harness import binaries, images, pods
from harness.chart import NAMESPACE, ROOT
from harness.waiting import until

PAGE = ROOT / "docs" / "quickstart.md"
_IMAGES = ("quay.io/jupyter/minimal-notebook", "registry.k8s.io/pause:3.10")


def blocks(step, language):
    """The blocks of one step of the page."""
    section = re.search(rf"^## {step}\. .*?\n(.*?)(?=^## |\Z)", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)[1]
    found = re.findall(rf"^```{language}\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    assert found, f"step {step} has no block of {language}"
    for image in _IMAGES:
        found = [text.replace(image, images.PROBE) for text in found]
    return found


class Reader:
    """Types what the page says."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._programs = {"helm": binaries.program("helm"), "kubectl": binaries.program("kubectl"),
                          "out/bin/aliquotctl": ROOT / "out" / "bin" / "aliquotctl"}
        for text in blocks(5, "yaml"):
            (cluster.folder / re.match(r"# (\S+)\n", text)[1]).write_text(text)

    def type(self, line):
        """Runs one line in the root of the sources; returns what it printed."""
        words = shlex.split(line)
        files = [str(self._cluster.folder / word) if (self._cluster.folder / word).is_file() else
                 str(ROOT / word) if (ROOT / word).exists() else word for word in words[1:]]
        status, text = self._cluster.run([self._programs[words[0]], *files], timeout=120, check=False)
        assert status == 0, f"{line}: {text}\n" + self._cluster.kubectl(
            "get", "pods,events", "-A", "-o", "wide", check=False)[1]
        return text

    def follow(self, step, part=0):
        """Types the lines of a block; returns [(line, output)]."""
        said = []
        for line in blocks(step, "bash")[part].splitlines():
            if line.split()[0] in self._programs:
                said.append((line, self.type(line)))
        return said


def test_a_new_user_gets_a_fifth_of_a_card_as_the_page_says(make_cluster):
    cluster = make_cluster()
    reader = Reader(cluster)

    reader.follow(4)
    until("the node to offer its cards", lambda: cluster.nodes[0].cards(), timeout=60)
    # The second block asks for them.
    assert "GPU-" in reader.follow(4, part=1)[0][1]

    reader.type("kubectl apply -f notebook.yaml")
    notebook = until("the notebook to run", lambda: _running(cluster, "notebook"), timeout=60)
    index = pods.annotations_of(notebook)[f"{pods.INDEX_PREFIX}0"]
    said = dict(reader.follow(5)[1:])
    listing = next(text for line, text in said.items() if "exec" in line)
    assert f"/dev/nvidia{index}\n" in listing
    assert re.findall(r"/dev/nvidia\d+", listing) == [f"/dev/nvidia{index}"]

    lines = blocks(6, "bash")[0].splitlines()
    reader.type(lines[0])
    until("somebody to have looked at it", lambda: pods.condition(
        _pod(cluster, "greedy"), "PodScheduled"), timeout=60)
    for line in lines[1:]:
        reader.type(line)
    until("the other pod to start by itself", lambda: _running(cluster, "greedy"), timeout=90)

    reader.follow(7)
    assert cluster.api.exists(
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/aliquot") is None
    assert _running(cluster, "greedy"), "a running pod did not outlive the release"
    assert not cluster.api.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments")["items"]


def _pod(cluster, name):
    return cluster.api.get(f"/api/v1/namespaces/default/pods/{name}")


def _running(cluster, name):
    """The pod, once it runs."""
    found = _pod(cluster, name)
    return found if found["status"].get("phase") == "Running" else None
