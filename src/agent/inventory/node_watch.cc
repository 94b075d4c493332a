// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_watch.h"

#include <utility>

#include "api/list_envelope.h"
#include "api/watch_envelope.h"
#include "kubeclient/verbs.h"

namespace aliquot::agent {
namespace {

Result<NodeView> Decode(const api::JsonElement& value) { return DecodeNodeView(value); }

kubeclient::ListWatchOptions OwnNode(const std::string& name,
                                     kubeclient::ListWatchOptions options) {
  options.resource = "nodes";
  options.list = kubeclient::kListNodes;
  options.watch = kubeclient::kWatchNodes;
  options.label_selector.clear();
  options.field_selector = "metadata.name=" + name;
  return options;
}

}  // namespace

Result<kubeclient::ListWatchSink::Page> NodeViewSink::PageReceived(std::string_view json) {
  Result<api::ListPage<NodeView>> page = api::ReadList<NodeView>(json, Decode);
  if (!page.ok()) {
    return page.status();
  }
  for (const NodeView& node : page->items) {
    if (node.name == node_name_) {
      listed_ = true;
      listener_.NodeSeen(node);
    }
  }
  return Page{page->resource_version, page->continue_token, page->items.size()};
}

void NodeViewSink::ListFinished() {
  if (!listed_) {
    listener_.NodeGone();
  }
}

Result<kubeclient::ListWatchSink::Event> NodeViewSink::EventReceived(std::string_view json) {
  Result<api::WatchEvent<NodeView>> event = api::ReadWatchEvent<NodeView>(json, Decode);
  if (!event.ok()) {
    return event.status();
  }
  Event out;
  out.resource_version = std::move(event->resource_version);
  switch (event->type) {
    case api::WatchEventType::kAdded:
    case api::WatchEventType::kModified:
      if (event->object.name == node_name_) {
        listener_.NodeSeen(event->object);
      }
      break;
    case api::WatchEventType::kDeleted:
      if (event->object.name == node_name_) {
        listener_.NodeGone();
      }
      break;
    case api::WatchEventType::kBookmark:
      out.kind = Event::Kind::kBookmark;
      break;
    case api::WatchEventType::kError:
      out.kind = Event::Kind::kError;
      out.error = std::move(event->error);
      break;
  }
  return out;
}

OwnNodeWatch::OwnNodeWatch(const std::string& node_name, kubeclient::ListWatchOptions options,
                           kubeclient::Transport& transport, NodeListener& listener,
                           kubeclient::ListWatchObserver& observer, const Clock& clock,
                           kubeclient::UniformSource uniform)
    : sink_(node_name, listener),
      watch_(OwnNode(node_name, std::move(options)), transport, sink_, observer, clock,
             std::move(uniform)) {}

}  // namespace aliquot::agent
