// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"

namespace aliquot::certificates {

enum class Purpose { kServer, kClient };

// Whether somebody who trusts `roots` believes `shown` (the leaf, then what is sent with it) at
// that time: "" or OpenSSL's reason.
std::string WhyNotTrusted(const std::string& shown, const std::string& roots, Purpose purpose,
                          SystemTime now, const std::string& host = "");

}  // namespace aliquot::certificates
