// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/usage/node_figures.h"

namespace aliquot::agent {

// The pages of tkestack gpu-manager's monitor, so that what scrapes and draws them lives on
// (configuration metrics.gpuManagerPages). Names, labels and units are gpu-manager's, odd ones
// included: docs/reference/agent-metrics.md says what each means. Pure.

// /metric: container_gpu_utilization, container_gpu_memory_total, container_request_gpu_utilization
// and container_request_gpu_memory, in Prometheus' text format.
std::string GpuManagerMetric(const NodeFigures& figures);
// /usage: JSON, by pod and container, what each asked for and uses.
std::string GpuManagerUsage(const NodeFigures& figures);
// /graph: the node's cards as a text tree.
std::string GpuManagerGraph(const NodeFigures& figures);

}  // namespace aliquot::agent
