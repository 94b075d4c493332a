// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whole files as text. Errors: one sentence with the path and the system's reason.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::cli {

inline constexpr std::size_t kMaxInputBytes = std::size_t{64} << 20;

// "-" is the standard input.
Result<std::string> ReadTextFile(const std::string& path, std::size_t max_bytes = kMaxInputBytes);
// Replaces what is there.
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace aliquot::cli
