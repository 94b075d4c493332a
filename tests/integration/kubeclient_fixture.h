// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "kubeclient/cluster_source.h"
#include "kubeclient/curl_transport.h"
#include "model/cluster.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/test_certificates.h"

namespace aliquot::kubeclient {

using test::Eventually;

// Keeps what it was told. Thread-safe.
class RecordingCluster final : public model::ClusterObserver {
 public:
  void NodeSeen(const model::Node& node) override;
  void NodeGone(std::string_view name) override;
  void NodesListed(const std::vector<std::string>& names) override;
  void PodSeen(const model::Pod& pod) override;
  void PodGone(const model::Pod& last) override;
  void PodsListed(const std::vector<std::string>& uids) override;
  void BudgetsListed(const std::vector<model::DisruptionBudget>& all) override;
  void BudgetSeen(const model::DisruptionBudget& budget) override;
  void BudgetGone(const model::DisruptionBudget& last) override;

  std::set<std::string> nodes() const;
  std::map<std::string, model::Pod> pods() const;  // by "namespace/name"; gone ones are not in it
  std::map<std::string, model::DisruptionBudget> budgets() const;  // by "namespace/name"
  // As last listed: processor by node, in 1/1000 of a core.
  std::map<std::string, std::int64_t> other_cpu() const;
  void OtherRequestsListed(const StringMap<model::HostAmount>& by_node) override;
  std::size_t pods_gone() const;
  int pod_lists() const;
  std::size_t last_pod_list_size() const;
  bool HasPod(const std::string& key) const { return pods().count(key) > 0; }

 private:
  mutable Mutex mutex_;
  std::set<std::string> nodes_ GUARDED_BY(mutex_);
  std::map<std::string, model::Pod> pods_ GUARDED_BY(mutex_);
  std::map<std::string, model::DisruptionBudget> budgets_ GUARDED_BY(mutex_);
  std::map<std::string, std::int64_t> other_cpu_ GUARDED_BY(mutex_);
  std::size_t pods_gone_ GUARDED_BY(mutex_) = 0;
  int pod_lists_ GUARDED_BY(mutex_) = 0;
  std::size_t last_pod_list_size_ GUARDED_BY(mutex_) = 0;
};

// Counts and keeps the last reasons. Thread-safe.
class RecordingWatch final : public ListWatchObserver {
 public:
  void Listed(std::string_view resource, std::size_t objects, std::chrono::nanoseconds) override;
  void Heard(std::string_view resource) override;
  void WatchRestarted(std::string_view resource, std::string_view reason) override;
  void Relisting(std::string_view resource, std::string_view reason) override;
  void Failed(std::string_view resource, const Status& problem) override;

  // How often that happened to that resource: "listed", "heard", "restarted", "relisting",
  // "failed".
  int Count(const std::string& what, const std::string& resource) const;
  // Everything said, for a failed test and for looking for secrets.
  std::string Texts() const;

 private:
  void Add(const std::string& what, std::string_view resource, std::string_view text);

  mutable Mutex mutex_;
  std::map<std::string, int> counts_ GUARDED_BY(mutex_);
  std::string texts_ GUARDED_BY(mutex_);
};

test::FakeApiStore::Json NodeJson(const std::string& name);
// Asks for a fifth of a GPU unless `gpu` is false; carries our label if `labelled`.
test::FakeApiStore::Json PodJson(const std::string& name, bool labelled = true, bool gpu = true);

// A server with a CA of its own and a client configured for it.
class KubeclientTest : public ::testing::Test {
 protected:
  static constexpr auto kPod = test::FakeApiStore::Kind::kPod;
  static constexpr auto kNode = test::FakeApiStore::Kind::kNode;
  static constexpr auto kBudget = test::FakeApiStore::Kind::kBudget;

  void StartServer(test::FakeApiServerOptions options = {});
  // With the server's URL and CA, and a token file that holds "token-1".
  ClientConfig Config();
  void Connect(const ClientConfig& config, TransportOptions options = {});
  void Connect() { Connect(Config()); }

  // Short delays, so that failures are soon behind.
  static ClusterSourceOptions SourceOptions();
  void StartSource(ClusterSourceOptions options = SourceOptions());

  SteadyTime In(std::chrono::milliseconds time) const { return clock_.SteadyNow() + time; }

  // Destroyed last to first: the client's connections close before the server waits for them.
  RealClock clock_;
  test::CertificateAuthority authority_;
  test::TemporaryDirectory directory_;
  RecordingCluster cluster_;
  RecordingWatch watch_;
  std::unique_ptr<test::FakeApiServer> server_;
  std::unique_ptr<CurlTransport> transport_;
  std::unique_ptr<ClusterSource> source_;
};

}  // namespace aliquot::kubeclient
