// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "kubeclient/config.h"
#include "kubeclient/credentials.h"
#include "kubeclient/transport.h"

namespace aliquot::kubeclient {

// One request as it goes on the wire.
struct WireRequest {
  std::string_view method;
  std::string target;  // path and query
  std::vector<std::string> headers;
  const std::string* body = nullptr;  // nullptr: none
  std::size_t max_reply_bytes = 0;
  StreamLimits limits;
  Cancellation* cancellation = nullptr;     // may be nullptr
  const ChunkConsumer* consumer = nullptr;  // of a 200 reply; nullptr: it is collected
};

// Where to; the same for all sessions of a transport.
struct Endpoint {
  std::string base_url;     // what libcurl is told: the scheme and the name to verify
  std::string connect_to;   // "" or CURLOPT_CONNECT_TO, when that name is not the real host
  std::string host_header;  // "" or "Host: ..." for the same reason
  std::string proxy;        // "" = none
  std::string user_agent;
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::seconds max_idle_age{0};
};

Endpoint MakeEndpoint(const ClientConfig& config);

// One libcurl handle with the connection that it keeps alive. One thread at a time.
class CurlSession {
 public:
  // nullptr when libcurl has no memory or no sockets for its wake-up.
  static std::unique_ptr<CurlSession> Create(const Endpoint& endpoint,
                                             std::shared_ptr<const CredentialSet> credentials);
  ~CurlSession();
  CurlSession(const CurlSession&) = delete;
  CurlSession& operator=(const CurlSession&) = delete;

  CallResult Perform(const WireRequest& request, const Clock& clock);

  std::uint64_t tls_generation() const { return credentials_->tls_generation; }

 private:
  struct Handles;
  struct Transfer;

  CurlSession(const Endpoint& endpoint, std::shared_ptr<const CredentialSet> credentials,
              std::unique_ptr<Handles> handles);
  bool Prepare(Transfer& transfer);
  bool PrepareTls();
  void Drive(Transfer& transfer, const Clock& clock);
  CallResult Conclude(Transfer& transfer);

  const Endpoint& endpoint_;
  const std::shared_ptr<const CredentialSet> credentials_;  // libcurl points into it
  const std::unique_ptr<Handles> handles_;
};

}  // namespace aliquot::kubeclient
