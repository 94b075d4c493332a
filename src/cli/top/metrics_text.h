// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prometheus' text format 0.0.4, read
// (github.com/prometheus/docs, content/docs/instrumenting/exposition_formats.md). Pure.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace aliquot::cli {

struct MetricSample {
  std::string_view name;  // of the text that is read
  std::vector<std::pair<std::string_view, std::string>> labels;
  double value = 0;

  // "" where there is no such label.
  const std::string& Label(std::string_view label) const;
};

// Calls `take` with every sample, in order. Comments are left out, timestamps too. Text that is
// something else is an error that names the line; samples before it have been taken.
Status ReadMetrics(std::string_view text, const std::function<void(const MetricSample&)>& take);

}  // namespace aliquot::cli
