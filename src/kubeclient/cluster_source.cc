// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/cluster_source.h"

#include <optional>
#include <string>
#include <utility>

#include "kubeclient/object_sinks.h"
#include "kubeclient/unlabelled_scan.h"
#include "kubeclient/verbs.h"

namespace aliquot::kubeclient {

namespace {

ListWatchOptions NodeOptions(ListWatchOptions options) {
  options.resource = "nodes";
  options.list = kListNodes;
  options.watch = kWatchNodes;
  options.label_selector.clear();
  return options;
}

ListWatchOptions PodOptions(ListWatchOptions options) {
  options.resource = "pods";
  options.list = kListPods;
  options.watch = kWatchPods;
  options.label_selector = std::string(model::kGpuLabel) + "=" + std::string(model::kGpuLabelValue);
  return options;
}

ListWatchOptions BudgetOptions(ListWatchOptions options) {
  options.resource = "poddisruptionbudgets";
  options.list = kListBudgets;
  options.watch = kWatchBudgets;
  options.label_selector.clear();
  return options;
}

// Each thread gets a source of its own.
UniformSource SourceFor(std::uint64_t seed, std::uint64_t thread) {
  return seed == 0 ? RandomUniform() : SeededUniform(seed + thread);
}

}  // namespace

class ClusterSource::Impl {
 public:
  Impl(ClusterSourceOptions options, Transport& transport, const Clock& clock,
       model::ClusterObserver& observer, ListWatchObserver& watch_observer)
      : node_sink_(observer),
        pod_gate_(observer),
        pod_sink_(options.names, pod_gate_),
        budget_sink_(observer),
        nodes_(NodeOptions(options.watch), transport, node_sink_, watch_observer, clock,
               SourceFor(options.seed, 0)),
        pods_(PodOptions(options.watch), transport, pod_sink_, watch_observer, clock,
              SourceFor(options.seed, 1)),
        budgets_(BudgetOptions(options.watch), transport, budget_sink_, watch_observer, clock,
                 SourceFor(options.seed, 3)) {
    if (options.unlabelled_scan_period.count() > 0) {
      scan_.emplace(options.watch, options.unlabelled_scan_period, options.names, transport,
                    pod_gate_, observer, watch_observer, clock, SourceFor(options.seed, 2));
    }
  }

  void Start() {
    nodes_.Start();
    pods_.Start();
    budgets_.Start();
    if (scan_) scan_->Start();
  }

  void Stop() {
    nodes_.Stop();
    pods_.Stop();
    budgets_.Stop();
    if (scan_) scan_->Stop();
  }

  const ListWatch& nodes() const { return nodes_; }
  const ListWatch& pods() const { return pods_; }

 private:
  NodeSink node_sink_;
  PodGate pod_gate_;
  PodSink pod_sink_;
  BudgetSink budget_sink_;
  ListWatch nodes_;
  ListWatch pods_;
  ListWatch budgets_;
  std::optional<UnlabelledScan> scan_;
};

ClusterSource::ClusterSource(ClusterSourceOptions options, Transport& transport, const Clock& clock,
                             model::ClusterObserver& observer, ListWatchObserver& watch_observer)
    : impl_(
          std::make_unique<Impl>(std::move(options), transport, clock, observer, watch_observer)) {}

ClusterSource::~ClusterSource() { Stop(); }

void ClusterSource::Start() { impl_->Start(); }
void ClusterSource::Stop() { impl_->Stop(); }
bool ClusterSource::synced() const { return impl_->nodes().synced() && impl_->pods().synced(); }
SteadyTime ClusterSource::nodes_last_heard() const { return impl_->nodes().last_heard(); }
SteadyTime ClusterSource::pods_last_heard() const { return impl_->pods().last_heard(); }

}  // namespace aliquot::kubeclient
