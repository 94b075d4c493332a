// SPDX-License-Identifier: Apache-2.0
#pragma once

// The policies by name, as configuration and annotations spell them. Thread-safe; the policies live
// as long as the program.

#include <string_view>
#include <vector>

#include "base/status.h"
#include "scoring/policy.h"

namespace aliquot::scoring {

inline constexpr std::string_view kDefaultPolicy = "composite";

// nullptr when there is no policy of that name.
const Policy* FindPolicy(std::string_view name);
// The same with one sentence that lists the names.
Result<const Policy*> PolicyNamed(std::string_view name);
// The default first.
std::vector<std::string_view> PolicyNames();

}  // namespace aliquot::scoring
