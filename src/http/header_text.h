// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The character rules of HTTP header fields (RFC 9110 section 5.6). Pure functions on bytes, no
// locale.

namespace aliquot::http {

bool EqualsIgnoringCase(std::string_view a, std::string_view b);
// One or more token characters: what a method or a field name may consist of.
bool IsToken(std::string_view text);
// No control character but the tab; bytes over 127 are allowed, as in RFC 9110's field-value.
bool IsFieldValue(std::string_view text);
// Whether a comma-separated list holds the word, compared without case.
bool ListContains(std::string_view list, std::string_view word);
// The media type without its parameters: "application/json" of "application/json; charset=utf-8".
std::string_view MediaType(std::string_view content_type);

}  // namespace aliquot::http
