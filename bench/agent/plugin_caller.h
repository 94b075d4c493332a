// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace aliquot::bench {

// Calls a device plugin as the kubelet does: one connection over its unix socket for all calls.
// Thread-safe. Both calls throw std::runtime_error with the plugin's words when it refuses, and
// return how long the call took in microseconds.
class PluginCaller {
 public:
  // Connects; throws when nobody answers there.
  explicit PluginCaller(const std::string& socket);
  ~PluginCaller();

  double Allocate(const std::vector<std::string>& device_ids);
  double PreStart(const std::vector<std::string>& device_ids);

 private:
  struct Stub;
  std::unique_ptr<Stub> stub_;
};

// Serves a device plugin at `socket` that answers every call at once with nothing, until this
// process is ended: what a call costs when nothing is done for it.
[[noreturn]] void ServeEmptyPlugin(const std::string& socket);

}  // namespace aliquot::bench
