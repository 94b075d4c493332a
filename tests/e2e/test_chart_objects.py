# SPDX-License-Identifier: Apache-2.0
"""The real API server takes every object of the chart, for each file of tests/chart/values: as a dry run, with all that it
checks and no unknown field. Objects of other projects' kinds are left out: their definitions are not there."""
import subprocess

import pytest
import yaml

from harness import binaries, chart
from harness.chart import CHART, ROOT

VALUES = sorted((ROOT / "tests" / "chart" / "values").glob("*.yaml"))
_OF_OTHERS = ("cert-manager.io/", "monitoring.coreos.com/")
_APPLY = "application/apply-patch+yaml"


@pytest.mark.core
@pytest.mark.parametrize("values", VALUES, ids=lambda path: path.stem)
def test_the_api_server_takes_every_object(cluster, work, values):
    text = subprocess.run(
        [str(binaries.program("helm")), "template", "aliquot", str(CHART), f"--namespace={work.name}",
         f"--values={values}", *(f"--api-versions={each}v1" for each in _OF_OTHERS)],
        check=True, text=True, stdout=subprocess.PIPE).stdout
    objects = [each for each in yaml.safe_load_all(text) if each and not each["apiVersion"].startswith(_OF_OTHERS)]
    assert len(objects) > 20
    for each in objects:
        if each["kind"] == "MutatingWebhookConfiguration":
            # That of the running suite calls an address where this one names a Service.
            each["metadata"]["name"] += "-tried"
        # A pod's account must be there for a dry run, too.
        dry = {} if each["kind"] == "ServiceAccount" else {"dryRun": "All"}
        # JSON is YAML, too. Applied, not created: some of the names exist.
        cluster.api.patch(chart.path_of(each, each["metadata"]["name"]), each, content_type=_APPLY, **dry,
                          fieldManager="chart-test", force="true", fieldValidation="Strict")
