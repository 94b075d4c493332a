# SPDX-License-Identifier: Apache-2.0
"""What tools/demo.py is made of."""
