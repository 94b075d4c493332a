# SPDX-License-Identifier: Apache-2.0
"""Where the programs are and how much is checked."""
import os
import pathlib
import random

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One run prints it, another takes it to repeat the same sample.
SEED = int(os.environ.get("PLACEMENT_SEED", "20261129"))


@pytest.fixture(name="aliquotctl", scope="session")
def _aliquotctl():
    return os.environ.get("ALIQUOTCTL", ROOT / "out" / "bin" / "aliquotctl")


@pytest.fixture(name="exhaustive", scope="session")
def _exhaustive():
    """Every free set of 16 cards too, not a sample: minutes."""
    return os.environ.get("PLACEMENT_EXHAUSTIVE") == "1"


@pytest.fixture(name="rng")
def _rng():
    print(f"seed {SEED}")
    return random.Random(SEED)
