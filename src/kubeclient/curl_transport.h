// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kubeclient/config.h"
#include "kubeclient/credentials.h"
#include "kubeclient/exec_credential.h"
#include "kubeclient/transport.h"

namespace aliquot::kubeclient {

class CurlSession;
struct Endpoint;
struct WireRequest;

// "aliquot-allocator/<version>".
std::string DefaultUserAgent();

struct TransportOptions {
  std::string user_agent = DefaultUserAgent();
  std::chrono::milliseconds connect_timeout{3000};  // TCP and TLS together
  std::size_t max_idle_connections = 8;
  // Under the 90 s after which the API server (Go's default in k8s.io/apiserver) drops an idle
  // connection.
  std::chrono::seconds max_idle_age{45};
  PluginHost plugin_host{};  // of credential plugins; nowhere unless set
};

// HTTP/1.1 over TLS 1.2+ by libcurl: the server's certificate and name are always verified,
// redirects never followed, no proxy but the configuration's, connections kept alive in a small
// pool; a change of CA or client certificate starts new ones. Thread-safe; a request holds one
// connection, and none of our locks while it waits.
class CurlTransport final : public Transport {
 public:
  // Reads the credentials once, so that a wrong path is an error now. The clock must outlive it.
  static Result<std::unique_ptr<CurlTransport>> Create(const ClientConfig& config,
                                                       const Clock& clock,
                                                       TransportOptions options = {});
  ~CurlTransport() override;

  CallResult Call(const ApiRequest& request, SteadyTime deadline,
                  Cancellation* cancellation) override;
  CallResult Stream(const ApiRequest& request, const StreamLimits& limits,
                    Cancellation& cancellation, const ChunkConsumer& consumer) override;

  // Why the newest credential files are not in use; OK when they are.
  Status credentials_problem() const { return credentials_->last_problem(); }

 private:
  CurlTransport(const ClientConfig& config, TransportOptions options, const Clock& clock,
                std::unique_ptr<Credentials> credentials);
  CallResult Send(const ApiRequest& request, const StreamLimits& limits, Cancellation* cancellation,
                  const ChunkConsumer* consumer);
  CallResult SendOnce(const ApiRequest& request, WireRequest& wire,
                      const std::shared_ptr<const CredentialSet>& credentials);
  std::unique_ptr<CurlSession> TakeSession(const std::shared_ptr<const CredentialSet>& credentials);
  void ReturnSession(std::unique_ptr<CurlSession> session);

  const TransportOptions options_;
  const Clock& clock_;
  const std::unique_ptr<Endpoint> endpoint_;
  const std::unique_ptr<Credentials> credentials_;
  const std::vector<std::string> impersonation_;  // header lines
  Mutex mutex_;
  std::vector<std::unique_ptr<CurlSession>> idle_ GUARDED_BY(mutex_);  // last used last
};

}  // namespace aliquot::kubeclient
