// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "http/server.h"
#include "tests/integration/http_test_client.h"
#include "tests/support/test_certificates.h"

namespace aliquot::test {

// Keeps what the server reports. Thread-safe.
class RecordingObserver final : public http::ServerObserver {
 public:
  struct Request {
    std::string route;
    http::RequestRecord record;
  };

  void OnRequest(const http::RequestRecord& record) override;
  void OnConnectionCount(std::size_t open) override;
  void OnConnectionFailed(std::string_view remote_address, std::string_view reason) override;
  void OnTlsReload(const Status& outcome) override;
  void OnHandlerException(std::string_view route, std::string_view what) override;

  std::vector<Request> requests() const;
  std::vector<std::string> failures() const;
  std::vector<Status> reloads() const;
  std::vector<std::string> exceptions() const;
  // Waits, with the clients' time limit, until so many connections are open, or requests recorded.
  bool WaitForConnections(std::size_t open) const;
  bool WaitForRequests(std::size_t count) const;
  bool WaitForReloads(std::size_t count) const;

 private:
  template <typename Condition>
  bool WaitFor(Condition condition) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::vector<Request> requests_ GUARDED_BY(mutex_);
  std::vector<std::string> failures_ GUARDED_BY(mutex_);
  std::vector<Status> reloads_ GUARDED_BY(mutex_);
  std::vector<std::string> exceptions_ GUARDED_BY(mutex_);
  std::size_t open_ GUARDED_BY(mutex_) = 0;
};

// Holds handlers back until the test opens it. Thread-safe.
class Gate {
 public:
  void Open();
  void Pass();                           // a handler waits here
  bool WaitForWaiting(int count) const;  // until so many handlers are waiting

 private:
  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool open_ GUARDED_BY(mutex_) = false;
  int waiting_ GUARDED_BY(mutex_) = 0;
};

// A server on a free loopback port with these routes: POST /echo (the body back), GET /ping
// ("pong"), GET /whoami (common name), GET /query (the parameters), POST /gate (waits for gate_),
// POST /throw, GET /large (kLargeBytes).
class HttpServerTest : public testing::Test {
 protected:
  // More than the kernel buffers for a connection whose client does not read.
  static constexpr std::size_t kLargeBytes = 32u << 20;

  HttpServerTest();
  ~HttpServerTest() override;

  // Call once per test, after changing options_.
  void StartPlain();
  void StartTls(bool client_certificate_required);

  HttpTestClient Connect() const;  // with the client certificate when the server speaks TLS
  ClientTls GoodClient() const;

  CertificateAuthority authority_{"server CA"};
  CertificateAuthority client_authority_{"client CA"};
  TemporaryDirectory directory_;
  RecordingObserver observer_;
  Gate gate_;
  http::ServerOptions options_;
  std::string address_;
  bool uses_tls_ = false;
  std::unique_ptr<http::Server> server_;  // last: its threads use the members above

 private:
  void Start();
};

}  // namespace aliquot::test
