// SPDX-License-Identifier: Apache-2.0
#pragma once

// An answer as YAML. Strings that YAML could take for something else are quoted. Pure.

#include <nlohmann/json.hpp>
#include <string>

namespace aliquot::cli {

// Block style, keys in the order of the object; ends with a line break.
std::string ToYaml(const nlohmann::ordered_json& value);

}  // namespace aliquot::cli
