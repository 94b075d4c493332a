// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace aliquot::admission {

// The name that was probably meant: the one with the fewest edits to `text`, if that is three or
// fewer; the first of equals. Empty when none is near. Pure.
std::string_view NearestName(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace aliquot::admission
