// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/listen_address.h"
#include "model/names.h"
#include "program/configuration_document.h"
#include "program/problems.h"

namespace aliquot::program {

// The rules of a configuration that more than one program has. Each breach is a problem at the
// place that the value comes from. Opens no file and no socket. Origins and problems must outlive
// it. Not thread-safe.
class ConfigurationRules {
 public:
  ConfigurationRules(const Origins& origins, Problems& problems)
      : origins_(origins), problems_(problems) {}

  // `sentence` follows the key: "is 7; ...".
  void Complain(std::string_view key, std::string_view sentence);

  // host:port, [v6 address]:port or :port.
  std::optional<http::ListenAddress> CheckListenAddress(std::string_view key,
                                                        const std::string& text);
  // The same, and the host is a loopback address: a monitor asks nobody who they are.
  void CheckMonitorAddress(std::string_view key, const std::string& text);
  // Two different extended resource names that begin with the prefix. Keys
  // resourceNames.{core,memory,prefix}.
  void CheckResourceNames(const model::ResourceNames& names);

 private:
  void CheckResourceName(std::string_view key, const std::string& name);

  const Origins& origins_;
  Problems& problems_;
};

}  // namespace aliquot::program
