// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod_watch.h"

#include <utility>

#include "agent/identity/node_pod_codec.h"
#include "kubeclient/backoff.h"

namespace aliquot::agent {
namespace {

using kubeclient::ListWatchSink;

kubeclient::ListWatchOptions WatchOptions(const NodePodWatchOptions& options) {
  kubeclient::ListWatchOptions watch = options.watch;
  watch.resource = "pods";
  watch.list = kubeclient::kListPods;
  watch.watch = kubeclient::kWatchPods;
  watch.label_selector.clear();
  watch.field_selector = "spec.nodeName=" + options.node;
  return watch;
}

kubeclient::UniformSource Jitter(std::uint64_t seed) {
  return seed == 0 ? kubeclient::RandomUniform() : kubeclient::SeededUniform(seed);
}

}  // namespace

NodePodSink::NodePodSink(std::string node, model::ResourceNames names, NodePods& pods)
    : node_(std::move(node)), names_(std::move(names)), pods_(pods) {}

void NodePodSink::Take(NodePod pod) {
  // A server in between that knows no field selectors sends every node's pods.
  if (pod.pod.node_name == node_) pods_.Seen(std::move(pod));
}

Result<ListWatchSink::Page> NodePodSink::PageReceived(std::string_view json) {
  Result<api::ListPage<NodePod>> page = ParseNodePodList(json, names_);
  if (!page.ok()) return page.status();
  pods_.Heard();
  const std::size_t count = page->items.size();
  for (NodePod& pod : page->items) {
    uids_.push_back(pod.pod.uid);
    Take(std::move(pod));
  }
  return Page{page->resource_version, page->continue_token, count};
}

void NodePodSink::ListFinished() { pods_.Listed(std::exchange(uids_, {})); }

Result<ListWatchSink::Event> NodePodSink::EventReceived(std::string_view json) {
  Result<api::WatchEvent<NodePod>> event = ParseNodePodWatchEvent(json, names_);
  if (!event.ok()) return event.status();
  Event out;
  out.resource_version = std::move(event->resource_version);
  switch (event->type) {
    case api::WatchEventType::kError:
      out.kind = Event::Kind::kError;
      out.error = std::move(event->error);
      return out;
    case api::WatchEventType::kBookmark:
      out.kind = Event::Kind::kBookmark;
      break;
    case api::WatchEventType::kDeleted:
      pods_.Gone(event->object.pod.uid);
      break;
    default:
      Take(std::move(event->object));
  }
  pods_.Heard();
  return out;
}

NodePodWatch::NodePodWatch(NodePodWatchOptions options, kubeclient::Transport& transport,
                           const Clock& clock, NodePods& pods,
                           kubeclient::ListWatchObserver& observer)
    : sink_(options.node, options.names, pods),
      list_watch_(WatchOptions(options), transport, sink_, observer, clock, Jitter(options.seed)) {}

}  // namespace aliquot::agent
