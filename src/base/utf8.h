// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace aliquot {

// Well-formed UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing past
// U+10FFFF. Pure.
bool IsUtf8(std::string_view text);

}  // namespace aliquot
