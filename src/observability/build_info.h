// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aliquot::observability {

// Set by CMake when the program was configured; constant. The commit is "unknown" for a source
// archive.
std::string_view Version();
std::string_view Commit();
// {"version":"0.1.0","commit":"5324a3c0ffee"}: the monitor's /version.
std::string BuildInfoJson();

}  // namespace aliquot::observability
