// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

// Decimal digits only, no sign, no blanks; nothing for anything else or past 2^63-1.
std::optional<std::int64_t> ParseUnsigned(std::string_view text);
std::vector<std::string_view> Split(std::string_view text, char separator);
std::string_view Trim(std::string_view text);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);
bool StartsWith(std::string_view text, std::string_view prefix);
// Text from outside made safe for a one-line message: control characters become '?', and what is
// longer than `limit` bytes is cut with "...".
std::string Printable(std::string_view text, std::size_t limit = 80);

}  // namespace aliquot
