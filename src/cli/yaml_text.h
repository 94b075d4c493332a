// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "program/yaml_document.h"

namespace aliquot::cli {

// A YAML value as text in kubectl's style: two blanks a level, lists not indented, keys in their
// order. What was written without quotes is again, so that every reader takes it for the same;
// texts of several lines become literal blocks. Reading it gives an equal value. Pure. yaml-cpp's
// Emitter is not underneath: it indents lists below their key, keeps no plain scalar as it was
// written, and ends every literal block with a line end.
std::string YamlText(const program::YamlValue& value);

// A JSON document as such a value; texts that YAML readers would take for something else are
// quoted.
program::YamlValue YamlOf(const nlohmann::ordered_json& document);

}  // namespace aliquot::cli
