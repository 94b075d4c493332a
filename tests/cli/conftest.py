# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import what stands beside them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
