// SPDX-License-Identifier: Apache-2.0
#pragma once

// The figures of a replay that are reported, and their mean and deviation over several seeds. Plain
// values; pure functions.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/openb_replay.h"

namespace aliquot::simulate {

// Percents of the cluster's GPUs that arrivals ask for at which figures are reported.
inline constexpr std::array<int, 4> kReportedPercents = {95, 100, 110, 130};

struct RunFigures {
  // Nothing at percents that the run was not asked to reach. Else as ArrivalCurve::AtOrBefore.
  using AtPercents = std::array<std::optional<double>, kReportedPercents.size()>;

  AtPercents allocated_percent;
  AtPercents fragmentation_percent;
  double arrived_pods = 0;
  double failed_pods = 0;
  double decision_p50_us = 0;
  double decision_p99_us = 0;
  // Only where links were given.
  std::optional<double> multi_card_pods;
  std::optional<double> multi_card_ring_of_best;
};

// `with_links`: the multi-card figures count.
RunFigures FiguresOf(const ReplayResult& result, bool with_links);

struct FigureSummary {
  RunFigures mean;
  RunFigures deviation;  // of the population
};

// Where any run has no value there is none. Pre: not empty.
FigureSummary Summarize(const std::vector<RunFigures>& runs);

}  // namespace aliquot::simulate
