// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/publisher.h"

#include <utility>

#include "kubeclient/pod_patch.h"
#include "kubeclient/verbs.h"
#include "kubeclient/write_outcome.h"

namespace aliquot::agent {
namespace {

using kubeclient::ApiRequest;
using kubeclient::CallResult;
using model::WriteOutcome;
using model::WriteReply;

constexpr std::string_view kComponent = "inventory";

ApiRequest RequestFor(const kubeclient::ApiVerb& verb, const std::string& node) {
  ApiRequest request;
  request.verb = verb;
  request.name = node;
  return request;
}

}  // namespace

InventoryPublisher::InventoryPublisher(PublisherOptions options, kubeclient::Transport& transport,
                                       const Clock& clock, kubeclient::UniformSource uniform,
                                       kubeclient::ApiCallObserver* observer,
                                       observability::Log& log)
    : options_(std::move(options)),
      transport_(transport),
      clock_(clock),
      observer_(observer),
      log_(log),
      backoff_(options_.backoff, std::move(uniform)) {}

void InventoryPublisher::NodeSeen(const NodeView& node) {
  MutexLock lock(mutex_);
  SeenLocked(std::make_shared<const NodeView>(node));
}

void InventoryPublisher::NodeGone() {
  MutexLock lock(mutex_);
  SeenLocked(nullptr);
}

void InventoryPublisher::SeenLocked(std::shared_ptr<const NodeView> node) {
  node_ = std::move(node);
  changed_ = true;
  if (sent_ && Settled(*sent_, node_.get())) {
    sent_.reset();
  }
}

void InventoryPublisher::SetWish(NodeWish wish) {
  MutexLock lock(mutex_);
  if (!wish_ || !(*wish_ == wish)) {
    wish_ = std::move(wish);
    changed_ = true;
  }
}

bool InventoryPublisher::wished() const {
  MutexLock lock(mutex_);
  return wish_.has_value();
}

bool InventoryPublisher::published() const {
  MutexLock lock(mutex_);
  return node_ != nullptr && wish_ && PlanNodePatch(*node_, *wish_).empty();
}

std::shared_ptr<const NodeView> InventoryPublisher::node() const {
  MutexLock lock(mutex_);
  return node_;
}

// Whether the write needs no more waiting for: the node shows it, or is another one, or what kept
// it from being done has passed.
bool InventoryPublisher::Settled(const Sent& sent, const NodeView* node) {
  if (node == nullptr || node->uid != sent.uid) {
    return true;
  }
  if (sent.outcome == WriteOutcome::kConflict) {
    return node->resource_version != sent.version;
  }
  const NodePatch left = PlanNodePatch(*node, sent.wish);
  return sent.taints ? left.taints.empty() : left.metadata.empty();
}

InventoryPublisher::Work InventoryPublisher::NextWork(SteadyTime now) {
  MutexLock lock(mutex_);
  Work work;
  if (sent_) {
    if (now >= sent_->look_at && now >= not_before_) {
      work.kind = Work::Kind::kLook;
    }
    return work;
  }
  if (!changed_ || now < not_before_ || node_ == nullptr || !wish_) {
    return work;
  }
  const NodePatch patch = PlanNodePatch(*node_, *wish_);
  if (patch.empty()) {
    changed_ = false;
    return work;
  }
  work.kind = Work::Kind::kWrite;
  work.sent.taints = patch.metadata.empty();
  work.sent.wish = *wish_;
  work.sent.uid = node_->uid;
  work.sent.version = node_->resource_version;
  work.body = work.sent.taints ? patch.taints : patch.metadata;
  return work;
}

void InventoryPublisher::Tick() {
  Work work = NextWork(clock_.SteadyNow());
  if (work.kind == Work::Kind::kLook) {
    Look();
  } else if (work.kind == Work::Kind::kWrite) {
    Write(std::move(work));
  }
}

CallResult InventoryPublisher::Call(const ApiRequest& request) {
  const SteadyTime started = clock_.SteadyNow();
  CallResult result = transport_.Call(request, started + options_.call_timeout, nullptr);
  if (observer_ != nullptr) {
    observer_->Called(request.verb, WriteReplyOf(result).outcome, clock_.SteadyNow() - started);
  }
  return result;
}

void InventoryPublisher::Look() {
  const CallResult result = Call(RequestFor(kubeclient::kGetNode, options_.node_name));
  const WriteReply reply = WriteReplyOf(result);
  std::string problem = reply.message;
  std::shared_ptr<const NodeView> seen;
  if (reply.done()) {
    Result<NodeView> node = ParseNodeView(result.reply.body);
    if (node.ok()) {
      seen = std::make_shared<const NodeView>(*std::move(node));
    } else {
      problem = node.status().message();
    }
  }
  if (seen == nullptr && reply.outcome != WriteOutcome::kNotFound) {
    log_.Warn(kComponent, "the node could not be read", {{"problem", problem}});
    const SteadyTime again = clock_.SteadyNow() + backoff_.Next();
    MutexLock lock(mutex_);
    not_before_ = again;
    return;
  }
  MutexLock lock(mutex_);
  sent_.reset();
  SeenLocked(std::move(seen));
}

void InventoryPublisher::Write(Work work) {
  ApiRequest request = RequestFor(kubeclient::kPatchNode, options_.node_name);
  request.content_type = std::string(work.sent.taints ? kJsonPatch : kubeclient::kMergePatch);
  request.body = std::move(work.body);
  const WriteReply reply = WriteReplyOf(Call(request));
  const SteadyTime now = clock_.SteadyNow();
  const std::string_view what = work.sent.taints ? "startup taint" : "inventory and labels";
  SteadyTime not_before = now;
  if (reply.done()) {
    backoff_.Reset();
    log_.Info(kComponent, "the node object was written", {{"what", what}});
  } else {
    not_before += backoff_.Next();
    log_.Warn(kComponent, "the node object could not be written",
              {{"what", what}, {"problem", reply.message}});
  }
  MutexLock lock(mutex_);
  not_before_ = not_before;
  if (reply.outcome == WriteOutcome::kRefused) {
    return;  // nothing was written: try again
  }
  work.sent.outcome = reply.outcome;
  work.sent.look_at = now + options_.settle;
  // The watch may have been faster than the reply.
  if (!Settled(work.sent, node_.get())) {
    sent_ = std::move(work.sent);
  }
}

}  // namespace aliquot::agent
