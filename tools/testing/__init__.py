# SPDX-License-Identifier: Apache-2.0
"""What tools/run-tests.py is made of: the parts, how each is run, and the report."""
