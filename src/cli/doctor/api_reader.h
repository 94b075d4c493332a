// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads objects of a cluster for a look at it: whole, as JSON, and without giving up where a right
// is missing. Every answer is an object or one sentence; kNotFound means that there is none, and
// kPermissionDenied that the user may not look. Blocking; not thread-safe.

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace aliquot::cli {

class ApiReader {
 public:
  // Both must outlive it.
  ApiReader(kubeclient::Transport& transport, const Clock& clock)
      : transport_(transport), clock_(clock) {}

  // `namespace_name` "": the object is of the cluster.
  Result<nlohmann::json> Get(const kubeclient::ApiVerb& verb, const std::string& namespace_name,
                             const std::string& name);
  // Every object, page by page, so that a large cluster is never in memory at once.
  Status ForEach(const kubeclient::ApiVerb& verb, const std::string& namespace_name,
                 const std::string& label_selector,
                 const std::function<void(const nlohmann::json&)>& take);
  // Has the API server run all of its admission for a new object, and keep nothing.
  Result<nlohmann::json> TryCreate(const kubeclient::ApiVerb& verb,
                                   const std::string& namespace_name, const nlohmann::json& object);

  // The server's clock at its last answer (the header Date, whole seconds), and ours then.
  struct Clocks {
    SystemTime server;
    SystemTime ours;
  };
  const std::optional<Clocks>& clocks() const { return clocks_; }

 private:
  Result<nlohmann::json> Call(kubeclient::ApiRequest request, const std::string& doing);

  kubeclient::Transport& transport_;
  const Clock& clock_;
  std::optional<Clocks> clocks_;
};

// "" or null where there is no such member; pointers as in RFC 6901.
std::string TextAt(const nlohmann::json& object, const char* pointer);
std::int64_t NumberAt(const nlohmann::json& object, const char* pointer, std::int64_t fallback = 0);
// The member, or a null.
const nlohmann::json& MemberAt(const nlohmann::json& object, const char* pointer);

// Times as the API writes them (RFC 3339, UTC) and as HTTP does; nothing for anything else.
std::optional<SystemTime> ParseApiTime(const std::string& text);
std::optional<SystemTime> ParseHttpDate(const std::string& text);

}  // namespace aliquot::cli
