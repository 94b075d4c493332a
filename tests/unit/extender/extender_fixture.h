// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "extender/node_judge.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"
#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "tests/support/eventually.h"
#include "tests/unit/extender/fake_cluster.h"

namespace aliquot::extender {

// Keeps decisions as "verb outcome node cards: reason".
class RecordingDecisionLog final : public observability::DecisionLog {
 public:
  void Record(const observability::Decision& decision) override;
  std::vector<std::string> lines() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
};

using test::Eventually;

model::Node NodeOf(const std::string& name, int cards, std::int64_t mib = 16384);
// One app container "main" asking for `core` percent and `memory` units of 256 MiB; labelled.
model::Pod PodOf(const std::string& name, int core, int memory);
void AddContainer(model::Pod& pod, const std::string& name, model::ContainerKind kind, int index,
                  int core, int memory);
// A pod of six shares that fill two empty cards exactly: taking the largest first, each to the
// fullest card that holds it, fails, and a search of some steps finds the one way. With the tight
// limits below a request has steps for a few nodes only.
model::Pod ExactFitPod(const std::string& name);
inline constexpr int kTightStepsPerNode = 60;
inline constexpr int kTightStepsPerRequest = 100;
// The pod as the API server would show it to kube-scheduler.
nlohmann::json PodJson(const model::Pod& pod);
// The body of a filter or prioritize request.
std::string ArgsFor(const model::Pod& pod, const std::vector<std::string>& names);
// The body of a bind request.
std::string BindArgsFor(const model::Pod& pod, const std::string& node);
// A counter's or gauge's value in the rendered metrics; -1 where there is no such line.
double MetricValue(observability::Metrics& metrics, const std::string& series);

// A real ledger over nodes and pods in memory, on first fit, so that the expected card is obvious.
class ExtenderFixture : public ::testing::Test {
 protected:
  explicit ExtenderFixture(const char* policy = "first-fit")
      : placer_(scoring::PlacerOptions(), *scoring::FindPolicy(policy)) {}

  void AddNode(const std::string& name, int cards, std::int64_t mib = 16384) {
    ledger_.SetNode(NodeOf(name, cards, mib));
  }
  // Takes cards for another pod, confirmed.
  void Occupy(const std::string& node, const std::string& pod, int core, int memory);
  ledger::CommitRequest RequestFor(const model::Pod& pod, const std::string& node) const;
  scoring::CardState CardAt(const std::string& node, std::size_t card) const;

  FakeClock clock_;
  model::ResourceNames names_;
  scoring::Placer placer_;
  topology::Catalog catalog_;
  NodeJudge judge_{placer_, clock_};
  ledger::Ledger ledger_{placer_, catalog_, names_, clock_};
  ledger::PendingPods pending_;
  observability::Metrics metrics_{clock_};
  RecordingDecisionLog log_;
};

}  // namespace aliquot::extender
