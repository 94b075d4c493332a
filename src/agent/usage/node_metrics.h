// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "agent/usage/node_figures.h"
#include "prometheus/metric_family.h"

namespace aliquot::agent {

// The metrics of cards and shares, made anew at each scrape, so that none outlives what it speaks
// of. Names, labels and units: docs/reference/agent-metrics.md. Labels UUID, gpu, Hostname,
// namespace, pod and container are spelt as NVIDIA's DCGM exporter spells them: the two join. Pure.
std::vector<prometheus::MetricFamily> NodeMetrics(const NodeFigures& figures);

}  // namespace aliquot::agent
