# SPDX-License-Identifier: Apache-2.0
"""Every object of the chart for each file in values/, held against golden/, and for every Kubernetes minor.

golden/defaults.yaml has all objects; the others have those that differ from it, and the names of those that are missing. After a
wanted change write them anew and read the difference:

    CHART_GOLDEN=write /usr/bin/python3 -m pytest tests/chart/test_matrix.py
"""
import os
import pathlib

import pytest
import yaml

from rendering import CHART, NAMESPACE

HERE = pathlib.Path(__file__).resolve().parent
VALUES = sorted(path.stem for path in (HERE / "values").glob("*.yaml"))
MINORS = [f"v1.{minor}.0" for minor in range(32, 38)]
# What a cluster has where the values ask for other projects' resources.
WITH = ("--api-versions=monitoring.coreos.com/v1", "--api-versions=cert-manager.io/v1")
NEWEST = MINORS[-1]


def rendered(helm, values, version):
    """Every object by "Kind name"; the version of Kubernetes is written as VERSION."""
    status, text, error = helm.run("template", "aliquot", str(CHART), f"--namespace={NAMESPACE}", f"--kube-version={version}",
                                   f"--values={HERE / 'values' / f'{values}.yaml'}", *WITH)
    assert status == 0, error
    objects = [each for each in yaml.safe_load_all(text.replace(version, "VERSION")) if each]
    named = {f"{each['kind']} {each['metadata']['name']}": each for each in objects}
    assert len(named) == len(objects), "two objects of one kind and name"
    return named


def written(objects):
    """The golden file's text."""
    return yaml.safe_dump(objects, sort_keys=True, width=130, default_flow_style=False)


def expected_file(values, objects, defaults):
    """What the golden file of these values holds."""
    if values == "defaults":
        return objects
    differing = {name: each for name, each in objects.items() if defaults.get(name) != each}
    return {**differing, "missing": sorted(set(defaults) - set(objects))}


@pytest.mark.parametrize("values", VALUES)
def test_objects_are_as_before(helm, values):
    defaults = rendered(helm, "defaults", NEWEST)
    text = written(expected_file(values, rendered(helm, values, NEWEST), defaults))
    golden = HERE / "golden" / f"{values}.yaml"
    if os.environ.get("CHART_GOLDEN") == "write":
        golden.write_text(text)
    assert golden.read_text() == text, f"{golden} differs; read the change, then write it anew with CHART_GOLDEN=write"


@pytest.mark.parametrize("version", MINORS[:-1])
@pytest.mark.parametrize("values", VALUES)
def test_objects_do_not_depend_on_the_minor(helm, values, version):
    assert rendered(helm, values, version) == rendered(helm, values, NEWEST)


def test_no_golden_file_is_left_over():
    assert sorted(path.stem for path in (HERE / "golden").glob("*.yaml")) == VALUES
