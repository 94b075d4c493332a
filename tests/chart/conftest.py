# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the chart's tests. They run the real helm; HELM says where it is."""
import os

import pytest

from rendering import Helm


@pytest.fixture(scope="session")
def helm():
    """The real helm."""
    program = os.environ.get("HELM")
    assert program, "set HELM to the helm program; tests/e2e/binaries/build.sh helm builds it"
    return Helm(program)


@pytest.fixture(scope="session")
def objects(helm):
    """The chart with its default values."""
    return helm.render()
