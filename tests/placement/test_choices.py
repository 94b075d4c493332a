# SPDX-License-Identifier: Apache-2.0
"""The service's chooser against brute force from the raw matrix, on every complete topology at hand."""
import pytest

from comparison import differences, topologies


@pytest.mark.parametrize("path", topologies(), ids=lambda path: path.stem)
def test_every_choice_is_the_best_set(path, exhaustive, rng):
    compared, found = differences(path, exhaustive, rng)
    assert compared > 0
    assert not found, "\n".join(found[:5])
