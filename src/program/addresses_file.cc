// SPDX-License-Identifier: Apache-2.0
#include "program/addresses_file.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

namespace aliquot::program {
namespace {

std::string Why() { return std::error_code(errno, std::generic_category()).message(); }

}  // namespace

Status WriteAddressesFile(const std::string& path, const Addresses& addresses) {
  const std::string fresh = path + ".new";
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, address] : addresses) {
    json[name] = address;
  }
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

Result<std::string> ReadAddress(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const auto json = nlohmann::json::parse(text.str(), nullptr, false);
  const std::string key(name);
  if (!json.is_object() || !json.contains(key) || !json[key].is_string()) {
    return NotFound("addressesFile \"" + path + "\" names no " + key +
                    " address; is the program running with this file?");
  }
  return json[key].get<std::string>();
}

}  // namespace aliquot::program
