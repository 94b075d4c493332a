// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of `aliquotctl get` as a table or as JSON (docs/reference/aliquotctl.md lists the keys;
// new ones may be added, none is renamed). Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/get/rows.h"

namespace aliquot::cli {

std::string NodeTable(const std::vector<NodeRow>& rows, bool wide);
std::string CardTable(const std::vector<CardRow>& rows, bool wide);
std::string PodTable(const std::vector<PodRow>& rows, bool wide, bool with_namespace,
                     SystemTime now);

// {"items": [..]}
nlohmann::ordered_json ToJson(const std::vector<NodeRow>& rows);
nlohmann::ordered_json ToJson(const std::vector<CardRow>& rows);
nlohmann::ordered_json ToJson(const std::vector<PodRow>& rows);

}  // namespace aliquot::cli
