// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aliquot::agent {

// SHA-256 of `text` as 64 lower-case hex digits (FIPS 180-4, by OpenSSL). Thread-safe.
std::string Sha256Hex(std::string_view text);

}  // namespace aliquot::agent
