// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "kubeclient/list_watch.h"
#include "model/cluster.h"
#include "model/names.h"

// From raw JSON to the observer's calls, one sink a type. A page is parsed and handed on before the
// next is asked for, so memory is bounded by a page. Each is used by one thread.

namespace aliquot::kubeclient {

class NodeSink final : public ListWatchSink {
 public:
  explicit NodeSink(model::ClusterObserver& observer) : observer_(observer) {}

  void ListStarted() override { names_.clear(); }
  Result<Page> PageReceived(std::string_view json) override;
  void ListFinished() override;
  Result<Event> EventReceived(std::string_view json) override;

 private:
  model::ClusterObserver& observer_;
  std::vector<std::string> names_;
};

class BudgetSink final : public ListWatchSink {
 public:
  explicit BudgetSink(model::ClusterObserver& observer) : observer_(observer) {}

  void ListStarted() override { budgets_.clear(); }
  Result<Page> PageReceived(std::string_view json) override;
  void ListFinished() override;
  Result<Event> EventReceived(std::string_view json) override;

 private:
  model::ClusterObserver& observer_;
  std::vector<model::DisruptionBudget> budgets_;
};

// Lets two threads tell an observer about pods, one at a time.
class PodGate {
 public:
  explicit PodGate(model::ClusterObserver& observer) : observer_(observer) {}

  void Seen(const model::Pod& pod) EXCLUDES(mutex_);
  void Gone(const model::Pod& last) EXCLUDES(mutex_);
  void Listed(const std::vector<std::string>& uids) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  model::ClusterObserver& observer_ GUARDED_BY(mutex_);
};

class PodSink final : public ListWatchSink {
 public:
  PodSink(model::ResourceNames names, PodGate& gate);

  void ListStarted() override { uids_.clear(); }
  Result<Page> PageReceived(std::string_view json) override;
  void ListFinished() override;
  Result<Event> EventReceived(std::string_view json) override;

 private:
  const model::ResourceNames names_;
  PodGate& gate_;
  std::vector<std::string> uids_;
};

}  // namespace aliquot::kubeclient
