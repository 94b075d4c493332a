// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace aliquot::allocator {

// "host:port" of each listener as really bound.
struct Addresses {
  std::string extender;
  std::string admission;
  std::string monitor;
};

// The addresses file: {"extender":"..","admission":"..","monitor":".."}. Written in one step (a
// rename), so whoever waits for it never sees half of it.
Status WriteAddressesFile(const std::string& path, const Addresses& addresses);
Result<Addresses> ReadAddressesFile(const std::string& path);

}  // namespace aliquot::allocator
