// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/served_resource.h"

#include <algorithm>
#include <utility>

#include "agent/plugin/kubelet_registration.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kComponent = "plugin";
// Nothing is due, but a look costs four system calls.
constexpr std::chrono::seconds kIdleLook{30};

SteadyTime Now() { return std::chrono::steady_clock::now(); }

}  // namespace

ServedResource::ServedResource(ServedResourceProfile profile, const PluginHostOptions& options,
                               std::function<void()> wake, observability::Log& log)
    : profile_(profile),
      options_(options),
      kubelet_path_(options.directory + "/" + std::string(kKubeletSocketName)),
      log_(log),
      feed_(std::move(wake)),
      service_(std::move(profile), feed_),
      backoff_({}, kubeclient::RandomUniform()) {}

void ServedResource::RegisterAgain(std::string reason) {
  MutexLock lock(mutex_);
  again_reason_ = std::move(reason);
}

PluginState::Resource ServedResource::state() const {
  MutexLock lock(mutex_);
  PluginState::Resource state = state_;
  state.streams = feed_.streams();
  state.advertised = feed_.advertised();
  state.healthy = feed_.healthy();
  return state;
}

SteadyTime ServedResource::Step(kubeclient::Cancellation& cancellation) {
  while (!cancellation.cancelled() && Do(cancellation)) {
  }
  return NextLook();
}

ServingFacts ServedResource::Look(const std::optional<SocketIdentity>& kubelet_socket,
                                  SteadyTime now, std::string& again) {
  ServingFacts facts;
  facts.has_list = feed_.has_list();
  facts.kubelet_socket = kubelet_socket;
  facts.serving = server_ != nullptr;
  facts.own_socket_present = server_ != nullptr && server_->socket_present();
  facts.registered_with = registered_with_;
  facts.streams = feed_.streams();
  if (facts.streams > 0) stream_seen_ = now;
  facts.without_stream = now - stream_seen_;
  {
    MutexLock lock(mutex_);
    again = again_reason_;
  }
  facts.asked_again = !again.empty();
  return facts;
}

// True when a step was taken and another may be due.
bool ServedResource::Do(kubeclient::Cancellation& cancellation) {
  // Looked at before every step: each takes a while, and the kubelet may be another one after it.
  const std::optional<SocketIdentity> kubelet_socket = FindSocket(kubelet_path_);
  if (kubelet_socket != seen_kubelet_) {
    // Another kubelet than the one that failed.
    seen_kubelet_ = kubelet_socket;
    backoff_.Reset();
    not_before_ = {};
  }
  const SteadyTime now = Now();
  std::string again;
  const ServingFacts facts = Look(kubelet_socket, now, again);
  const ServingStep step = NextServingStep(facts, options_.stream_grace);
  if (step == ServingStep::kNone) return false;
  if (step == ServingStep::kClose) {
    log_.Info(
        kComponent, "the device plugin registers anew",
        {{"resource", profile_.resource},
         {"reason", facts.asked_again                         ? std::string_view(again)
                    : !facts.own_socket_present               ? "its socket was removed"
                    : facts.registered_with != kubelet_socket ? "the kubelet was restarted"
                                                              : "the kubelet ended its stream"}});
    // Only the kubelet that has the old stream could take its end for the new one's. One that was
    // started since has not, and fails for good what it looks at before it knows our devices.
    const bool another = facts.registered_with && facts.registered_with != kubelet_socket;
    if (facts.streams > 0 && !another) not_before_ = std::max(not_before_, now + options_.settle);
    Close();
    return true;
  }
  if (now < not_before_) return false;
  return step == ServingStep::kServe ? Serve() : Register(*kubelet_socket, cancellation);
}

bool ServedResource::Serve() {
  const std::string nonce = options_.nonce ? options_.nonce() : RandomNonce();
  Result<std::unique_ptr<PluginServer>> server = PluginServer::Start(
      options_.directory, PluginSocketName(profile_.kind, nonce), service_, feed_);
  if (!server.ok()) {
    Failed("the device plugin cannot be served", server.status());
    return false;
  }
  server_ = std::move(*server);
  MutexLock lock(mutex_);
  state_.endpoint = server_->endpoint();
  return true;
}

bool ServedResource::Register(const SocketIdentity& kubelet_socket,
                              kubeclient::Cancellation& cancellation) {
  {
    MutexLock lock(mutex_);
    again_reason_.clear();
  }
  const Status status = RegisterWithKubelet(
      kubelet_path_, {server_->endpoint(), profile_.resource, service_.pre_start_required()},
      Now() + options_.register_timeout, cancellation);
  if (!status.ok() && cancellation.cancelled()) return false;
  if (!status.ok()) {
    Failed("the kubelet did not register the device plugin", status);
    // It may have begun to; what it then knows of this socket must not be mistaken for the next
    // one.
    if (status.code() != StatusCode::kUnavailable) Close();
    return false;
  }
  backoff_.Reset();
  // Looked at again: a kubelet that starts removes our socket before its predecessor's, so that we
  // may have seen that one and then been answered by this one. What answered was alive just now.
  registered_with_ = FindSocket(kubelet_path_).value_or(kubelet_socket);
  stream_seen_ = Now();
  {
    MutexLock lock(mutex_);
    state_.registered = true;
    ++state_.registrations;
    state_.problem.clear();
  }
  log_.Info(kComponent, "registered with the kubelet",
            {{"resource", profile_.resource}, {"endpoint", server_->endpoint()}});
  return true;
}

void ServedResource::Failed(std::string_view message, const Status& status) {
  not_before_ = Now() + std::max(backoff_.Next(), std::chrono::milliseconds(50));
  log_.Warn(kComponent, message, {{"resource", profile_.resource}, {"error", status.message()}});
  MutexLock lock(mutex_);
  ++state_.failed_registrations;
  state_.problem = status.message();
}

SteadyTime ServedResource::NextLook() const {
  const SteadyTime now = Now();
  SteadyTime next = now + kIdleLook;
  if (not_before_ > now) next = std::min(next, not_before_);
  // Without a kubelet nothing comes of it, and its socket wakes us when it is there again.
  if (registered_with_ && seen_kubelet_ && feed_.streams() == 0) {
    next = std::min(next, std::max(now, stream_seen_ + options_.stream_grace));
  }
  return next;
}

void ServedResource::Close() {
  server_.reset();
  registered_with_.reset();
  MutexLock lock(mutex_);
  state_.registered = false;
  state_.endpoint.clear();
}

}  // namespace aliquot::agent
