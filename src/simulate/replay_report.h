// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `aliquotctl simulate` prints of a replay. Keys and columns: docs/reference/aliquotctl.md.
// Pure, thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/mapa_replay.h"
#include "simulate/openb_replay.h"
#include "simulate/run_figures.h"

namespace aliquot::simulate {

struct SeededRun {
  std::uint64_t seed = 0;
  RunFigures figures;
};

// One run: its object. Several: {"runs": [..], "mean": {..}, "deviation": {..}}.
std::string ReplayJson(std::string_view policy, const std::vector<SeededRun>& runs);
std::string ReplayTable(std::string_view policy, const std::vector<SeededRun>& runs);

std::string MapaJson(std::string_view policy, const MapaOutcome& outcome);
std::string MapaTable(std::string_view policy, const MapaOutcome& outcome);

}  // namespace aliquot::simulate
