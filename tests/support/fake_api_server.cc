// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_api_server.h"

#include <httplib.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <utility>

#if defined(__SANITIZE_THREAD__)
// cpp-httplib's shared object is not instrumented, so ThreadSanitizer does not see that the
// initialisation of its function-local statics is guarded (the end mark of a chunked reply).
extern "C" const char* __tsan_default_suppressions() { return "race:libcpp-httplib.so\n"; }
#endif

namespace aliquot::test {

namespace {

using Kind = FakeApiStore::Kind;
using Selector = FakeApiStore::Selector;

constexpr auto kTick = std::chrono::milliseconds(20);

Selector SelectorOf(const httplib::Request& request) {
  const std::string text = request.get_param_value("labelSelector");
  if (text.empty()) return Selector::kAll;
  if (text == "aliquot.io/gpu=true") return Selector::kLabelled;
  if (text == "aliquot.io/gpu!=true") return Selector::kUnlabelled;
  std::cerr << "the fake API server does not know the selector " << text << "\n";
  std::abort();
}

std::string ClientName(const SSL* ssl) {
  if (ssl == nullptr) return "";
  X509* certificate = SSL_get_peer_certificate(ssl);
  if (certificate == nullptr) return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof(name));
  X509_free(certificate);
  return name;
}

void Cut(const httplib::Request& request) {
  if (request.ssl == nullptr) {
    std::cerr << "the fake API server can cut connections with TLS only\n";
    std::abort();
  }
  shutdown(SSL_get_fd(request.ssl), SHUT_RDWR);
}

bool Matches(std::string_view method, std::string_view target, const RecordedRequest& request) {
  return (method.empty() || method == request.method) &&
         request.target.find(target) != std::string::npos;
}

void Send(httplib::Response& response, const FakeApiStore::Reply& reply) {
  response.status = reply.status;
  response.set_content(reply.body, "application/json");
}

// The path without its query, cut at the slashes:
// {"api","v1","namespaces","ns","pods","name","binding"}.
std::vector<std::string> PathOf(const std::string& target) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : target.substr(0, target.find('?')) + "/") {
    if (c != '/') {
      part.push_back(c);
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, ""));
    }
  }
  return parts;
}

Kind KindOf(const std::string& target) {
  const std::string resource = PathOf(target).back();
  if (resource == "poddisruptionbudgets") return Kind::kBudget;
  return resource == "nodes" ? Kind::kNode : Kind::kPod;
}

}  // namespace

struct FakeApiServer::Http {
  // cpp-httplib listens with a backlog of 5: a burst of connections would wait a second for TCP to
  // try again.
  template <typename Base>
  class WithBacklog final : public Base {
   public:
    using Base::Base;
    int BindTo(int port) {
      const int bound = port != 0 ? (this->bind_to_port("127.0.0.1", port) ? port : -1)
                                  : this->bind_to_any_port("127.0.0.1");
      if (bound > 0 && ::listen(this->svr_sock_, 1024) != 0) return -1;
      return bound;
    }
  };

  std::unique_ptr<httplib::Server> server;
  std::function<int(int port)> bind;

  template <typename Base, typename... Arguments>
  void Make(Arguments... arguments) {
    auto made = std::make_unique<WithBacklog<Base>>(arguments...);
    bind = [raw = made.get()](int port) { return raw->BindTo(port); };
    server = std::move(made);
  }
};

struct FakeApiServer::WatchState {
  Kind kind = Kind::kPod;
  Selector selector = Selector::kAll;
  std::int64_t version = 0;
  std::chrono::steady_clock::time_point ends;
  std::chrono::steady_clock::time_point next_bookmark;
  int epoch = 0;
};

FakeApiServer::FakeApiServer(FakeApiServerOptions options, const CertificateAuthority* authority)
    : options_(std::move(options)), http_(std::make_unique<Http>()), tokens_(options_.tokens) {
  if (options_.tls) {
    const KeyPair pair = authority->IssueServer(options_.hosts);
    const std::string certificate = directory_.Write("tls.crt", pair.certificate);
    const std::string key = directory_.Write("tls.key", pair.key);
    const std::string ca = directory_.Write("ca.crt", authority->certificate());
    const char* client_ca = options_.require_client_certificate ? ca.c_str() : nullptr;
    http_->Make<httplib::SSLServer>(certificate.c_str(), key.c_str(), client_ca);
  } else {
    http_->Make<httplib::Server>();
  }
  httplib::Server& server = *http_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1000000);
  server.set_keep_alive_timeout(2);
  // Without SO_REUSEPORT, which cpp-httplib sets by itself: two servers must not share a port by
  // mistake.
  server.set_socket_options([](int socket) {
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  });
  const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
    Handle(&request, &response);
  };
  server.Get("/.*", handle);
  server.Post("/.*", handle);
  server.Patch("/.*", handle);
  port_ = http_->bind(options_.port);
  if (port_ <= 0) {
    std::cerr << "the fake API server cannot bind its port\n";
    std::abort();
  }
  thread_ = std::thread([this] { http_->server->listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // stop() before that would be lost
}

FakeApiServer::~FakeApiServer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stopped_.NotifyAll();
  }
  store_.Close();
  http_->server->stop();
  thread_.join();
}

