// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::http {

struct ListenAddress {
  std::string host;  // without brackets; empty: every address of both families
  std::uint16_t port = 0;
};

// "host:port", "[v6 address]:port" or ":port". Names are not resolved here.
Result<ListenAddress> ParseListenAddress(std::string_view text);
// The inverse: brackets around a host that has a colon.
std::string FormatHostPort(std::string_view host, std::uint16_t port);

}  // namespace aliquot::http
