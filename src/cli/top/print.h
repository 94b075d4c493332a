// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of `aliquotctl top` as a table or as JSON (docs/reference/aliquotctl.md lists the keys;
// new ones may be added, none is renamed). Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/top/rows.h"

namespace aliquot::cli {

std::string NodeTable(const std::vector<TopNode>& rows, bool wide);
std::string CardTable(const std::vector<TopCard>& rows, bool wide);
// Wide: a line for each card of each container.
std::string PodTable(const std::vector<TopPod>& rows, bool wide, bool with_namespace);

// {"items": [..]}; null is what is not known.
nlohmann::ordered_json ToJson(const std::vector<TopNode>& rows);
nlohmann::ordered_json ToJson(const std::vector<TopCard>& rows);
nlohmann::ordered_json ToJson(const std::vector<TopPod>& rows);

}  // namespace aliquot::cli
