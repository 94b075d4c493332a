# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the chart's tests. They run the real helm: HELM, or the one of the end-to-end tests."""
import os
import pathlib
import subprocess

import pytest

from rendering import ROOT, Helm

# Prints the name and the folder of a set of programs, and builds it first if its cache lacks it.
BUILD = ROOT / "tests" / "e2e" / "binaries" / "build.sh"


@pytest.fixture(scope="session")
def helm():
    """The real helm."""
    if "HELM" in os.environ:
        return Helm(os.environ["HELM"])
    built = subprocess.run([str(BUILD), "helm"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return Helm(str(pathlib.Path(built.split()[1]) / "helm"))


@pytest.fixture(scope="session")
def objects(helm):
    """The chart with its default values."""
    return helm.render()
