// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/curl_transport.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "kubeclient/api_path.h"
#include "kubeclient/curl_session.h"

namespace aliquot::kubeclient {

namespace {

constexpr int kUnauthorized = 401;

// libcurl takes a line as it is: a line break in a value would begin another header.
bool IsHeaderValue(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

// libcurl does not send a header whose value is blank, and without them the request would be the
// user's own.
bool IsSent(const std::string& line) {
  return IsHeaderValue(line) && !Trim(std::string_view(line).substr(line.find(':') + 1)).empty();
}

// Source: kubernetes.io/docs/reference/access-authn-authz/user-impersonation.
std::vector<std::string> ImpersonationLines(const Impersonation& impersonation) {
  std::vector<std::string> lines;
  if (!impersonation.user.empty()) lines.push_back("Impersonate-User: " + impersonation.user);
  if (!impersonation.uid.empty()) lines.push_back("Impersonate-Uid: " + impersonation.uid);
  for (const std::string& group : impersonation.groups) {
    lines.push_back("Impersonate-Group: " + group);
  }
  for (const auto& [key, value] : impersonation.extra) {
    lines.push_back("Impersonate-Extra-" + PercentEncode(key) + ": " + value);
  }
  return lines;
}

}  // namespace

std::string DefaultUserAgent() { return "aliquot-allocator/" ALIQUOT_VERSION; }

Result<std::unique_ptr<CurlTransport>> CurlTransport::Create(const ClientConfig& config,
                                                             const Clock& clock,
                                                             TransportOptions options) {
  if (Status status = CheckClientConfig(config); !status.ok()) return status;
  const std::vector<std::string> impersonation = ImpersonationLines(config.impersonation);
  if (!std::all_of(impersonation.begin(), impersonation.end(), IsSent)) {
    return InvalidArgument("whom to impersonate is blank or holds a control character");
  }
  auto credentials = Credentials::Load(config, clock, options.plugin_host);
  if (!credentials.ok()) return credentials.status();
  return std::unique_ptr<CurlTransport>(
      new CurlTransport(config, std::move(options), clock, *std::move(credentials)));
}

CurlTransport::CurlTransport(const ClientConfig& config, TransportOptions options,
                             const Clock& clock, std::unique_ptr<Credentials> credentials)
    : options_(std::move(options)),
      clock_(clock),
      endpoint_(std::make_unique<Endpoint>(MakeEndpoint(config))),
      credentials_(std::move(credentials)),
      impersonation_(ImpersonationLines(config.impersonation)) {
  endpoint_->user_agent = options_.user_agent;
  endpoint_->connect_timeout = options_.connect_timeout;
  endpoint_->max_idle_age = options_.max_idle_age;
}

CurlTransport::~CurlTransport() = default;

std::unique_ptr<CurlSession> CurlTransport::TakeSession(
    const std::shared_ptr<const CredentialSet>& credentials) {
  std::vector<std::unique_ptr<CurlSession>> stale;  // closed after the lock is gone
  {
    MutexLock lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<CurlSession> session = std::move(idle_.back());
      idle_.pop_back();
      if (session->tls_generation() == credentials->tls_generation) return session;
      stale.push_back(std::move(session));
    }
  }
  return CurlSession::Create(*endpoint_, credentials);
}

void CurlTransport::ReturnSession(std::unique_ptr<CurlSession> session) {
  MutexLock lock(mutex_);
  if (idle_.size() < options_.max_idle_connections) idle_.push_back(std::move(session));
}

CallResult CurlTransport::Send(const ApiRequest& request, const StreamLimits& limits,
                               Cancellation* cancellation, const ChunkConsumer* consumer) {
  WireRequest wire;
  wire.method = HttpMethod(request.verb);
  wire.target = RequestTarget(request);
  wire.body = wire.method == "GET" ? nullptr : &request.body;
  wire.max_reply_bytes = request.max_reply_bytes;
  wire.limits = limits;
  wire.cancellation = cancellation;
  wire.consumer = consumer;

  auto credentials = credentials_->Current();
  CallResult result = SendOnce(request, wire, credentials);
  // What a proxied pod says is no word about our credentials.
  const bool refused = result.outcome == CallResult::Outcome::kReply &&
                       result.reply.status == kUnauthorized && request.verb.subresource != "proxy";
  if (refused && credentials_->Reload(*credentials)) {
    result = SendOnce(request, wire, credentials_->Current());
  }
  return result;
}

CallResult CurlTransport::SendOnce(const ApiRequest& request, WireRequest& wire,
                                   const std::shared_ptr<const CredentialSet>& credentials) {
  wire.headers = impersonation_;
  wire.headers.emplace_back("Accept: application/json");
  if (!request.content_type.empty()) {
    wire.headers.push_back("Content-Type: " + request.content_type);
  }
  if (!credentials->token.empty()) {
    wire.headers.push_back("Authorization: Bearer " + credentials->token);
  }
  for (const Header& header : request.headers) {
    if (!IsHeaderValue(header.value)) {
      CallResult result;
      result.message = "the value of header " + header.name + " holds a control character";
      return result;
    }
    wire.headers.push_back(header.name + ": " + header.value);
  }
  std::unique_ptr<CurlSession> session = TakeSession(credentials);
  if (!session) {
    CallResult result;
    result.message = "libcurl has no memory or sockets for another connection";
    return result;
  }
  CallResult result = session->Perform(wire, clock_);
  ReturnSession(std::move(session));
  return result;
}

CallResult CurlTransport::Call(const ApiRequest& request, SteadyTime deadline,
                               Cancellation* cancellation) {
  // A call has no reader that waits for the next byte: its deadline alone bounds it.
  const StreamLimits limits{deadline, std::chrono::hours(24)};
  return Send(request, limits, cancellation, nullptr);
}

CallResult CurlTransport::Stream(const ApiRequest& request, const StreamLimits& limits,
                                 Cancellation& cancellation, const ChunkConsumer& consumer) {
  return Send(request, limits, &cancellation, &consumer);
}

}  // namespace aliquot::kubeclient
