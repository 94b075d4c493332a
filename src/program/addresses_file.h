// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace aliquot::program {

// What a program's listeners are called and where they really are: name, then "host:port" or the
// path of a socket. Written in this order.
using Addresses = std::vector<std::pair<std::string, std::string>>;

// The addresses file: {"extender":"..","monitor":".."}. Written in one step (a rename), so whoever
// waits for it never sees half of it. Errors are one sentence that names the file.
Status WriteAddressesFile(const std::string& path, const Addresses& addresses);
// The address of one listener.
Result<std::string> ReadAddress(const std::string& path, std::string_view name);

}  // namespace aliquot::program
