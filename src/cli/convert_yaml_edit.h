// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"
#include "program/yaml_document.h"

namespace aliquot::cli {

// Applies an RFC 6902 patch of add, replace and remove to a YAML document, so that whatever it does
// not name keeps its order and its spelling. Every path is below `base`, a JSON pointer. A text
// that is added is quoted. The error is a fault of ours: a path that is not there.
Status PatchYaml(const nlohmann::json& patch, const std::string& base,
                 program::YamlValue& document);

}  // namespace aliquot::cli
