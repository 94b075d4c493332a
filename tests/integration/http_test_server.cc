// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http_test_server.h"

#include <stdexcept>
#include <utility>

namespace aliquot::test {

void RecordingObserver::OnRequest(const http::RequestRecord& record) {
  MutexLock lock(mutex_);
  requests_.push_back({std::string(record.route), record});
  changed_.NotifyAll();
}

void RecordingObserver::OnConnectionCount(std::size_t open) {
  MutexLock lock(mutex_);
  open_ = open;
  changed_.NotifyAll();
}

void RecordingObserver::OnConnectionFailed(std::string_view /*remote_address*/,
                                           std::string_view reason) {
  MutexLock lock(mutex_);
  failures_.emplace_back(reason);
  changed_.NotifyAll();
}

void RecordingObserver::OnTlsReload(const Status& outcome) {
  MutexLock lock(mutex_);
  reloads_.push_back(outcome);
  changed_.NotifyAll();
}

void RecordingObserver::OnHandlerException(std::string_view route, std::string_view what) {
  MutexLock lock(mutex_);
  exceptions_.push_back(std::string(route) + ": " + std::string(what));
}

std::vector<RecordingObserver::Request> RecordingObserver::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

std::vector<std::string> RecordingObserver::failures() const {
  MutexLock lock(mutex_);
  return failures_;
}

std::vector<Status> RecordingObserver::reloads() const {
  MutexLock lock(mutex_);
  return reloads_;
}

std::vector<std::string> RecordingObserver::exceptions() const {
  MutexLock lock(mutex_);
  return exceptions_;
}

template <typename Condition>
bool RecordingObserver::WaitFor(Condition condition) const {
  const auto deadline = std::chrono::steady_clock::now() + HttpTestClient::kTimeLimit;
  while (!condition()) {
    if (!changed_.WaitUntil(mutex_, deadline)) return condition();
  }
  return true;
}

bool RecordingObserver::WaitForConnections(std::size_t open) const {
  MutexLock lock(mutex_);
  return WaitFor([&]() NO_THREAD_SAFETY_ANALYSIS { return open_ == open; });
}

bool RecordingObserver::WaitForRequests(std::size_t count) const {
  MutexLock lock(mutex_);
  return WaitFor([&]() NO_THREAD_SAFETY_ANALYSIS { return requests_.size() >= count; });
}

bool RecordingObserver::WaitForReloads(std::size_t count) const {
  MutexLock lock(mutex_);
  return WaitFor([&]() NO_THREAD_SAFETY_ANALYSIS { return reloads_.size() >= count; });
}

void Gate::Open() {
  MutexLock lock(mutex_);
  open_ = true;
  changed_.NotifyAll();
}

void Gate::Pass() {
  MutexLock lock(mutex_);
  ++waiting_;
  changed_.NotifyAll();
  while (!open_) changed_.Wait(mutex_);
}

bool Gate::WaitForWaiting(int count) const {
  const auto deadline = std::chrono::steady_clock::now() + HttpTestClient::kTimeLimit;
  MutexLock lock(mutex_);
  while (waiting_ < count) {
    if (!changed_.WaitUntil(mutex_, deadline)) return waiting_ >= count;
  }
  return true;
}

HttpServerTest::HttpServerTest() {
  options_.listen_address = "127.0.0.1:0";
  options_.worker_threads = 4;
  options_.max_body_bytes = 1u << 20;
}

HttpServerTest::~HttpServerTest() {
  gate_.Open();
  server_.reset();
}

void HttpServerTest::StartPlain() { Start(); }

void HttpServerTest::StartTls(bool client_certificate_required) {
  const KeyPair pair = authority_.IssueServer();
  http::TlsOptions tls;
  tls.certificate_file = directory_.Write("tls.crt", pair.certificate);
  tls.key_file = directory_.Write("tls.key", pair.key);
  if (client_certificate_required) {
    tls.client_ca_file = directory_.Write("client-ca.crt", client_authority_.certificate());
  }
  tls.reload_interval = std::chrono::milliseconds(20);
  options_.tls = std::move(tls);
  uses_tls_ = true;
  Start();
}

void HttpServerTest::Start() {
  http::Router router;
  router.Post("/echo", [](const http::Request& request) {
    return http::JsonResponse(std::string(request.body));
  });
  router.Get("/ping", [](const http::Request&) { return http::TextResponse(200, "pong"); });
  router.Get("/whoami", [](const http::Request& request) {
    return http::TextResponse(200, request.peer_common_name);
  });
  router.Get("/query", [](const http::Request& request) {
    std::string text;
    for (const auto& [name, value] : request.parameters) text += name + "=" + value + ";";
    return http::TextResponse(200, text);
  });
  router.Post("/gate", [this](const http::Request& request) {
    gate_.Pass();
    return http::JsonResponse(std::string(request.body));
  });
  router.Post("/throw", [](const http::Request&) -> http::Response {
    throw std::runtime_error("secret detail");
  });
  router.Get("/large", [](const http::Request&) {
    return http::JsonResponse(std::string(kLargeBytes, 'x'));
  });
  server_ = std::make_unique<http::Server>(options_, std::move(router), observer_);
  const Result<std::string> started = server_->Start();
  ASSERT_TRUE(started.ok()) << started.status().message();
  address_ = *started;
}

ClientTls HttpServerTest::GoodClient() const {
  return {authority_.certificate(), client_authority_.IssueClient("system:kube-scheduler"), 0};
}

HttpTestClient HttpServerTest::Connect() const {
  return uses_tls_ ? HttpTestClient(address_, GoodClient()) : HttpTestClient(address_);
}

}  // namespace aliquot::test
