// SPDX-License-Identifier: Apache-2.0
#include "simulate/run_figures.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace aliquot::simulate {
namespace {

// The nearest rank: the smallest value that at least `part` of all do not exceed.
double MicrosecondsAt(const std::vector<std::chrono::nanoseconds>& ascending, double part) {
  if (ascending.empty()) {
    return 0;
  }
  const double rank = std::ceil(part * static_cast<double>(ascending.size()));
  const std::size_t place = rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
  return std::chrono::duration<double, std::micro>(ascending[place]).count();
}

struct Moments {
  std::optional<double> mean;
  std::optional<double> deviation;
};

template <typename Get>
Moments MomentsOf(const std::vector<RunFigures>& runs, const Get& get) {
  double sum = 0;
  for (const RunFigures& run : runs) {
    const std::optional<double> value = get(run);
    if (!value) {
      return {};
    }
    sum += *value;
  }
  const double mean = sum / static_cast<double>(runs.size());
  double squares = 0;
  for (const RunFigures& run : runs) {
    squares += (*get(run) - mean) * (*get(run) - mean);
  }
  return {mean, std::sqrt(squares / static_cast<double>(runs.size()))};
}

}  // namespace

RunFigures FiguresOf(const ReplayResult& result, bool with_links) {
  RunFigures figures;
  for (std::size_t i = 0; i < kReportedPercents.size(); ++i) {
    const auto percent = static_cast<std::size_t>(kReportedPercents[i]);
    if (kReportedPercents[i] <= std::round(100 * result.arrivals)) {
      figures.allocated_percent[i] = result.allocated_percent.AtOrBefore(percent);
      figures.fragmentation_percent[i] = result.fragmentation_percent.AtOrBefore(percent);
    }
  }
  figures.arrived_pods = static_cast<double>(result.arrived_pods);
  figures.failed_pods = static_cast<double>(result.failed_pods);
  figures.decision_p50_us = MicrosecondsAt(result.decisions, 0.50);
  figures.decision_p99_us = MicrosecondsAt(result.decisions, 0.99);
  if (with_links) {
    figures.multi_card_pods = static_cast<double>(result.multi_card.pods);
    figures.multi_card_ring_of_best = result.multi_card.ring_of_best;
  }
  return figures;
}

FigureSummary Summarize(const std::vector<RunFigures>& runs) {
  FigureSummary summary;
  const auto required = [&](double RunFigures::*field) {
    const Moments moments =
        MomentsOf(runs, [field](const RunFigures& run) { return std::optional(run.*field); });
    summary.mean.*field = *moments.mean;
    summary.deviation.*field = *moments.deviation;
  };
  const auto optional = [&](std::optional<double> RunFigures::*field) {
    const Moments moments = MomentsOf(runs, [field](const RunFigures& run) { return run.*field; });
    summary.mean.*field = moments.mean;
    summary.deviation.*field = moments.deviation;
  };
  const auto at_percents = [&](RunFigures::AtPercents RunFigures::*field) {
    for (std::size_t i = 0; i < kReportedPercents.size(); ++i) {
      const Moments moments =
          MomentsOf(runs, [field, i](const RunFigures& run) { return (run.*field)[i]; });
      (summary.mean.*field)[i] = moments.mean;
      (summary.deviation.*field)[i] = moments.deviation;
    }
  };
  at_percents(&RunFigures::allocated_percent);
  at_percents(&RunFigures::fragmentation_percent);
  required(&RunFigures::arrived_pods);
  required(&RunFigures::failed_pods);
  required(&RunFigures::decision_p50_us);
  required(&RunFigures::decision_p99_us);
  optional(&RunFigures::multi_card_pods);
  optional(&RunFigures::multi_card_ring_of_best);
  return summary;
}

}  // namespace aliquot::simulate
