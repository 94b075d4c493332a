# SPDX-License-Identifier: Apache-2.0
"""A real Kubernetes control plane on the loopback interface, and the allocator beside it."""
