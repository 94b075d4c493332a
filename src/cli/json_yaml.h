// SPDX-License-Identifier: Apache-2.0
#pragma once

// An answer as JSON or YAML, the latter as yaml_text.h writes it. Pure.

#include <nlohmann/json.hpp>
#include <string>

namespace aliquot::cli {

// Block style, keys in the order of the object; ends with a line break.
std::string ToYaml(const nlohmann::ordered_json& value);
// As `output` says: "yaml", else JSON; ends with a line break.
std::string ToDocument(const nlohmann::ordered_json& value, const std::string& output);

}  // namespace aliquot::cli