std::string FakeApiServer::url(const std::string& host) const {
  return std::string(options_.tls ? "https://" : "http://") + host + ":" + std::to_string(port_);
}

void FakeApiServer::Inject(Fault fault) {
  MutexLock lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FakeApiServer::ClearFaults() {
  MutexLock lock(mutex_);
  faults_.clear();
}

void FakeApiServer::SetTokens(std::vector<std::string> tokens) {
  MutexLock lock(mutex_);
  tokens_ = std::move(tokens);
}

void FakeApiServer::EndWatches() { ++watch_epoch_; }

std::vector<RecordedRequest> FakeApiServer::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

std::size_t FakeApiServer::Count(std::string_view method, std::string_view target) const {
  MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      requests_.begin(), requests_.end(),
      [&](const RecordedRequest& request) { return Matches(method, target, request); }));
}

bool FakeApiServer::TakeFault(const RecordedRequest& request, Fault& fault) {
  MutexLock lock(mutex_);
  for (auto it = faults_.begin(); it != faults_.end(); ++it) {
    if (!Matches(it->method, it->target, request)) continue;
    fault = *it;
    if (--it->times <= 0) faults_.erase(it);
    return true;
  }
  return false;
}

bool FakeApiServer::Authorized(const RecordedRequest& request) const {
  MutexLock lock(mutex_);
  if (tokens_.empty()) return true;
  return std::any_of(tokens_.begin(), tokens_.end(), [&](const std::string& token) {
    return request.authorization == "Bearer " + token;
  });
}

void FakeApiServer::WaitForStop() {
  MutexLock lock(mutex_);
  while (!stopping_) stopped_.Wait(mutex_);
}

void FakeApiServer::Handle(const void* raw_request, void* raw_response) {
  const auto& in = *static_cast<const httplib::Request*>(raw_request);
  auto& out = *static_cast<httplib::Response*>(raw_response);
  const int epoch = watch_epoch_;  // read first: whoever sees the request recorded may end it
  const RecordedRequest request{in.method,
                                in.target,
                                in.get_header_value("Content-Type"),
                                in.get_header_value("User-Agent"),
                                in.get_header_value("Authorization"),
                                ClientName(in.ssl),
                                in.body,
                                in.remote_port};
  {
    MutexLock lock(mutex_);
    requests_.push_back(request);
  }
  if (!Authorized(request)) {
    return Send(out, FakeApiStore::Failure(401, "Unauthorized", "Unauthorized"));
  }
  const bool watch = in.has_param("watch");
  Fault fault;
  const bool faulty = TakeFault(request, fault);
  if (faulty && fault.kind == Fault::Kind::kReply) {
    if (!fault.retry_after.empty()) out.set_header("Retry-After", fault.retry_after);
    FakeApiStore::Reply reply = FakeApiStore::Failure(fault.status, "Injected", "injected failure");
    if (!fault.body.empty()) reply.body = fault.body;
    return Send(out, reply);
  }
  if (faulty && fault.kind == Fault::Kind::kCut) return Cut(in);
  if (faulty && fault.kind == Fault::Kind::kSilence) {
    WaitForStop();
    return Cut(in);
  }
  if (watch) return StartWatch(&in, &out, faulty ? &fault : nullptr, epoch);
  if (in.path.find("/proxy/") != std::string::npos) return Proxy(raw_request, raw_response);
  bool found = true;
  const FakeApiStore::Reply reply = Dispatch(request, found);
  if (!found) return Send(out, FakeApiStore::Failure(404, "NotFound", "no such path"));
  if (faulty && fault.kind == Fault::Kind::kDoThenCut) return Cut(in);
  Send(out, reply);
}

void FakeApiServer::Proxy(const void* raw_request, void* raw_response) {
  const auto& in = *static_cast<const httplib::Request*>(raw_request);
  auto& out = *static_cast<httplib::Response*>(raw_response);
  const std::vector<std::string> path = PathOf(in.path);  // api v1 namespaces ns pods NAME proxy ..
  const std::string& name = path.at(5);
  httplib::SSLClient client("127.0.0.1", std::atoi(name.substr(name.rfind(':') + 1).c_str()));
  client.enable_server_certificate_verification(false);
  httplib::Headers headers;
  for (const auto& [key, value] : in.headers) {
    if (key != "Authorization" && key != "Host" && key.rfind("LOCAL_", 0) != 0 &&
        key.rfind("REMOTE_", 0) != 0) {
      headers.emplace(key, value);
    }
  }
  const std::size_t rest = in.target.find("/proxy/") + 6;
  const auto result = client.Get(in.target.substr(rest), headers);
  if (!result) {
    return Send(out, FakeApiStore::Failure(503, "ServiceUnavailable",
                                           "error trying to reach service: connection refused"));
  }
  out.status = result->status;
  out.set_content(result->body, result->get_header_value("Content-Type"));
}

