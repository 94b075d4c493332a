// SPDX-License-Identifier: Apache-2.0
#include "http/reply_engine.h"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "http/header_text.h"
#include "http/reply_stream.h"

namespace aliquot::http {
namespace {

constexpr std::string_view kHandlerFailed = "the server failed to handle the request; see its log";

// Stands in for a request line that could not be read, so that cpp-httplib comes to write the
// refusal.
constexpr std::string_view kAnyRequestLine = "GET / HTTP/1.1";

// What cpp-httplib is given for the request line. It reads no method but its own, and would answer
// any other itself; for the router, which goes by the framer's, all are alike.
std::string RequestLineFor(const RequestFramer& framer) {
  constexpr std::string_view kRead[] = {"GET",     "HEAD",    "POST",  "PUT",   "DELETE",
                                        "CONNECT", "OPTIONS", "TRACE", "PATCH", "PRI"};
  if (framer.state() == RequestFramer::State::kRefused) return std::string(kAnyRequestLine);
  const std::string_view text = framer.request_line_text();
  const std::string_view method = framer.line().method;
  if (std::find(std::begin(kRead), std::end(kRead), method) != std::end(kRead)) {
    return std::string(text);
  }
  return "GET" + std::string(text.substr(method.size()));
}

Response NotFound() { return TextResponse(404, "there is no such path on this server"); }

Response MethodNotAllowed(std::string_view allow) {
  Response response =
      TextResponse(405, "this path does not take that method; use " + std::string(allow));
  response.headers.emplace_back("Allow", allow);
  return response;
}

bool IsJson(const std::vector<HeaderView>& headers) {
  for (const auto& [name, value] : headers) {
    if (EqualsIgnoringCase(name, "content-type")) {
      return EqualsIgnoringCase(MediaType(value), "application/json");
    }
  }
  return false;
}

std::string Milliseconds(std::chrono::nanoseconds duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f",
                std::chrono::duration<double, std::milli>(duration).count());
  return text;
}

}  // namespace

class ReplyEngine::Engine final : public httplib::Server {
 public:
  Engine(const Router& router, ServerObserver& observer, const std::atomic<bool>& draining,
         bool server_timing)
      : router_(router), observer_(observer), draining_(draining), server_timing_(server_timing) {
    // Every request ends here: none reaches the library's own routes, which are regular
    // expressions.
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Dispatch(request, response);
      return HandlerResponse::Handled;
    });
    set_post_routing_handler(
        [this](const httplib::Request&, httplib::Response& response) { AnnounceClose(response); });
    // Dispatch lets nothing escape; without this the library would send an exception's text to the
    // client.
    set_exception_handler([](const httplib::Request&, httplib::Response& response,
                             std::exception_ptr) { response.status = 500; });
  }

  Transport::Outcome Answer(Connection& connection, SteadyTime received) {
    connection_ = &connection;
    received_ = received;
    record_ = RequestRecord();
    const std::string request_line = RequestLineFor(connection.framer);
    ReplyStream stream(connection, request_line);
    bool closed_by_client = false;
    // Whether the connection closes is decided in AnnounceClose, not here.
    process_request(stream, /*close_connection=*/false, closed_by_client, nullptr);
    const Transport::Outcome outcome = stream.Flush();
    // A target that the library cannot read is answered by it, with a bare 400.
    if (record_.status == 0) record_.status = 400;
    record_.server_time = stream.first_write() - received;
    observer_.OnRequest(record_);
    return outcome;
  }

 private:
  void Dispatch(const httplib::Request& request, httplib::Response& reply) {
    const RequestFramer& framer = connection_->framer;
    Response response;
    if (framer.state() == RequestFramer::State::kRefused) {
      response = TextResponse(framer.refusal().status, framer.refusal().sentence);
    } else {
      response = Route(request);
    }
    record_.status = response.status;
    record_.request_body_bytes = framer.body().size();
    record_.response_body_bytes = response.body.size();

    reply.status = response.status;
    for (const auto& [name, value] : response.headers) reply.set_header(name, value);
    if (server_timing_) {
      const auto spent = std::chrono::steady_clock::now() - received_;
      reply.set_header("Server-Timing", "app;dur=" + Milliseconds(spent));
    }
    if (!response.body.empty()) reply.set_header("Content-Type", response.content_type);
    reply.body = std::move(response.body);
  }

  void AnnounceClose(httplib::Response& reply) {
    connection_->close_after_reply = !connection_->framer.keep_alive() || draining_.load();
    // The library would announce limits of its own connection handling, which is not in use.
    reply.headers.erase("Keep-Alive");
    if (connection_->close_after_reply) reply.set_header("Connection", "close");
  }

  Response Route(const httplib::Request& request) {
    const std::string_view method = connection_->framer.line().method;
    const Router::Match match = router_.Find(method, request.path);
    record_.route = match.path;
    if (match.path.empty()) return NotFound();
    if (match.handler == nullptr) return MethodNotAllowed(match.allow);
    if (method == "POST" && !IsJson(connection_->framer.headers())) {
      return TextResponse(415, "the content type must be application/json");
    }
    return Handle(request, *match.handler);
  }

  Response Handle(const httplib::Request& request, const http::Handler& handler) {
    http::Request view;
    view.method = request.method;
    view.path = request.path;
    view.body = connection_->framer.body();
    view.remote_address = connection_->remote_address;
    view.peer_common_name = connection_->peer_common_name;
    view.parameters.assign(request.params.begin(), request.params.end());
    view.headers = connection_->framer.headers();

    const SteadyTime begin = std::chrono::steady_clock::now();
    Response response = TextResponse(500, kHandlerFailed);
    try {
      response = handler(view);
    } catch (const std::exception& exception) {
      observer_.OnHandlerException(record_.route, exception.what());
    } catch (...) {
      observer_.OnHandlerException(record_.route, "an exception of unknown type");
    }
    record_.handler_time = std::chrono::steady_clock::now() - begin;
    return response;
  }

  const Router& router_;
  ServerObserver& observer_;
  const std::atomic<bool>& draining_;
  const bool server_timing_;
  // Of the request being answered.
  Connection* connection_ = nullptr;
  SteadyTime received_{};
  RequestRecord record_;
};

ReplyEngine::ReplyEngine(const Router& router, ServerObserver& observer,
                         const std::atomic<bool>& draining, bool server_timing)
    : engine_(std::make_unique<Engine>(router, observer, draining, server_timing)) {}

ReplyEngine::~ReplyEngine() = default;

Transport::Outcome ReplyEngine::Answer(Connection& connection, SteadyTime received) {
  return engine_->Answer(connection, received);
}

}  // namespace aliquot::http
