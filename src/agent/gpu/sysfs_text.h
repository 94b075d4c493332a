// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace aliquot::agent {

// A small file's text without the white space around it; nothing when it cannot be read. At most
// 64 KiB are read.
std::optional<std::string> ReadSysfsText(const std::string& path);

// A file with one decimal number, -1 included; nothing for anything else.
std::optional<int> ReadSysfsNumber(const std::string& path);

}  // namespace aliquot::agent