FakeApiStore::Reply FakeApiServer::Dispatch(const RecordedRequest& request, bool& found) {
  httplib::Request query;
  httplib::detail::parse_query_text(
      request.target.substr(std::min(request.target.find('?'), request.target.size() - 1) + 1),
      query.params);
  const std::vector<std::string> path = PathOf(request.target);
  const bool namespaced = path.size() >= 5 && path[path[0] == "api" ? 2 : 3] == "namespaces";
  const bool of_cluster = path.size() == 3 || path.back() == "poddisruptionbudgets";
  if (request.method == "GET" && of_cluster) {
    const std::string limit = query.get_param_value("limit");
    return store_.List(KindOf(request.target), SelectorOf(query),
                       limit.empty() ? 0 : std::stoul(limit), query.get_param_value("continue"));
  }
  if (path.size() == 4 && path[2] == "nodes") {
    if (request.method == "GET") return store_.Get(Kind::kNode, path[3]);
    if (request.method == "PATCH") {
      return store_.PatchNode(path[3], request.body,
                              request.content_type == "application/json-patch+json");
    }
  }
  if (request.method == "POST" && namespaced && path.back() == "events") {
    return store_.CreateEvent(path[4], request.body);
  }
  if (request.method == "POST" && path.back() == "tokenreviews") {
    return reviews_.ReviewToken(request.body);
  }
  if (request.method == "POST" && path.back() == "subjectaccessreviews") {
    return reviews_.ReviewAccess(request.body);
  }
  if (request.method == "POST" && namespaced && path.size() == 7 && path[4] == "serviceaccounts" &&
      path[6] == "token") {
    return reviews_.RequestToken(path[3], path[5], request.body);
  }
  if (namespaced && path.size() >= 6 && path[4] == "pods") {
    const std::string key = path[3] + "/" + path[5];
    const std::string subresource = path.size() == 7 ? path[6] : "";
    if (request.method == "GET" && path.size() == 6) return store_.Get(Kind::kPod, key);
    if (request.method == "POST" && subresource == "binding") return store_.Bind(key, request.body);
    if (request.method == "PATCH" && (subresource.empty() || subresource == "status")) {
      return store_.PatchPod(key, request.body, !subresource.empty());
    }
  }
  found = false;
  return {};
}

void FakeApiServer::StartWatch(const void* raw_request, void* raw_response, const Fault* fault,
                               int epoch) {
  const auto& request = *static_cast<const httplib::Request*>(raw_request);
  auto& response = *static_cast<httplib::Response*>(raw_response);
  using std::chrono::steady_clock;
  auto state = std::make_shared<WatchState>();
  state->kind = KindOf(request.target);
  state->selector = SelectorOf(request);
  state->version = std::stoll(request.get_param_value("resourceVersion"));
  const auto asked = std::chrono::seconds(std::stoll(request.get_param_value("timeoutSeconds")));
  state->ends =
      steady_clock::now() + (options_.watch_timeout.count() > 0 ? options_.watch_timeout : asked);
  state->next_bookmark = steady_clock::now() + options_.bookmark_interval;
  state->epoch = epoch;
  const bool half = fault != nullptr && fault->kind == Fault::Kind::kHalfEvent;
  const bool mute = fault != nullptr && fault->kind == Fault::Kind::kNoEvents;
  response.status = 200;
  response.set_chunked_content_provider(
      "application/json", [this, state, half, mute](std::size_t, httplib::DataSink& sink) {
        const auto now = steady_clock::now();
        if (stopping_) return false;
        if (state->epoch != watch_epoch_ || now >= state->ends) {
          sink.done();
          return true;
        }
        if (mute) {
          std::this_thread::sleep_for(kTick);
          return true;
        }
        const auto history = store_.Since(state->kind, state->selector, state->version, kTick);
        std::string text;
        if (history.expired) {
          text = R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                 R"("status":"Failure","message":"too old resource version","reason":"Expired",)"
                 R"("code":410}})";
          sink.write(text.data(), text.size());
          sink.done();
          return true;
        }
        for (const std::string& event : history.events) text += event + "\n";
        if (half && !text.empty()) {
          sink.write(text.data(), text.size() / 2);
          return false;  // cpp-httplib closes the connection without the last chunk
        }
        state->version = history.version;
        // Like the real one, it says nothing to a watch from a version that is not reached yet.
        if (now >= state->next_bookmark && history.version <= store_.version()) {
          state->next_bookmark = now + options_.bookmark_interval;
          text += store_.Bookmark(state->kind, history.version) + "\n";
        }
        return text.empty() || sink.write(text.data(), text.size());
      });
}

}  // namespace aliquot::test
