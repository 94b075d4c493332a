// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tests/support/fake_api_reviews.h"
#include "tests/support/fake_api_store.h"
#include "tests/support/test_certificates.h"

// A fake kube-apiserver on loopback, for integration tests and benchmarks: lists in pages, watches
// with bookmarks, bind, patches of pods, events, reviews of tokens, a pod's proxy; and on demand
// every way in which the real one fails. Thread-safe.

namespace aliquot::test {

struct FakeApiServerOptions {
  bool tls = true;  // false: http, for benchmarks; connections cannot be cut then
  int port = 0;     // 0: any free one
  std::vector<std::string> hosts = {"localhost", "127.0.0.1"};  // in its certificate
  bool require_client_certificate = false;
  std::vector<std::string> tokens;  // not empty: one of them must be shown
  std::chrono::milliseconds bookmark_interval{60000};
  std::chrono::milliseconds watch_timeout{0};  // 0: as the client asks
};

// One failure, applied to the next `times` requests that match.
struct Fault {
  enum class Kind {
    kReply,      // answer with `status`, `body`, `retry_after` and do nothing
    kCut,        // close the connection without a word; nothing is done
    kDoThenCut,  // do it, then close the connection without a word
    kSilence,    // never answer, nothing is done
    kHalfEvent,  // a watch: half of an event, then the connection is closed
    kNoEvents,   // a watch: 200 and then nothing
  } kind = Kind::kReply;
  std::string method{};  // "" = any
  std::string target{};  // part of path and query, "" = any
  int times = 1;
  int status = 500;
  std::string body{};         // of kReply; "" = a Status made from `status`
  std::string retry_after{};  // of kReply
};

struct RecordedRequest {
  std::string method;
  std::string target;
  std::string content_type;
  std::string user_agent;
  std::string authorization;
  std::string client;  // the common name of the client's certificate
  std::string body;
  int client_port = 0;  // the same for requests on one connection
};

class FakeApiServer {
 public:
  // `authority` signs the server's certificate and is the one that client certificates must come
  // from; it may be nullptr without TLS. Listens when the constructor returns.
  FakeApiServer(FakeApiServerOptions options, const CertificateAuthority* authority);
  ~FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& host = "127.0.0.1") const;
  FakeApiStore& store() { return store_; }
  FakeApiReviews& reviews() { return reviews_; }

  void Inject(Fault fault);
  // From now on nothing fails any more.
  void ClearFaults();
  void SetTokens(std::vector<std::string> tokens);
  // Ends every open watch in good order, as at its timeout.
  void EndWatches();
  std::vector<RecordedRequest> requests() const;
  // How many requests came whose method and target match as in Fault.
  std::size_t Count(std::string_view method, std::string_view target) const;

 private:
  struct Http;  // cpp-httplib's types
  struct WatchState;

  void Handle(const void* request, void* response);
  bool TakeFault(const RecordedRequest& request, Fault& fault);
  bool Authorized(const RecordedRequest& request) const;
  // GET pods/https:<name>:<port>/proxy/..: to that port of this machine, without the caller's
  // credential and without verifying the certificate, as the real one does.
  static void Proxy(const void* request, void* response);
  FakeApiStore::Reply Dispatch(const RecordedRequest& request, bool& found);
  void StartWatch(const void* request, void* response, const Fault* fault, int epoch);
  void WaitForStop();

  const FakeApiServerOptions options_;
  TemporaryDirectory directory_;
  FakeApiStore store_;
  FakeApiReviews reviews_;
  std::unique_ptr<Http> http_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> watch_epoch_{0};  // a watch of an older epoch ends
  mutable Mutex mutex_;
  CondVar stopped_;
  std::vector<Fault> faults_ GUARDED_BY(mutex_);
  std::vector<std::string> tokens_ GUARDED_BY(mutex_);
  std::vector<RecordedRequest> requests_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::test
