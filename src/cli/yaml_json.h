// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "program/yaml_document.h"

namespace aliquot::cli {

// A YAML value as JSON text, as kubectl turns manifests into requests: plain scalars that read as
// numbers (octal and hexadecimal too), true, false (yes, no, on, off) or null are those, as
// YAML 1.1 says; every other scalar is a string. Pure.
std::string ToJson(const program::YamlValue& value);

}  // namespace aliquot::cli
