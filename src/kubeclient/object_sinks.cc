// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/object_sinks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/list_codec.h"
#include "api/watch_codec.h"

namespace aliquot::kubeclient {

namespace {

template <typename T>
ListWatchSink::Event EventOf(api::WatchEvent<T>& event) {
  ListWatchSink::Event out;
  out.resource_version = std::move(event.resource_version);
  if (event.type == api::WatchEventType::kBookmark) {
    out.kind = ListWatchSink::Event::Kind::kBookmark;
  } else if (event.type == api::WatchEventType::kError) {
    out.kind = ListWatchSink::Event::Kind::kError;
    out.error = std::move(event.error);
  }
  return out;
}

bool IsObject(api::WatchEventType type) {
  return type == api::WatchEventType::kAdded || type == api::WatchEventType::kModified;
}

}  // namespace

Result<ListWatchSink::Page> NodeSink::PageReceived(std::string_view json) {
  Result<api::ListPage<model::Node>> page = api::ParseNodeList(json);
  if (!page.ok()) return page.status();
  for (const model::Node& node : page->items) {
    names_.push_back(node.name);
    observer_.NodeSeen(node);
  }
  return Page{page->resource_version, page->continue_token, page->items.size()};
}

void NodeSink::ListFinished() { observer_.NodesListed(std::exchange(names_, {})); }

Result<ListWatchSink::Event> NodeSink::EventReceived(std::string_view json) {
  Result<api::WatchEvent<model::Node>> event = api::ParseNodeWatchEvent(json);
  if (!event.ok()) return event.status();
  if (IsObject(event->type)) observer_.NodeSeen(event->object);
  if (event->type == api::WatchEventType::kDeleted) observer_.NodeGone(event->object.name);
  return EventOf(*event);
}

Result<ListWatchSink::Page> BudgetSink::PageReceived(std::string_view json) {
  Result<api::ListPage<model::DisruptionBudget>> page = api::ParseDisruptionBudgetList(json);
  if (!page.ok()) return page.status();
  const std::size_t count = page->items.size();
  std::move(page->items.begin(), page->items.end(), std::back_inserter(budgets_));
  return Page{page->resource_version, page->continue_token, count};
}

void BudgetSink::ListFinished() { observer_.BudgetsListed(std::exchange(budgets_, {})); }

Result<ListWatchSink::Event> BudgetSink::EventReceived(std::string_view json) {
  Result<api::WatchEvent<model::DisruptionBudget>> event =
      api::ParseDisruptionBudgetWatchEvent(json);
  if (!event.ok()) return event.status();
  if (IsObject(event->type)) observer_.BudgetSeen(event->object);
  if (event->type == api::WatchEventType::kDeleted) observer_.BudgetGone(event->object);
  return EventOf(*event);
}

void PodGate::Seen(const model::Pod& pod) {
  MutexLock lock(mutex_);
  observer_.PodSeen(pod);
}

void PodGate::Gone(const model::Pod& last) {
  MutexLock lock(mutex_);
  observer_.PodGone(last);
}

void PodGate::Listed(const std::vector<std::string>& uids) {
  MutexLock lock(mutex_);
  observer_.PodsListed(uids);
}

PodSink::PodSink(model::ResourceNames names, PodGate& gate)
    : names_(std::move(names)), gate_(gate) {}

Result<ListWatchSink::Page> PodSink::PageReceived(std::string_view json) {
  Result<api::ListPage<model::Pod>> page = api::ParsePodList(json, names_);
  if (!page.ok()) return page.status();
  for (const model::Pod& pod : page->items) {
    uids_.push_back(pod.uid);
    gate_.Seen(pod);
  }
  return Page{page->resource_version, page->continue_token, page->items.size()};
}

void PodSink::ListFinished() { gate_.Listed(std::exchange(uids_, {})); }

Result<ListWatchSink::Event> PodSink::EventReceived(std::string_view json) {
  Result<api::WatchEvent<model::Pod>> event = api::ParsePodWatchEvent(json, names_);
  if (!event.ok()) return event.status();
  if (IsObject(event->type)) gate_.Seen(event->object);
  if (event->type == api::WatchEventType::kDeleted) gate_.Gone(event->object);
  return EventOf(*event);
}

}  // namespace aliquot::kubeclient
