// SPDX-License-Identifier: Apache-2.0
#include "allocator/addresses_file.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

namespace aliquot::allocator {
namespace {

std::string Why() { return std::error_code(errno, std::generic_category()).message(); }

}  // namespace

Status WriteAddressesFile(const std::string& path, const Addresses& addresses) {
  const std::string fresh = path + ".new";
  const nlohmann::ordered_json json = {{"extender", addresses.extender},
                                       {"admission", addresses.admission},
                                       {"monitor", addresses.monitor}};
  errno = 0;
  std::ofstream file(fresh, std::ios::trunc);
  file << json.dump() << '\n';
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) {
    return Unavailable("addressesFile \"" + path + "\" cannot be written (" + Why() +
                       "); give a path in a writable directory");
  }
  return Status::Ok();
}

Result<Addresses> ReadAddressesFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const auto json = nlohmann::json::parse(text.str(), nullptr, false);
  Addresses addresses;
  for (const auto& [key, value] :
       {std::pair{"extender", &addresses.extender}, std::pair{"admission", &addresses.admission},
        std::pair{"monitor", &addresses.monitor}}) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_string()) {
      return NotFound("addressesFile \"" + path +
                      "\" names no addresses; is the allocator running with this file?");
    }
    *value = json[key].get<std::string>();
  }
  return addresses;
}

}  // namespace aliquot::allocator
