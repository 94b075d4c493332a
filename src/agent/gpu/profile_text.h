// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/status.h"
#include "program/map_reader.h"
#include "program/problems.h"

// The forms of text in machine profiles and their state files. Pure and thread-safe.

namespace aliquot::agent {

// Numbers and points: "535.183.01", "12.2", "8.0".
bool IsVersion(std::string_view text);
// 1 to 96 printable ASCII characters.
bool IsPlainName(std::string_view text);
// A PCI address as sysfs names it: "0000:3b:00.0", the domain of four to eight digits.
bool IsPciAddress(std::string_view text);
// One component of a path below /dev: letters, digits, '-', '_' and '.', a letter or digit first.
bool IsNodeName(std::string_view text);
// Components of a path below /dev, "nvidia-caps/nvidia-cap1".
bool IsNodePath(std::string_view text);
// "0666" or "666": permission bits in octal.
std::optional<mode_t> ParseFileMode(std::string_view text);

// Reads apiVersion and kind, and takes any others than ours as problems.
void RequireKind(program::MapReader& top, std::string_view kind);

// The first problem, and how many more there are. Pre: there is one.
Status FirstProblem(const program::Problems& problems);

}  // namespace aliquot::agent
