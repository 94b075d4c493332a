// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/kubeclient_fixture.h"

#include <thread>
#include <utility>

namespace aliquot::kubeclient {

using Json = test::FakeApiStore::Json;

void RecordingCluster::NodeSeen(const model::Node& node) {
  MutexLock lock(mutex_);
  nodes_.insert(node.name);
}

void RecordingCluster::NodeGone(std::string_view name) {
  MutexLock lock(mutex_);
  nodes_.erase(std::string(name));
}

void RecordingCluster::NodesListed(const std::vector<std::string>& names) {
  MutexLock lock(mutex_);
  nodes_ = {names.begin(), names.end()};
}

void RecordingCluster::PodSeen(const model::Pod& pod) {
  MutexLock lock(mutex_);
  pods_[pod.key.ToString()] = pod;
}

void RecordingCluster::PodGone(const model::Pod& last) {
  MutexLock lock(mutex_);
  pods_.erase(last.key.ToString());
  ++pods_gone_;
}

void RecordingCluster::BudgetsListed(const std::vector<model::DisruptionBudget>& all) {
  MutexLock lock(mutex_);
  budgets_.clear();
  for (const model::DisruptionBudget& budget : all) {
    budgets_[budget.namespace_name + "/" + budget.name] = budget;
  }
}

void RecordingCluster::BudgetSeen(const model::DisruptionBudget& budget) {
  MutexLock lock(mutex_);
  budgets_[budget.namespace_name + "/" + budget.name] = budget;
}

void RecordingCluster::BudgetGone(const model::DisruptionBudget& last) {
  MutexLock lock(mutex_);
  budgets_.erase(last.namespace_name + "/" + last.name);
}

std::map<std::string, model::DisruptionBudget> RecordingCluster::budgets() const {
  MutexLock lock(mutex_);
  return budgets_;
}

void RecordingCluster::PodsListed(const std::vector<std::string>& uids) {
  MutexLock lock(mutex_);
  const std::set<std::string> listed(uids.begin(), uids.end());
  for (auto it = pods_.begin(); it != pods_.end();) {
    it = listed.count(it->second.uid) > 0 || !it->second.has_gpu_label ? std::next(it)
                                                                       : pods_.erase(it);
  }
  ++pod_lists_;
  last_pod_list_size_ = uids.size();
}

std::set<std::string> RecordingCluster::nodes() const {
  MutexLock lock(mutex_);
  return nodes_;
}

std::map<std::string, model::Pod> RecordingCluster::pods() const {
  MutexLock lock(mutex_);
  return pods_;
}

std::map<std::string, std::int64_t> RecordingCluster::other_cpu() const {
  MutexLock lock(mutex_);
  return other_cpu_;
}

void RecordingCluster::OtherRequestsListed(const StringMap<model::HostAmount>& by_node) {
  MutexLock lock(mutex_);
  other_cpu_.clear();
  for (const auto& [node, amount] : by_node) {
    other_cpu_[node] = amount.cpu_milli;
  }
}

std::size_t RecordingCluster::pods_gone() const {
  MutexLock lock(mutex_);
  return pods_gone_;
}

int RecordingCluster::pod_lists() const {
  MutexLock lock(mutex_);
  return pod_lists_;
}

std::size_t RecordingCluster::last_pod_list_size() const {
  MutexLock lock(mutex_);
  return last_pod_list_size_;
}

void RecordingWatch::Add(const std::string& what, std::string_view resource,
                         std::string_view text) {
  MutexLock lock(mutex_);
  ++counts_[what + " " + std::string(resource)];
  if (!text.empty()) {
    texts_ += what + " " + std::string(resource) + ": " + std::string(text) + "\n";
  }
}

void RecordingWatch::Listed(std::string_view resource, std::size_t, std::chrono::nanoseconds) {
  Add("listed", resource, "");
}
void RecordingWatch::Heard(std::string_view resource) { Add("heard", resource, ""); }
void RecordingWatch::WatchRestarted(std::string_view resource, std::string_view reason) {
  Add("restarted", resource, reason);
}
void RecordingWatch::Relisting(std::string_view resource, std::string_view reason) {
  Add("relisting", resource, reason);
}
void RecordingWatch::Failed(std::string_view resource, const Status& problem) {
  Add("failed", resource, problem.message());
}

int RecordingWatch::Count(const std::string& what, const std::string& resource) const {
  MutexLock lock(mutex_);
  const auto found = counts_.find(what + " " + resource);
  return found == counts_.end() ? 0 : found->second;
}

std::string RecordingWatch::Texts() const {
  MutexLock lock(mutex_);
  return texts_;
}

Json NodeJson(const std::string& name) {
  return Json{{"metadata", {{"name", name}}}, {"spec", Json::object()}, {"status", Json::object()}};
}

Json PodJson(const std::string& name, bool labelled, bool gpu) {
  Json pod{{"metadata", {{"name", name}, {"namespace", "team"}}},
           {"spec", {{"containers", Json::array({Json{{"name", "main"}}})}}},
           {"status", {{"phase", "Pending"}}}};
  if (labelled) pod["metadata"]["labels"] = {{"aliquot.io/gpu", "true"}};
  if (gpu) {
    pod["spec"]["containers"][0]["resources"]["limits"] = {{"tencent.com/vcuda-core", "20"},
                                                           {"tencent.com/vcuda-memory", "15"}};
  }
  return pod;
}

void KubeclientTest::StartServer(test::FakeApiServerOptions options) {
  server_ = std::make_unique<test::FakeApiServer>(std::move(options), &authority_);
}

ClientConfig KubeclientTest::Config() {
  ClientConfig config;
  config.server = server_->url();
  config.certificate_authority.file = directory_.Write("ca.crt", authority_.certificate());
  config.token.file = directory_.Write("token", "token-1");
  return config;
}

void KubeclientTest::Connect(const ClientConfig& config, TransportOptions options) {
  auto created = CurlTransport::Create(config, clock_, std::move(options));
  ASSERT_TRUE(created.ok()) << created.status().message();
  transport_ = *std::move(created);
}

ClusterSourceOptions KubeclientTest::SourceOptions() {
  ClusterSourceOptions options;
  options.seed = 42;
  options.unlabelled_scan_period = std::chrono::seconds(0);
  options.watch.page_limit = 3;
  options.watch.backoff.base = std::chrono::milliseconds(10);
  options.watch.backoff.cap = std::chrono::milliseconds(50);
  return options;
}

void KubeclientTest::StartSource(ClusterSourceOptions options) {
  source_ =
      std::make_unique<ClusterSource>(std::move(options), *transport_, clock_, cluster_, watch_);
  source_->Start();
}

}  // namespace aliquot::kubeclient
