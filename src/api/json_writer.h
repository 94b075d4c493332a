// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aliquot::api {

// Whether `text` may stand between quotes as it is: printable ASCII without quotes and backslashes.
bool IsPlainJsonText(std::string_view text);

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that
// the output always is. Thread-safe.
void AppendJsonString(std::string& out, std::string_view text);

// The longest prefix of at most `limit` bytes that ends at a UTF-8 character.
std::string_view CutAtCharacter(std::string_view text, std::size_t limit);

}  // namespace aliquot::api
