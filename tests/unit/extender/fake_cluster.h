// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "model/cluster.h"

namespace aliquot::extender {

// What becomes of one Binding.
enum class BindFate {
  kApply,             // as the API server does: written, or refused because of the pod's state
  kLoseAnswer,        // written, but its reply never comes
  kLoseRequest,       // never arrives, and no reply comes
  kApplyAndConflict,  // written, yet answered with 409, as to a repeated POST
  kRefuse,            // refused for a reason of its own
};

// An API server in memory: pods by name, the rules of the binding subresource, and fates that a
// test scripts. Thread-safe. Calls can be held back, so that a test decides when they return.
class FakeCluster final : public model::ClusterWriter {
 public:
  void AddPod(const model::Pod& pod);
  void DeletePod(const model::PodKey& key);
  // As another client would.
  void Change(const model::PodKey& key, const std::function<void(model::Pod&)>& change);
  std::optional<model::Pod> Find(const model::PodKey& key) const;
  std::vector<model::Pod> Pods() const;

  // The fates of the next Bindings, in order; then kApply.
  void NextBinds(std::initializer_list<BindFate> fates);
  // Makes the outcome of the next patches, in order; then they are done.
  void NextPatches(std::initializer_list<model::WriteOutcome> outcomes);
  // Reads answer nothing until this is undone.
  void SetReadable(bool readable);
  // Bindings, or reads, do not return until they are let go.
  void HoldBinds(bool hold);
  void HoldReads(bool hold);

  int binds() const;  // begun
  int reads() const;
  int patches() const;
  std::vector<model::BindOrder> orders() const;
  std::vector<model::PodEvent> events() const;
  std::vector<std::pair<std::string, model::PodCondition>> conditions() const;

  model::WriteReply Bind(const model::BindOrder& order, SteadyTime deadline) override;
  model::WriteReply PatchPod(const model::PodKey& key, std::string_view uid,
                             const std::map<std::string, std::string>& annotations,
                             const std::map<std::string, std::string>& labels) override;
  model::WriteReply SetPodCondition(const model::PodKey& key, std::string_view uid,
                                    const model::PodCondition& condition) override;
  model::WriteReply PostEvent(const model::PodEvent& event) override;
  model::PodLookup GetPod(const model::PodKey& key) override;

 private:
  model::WriteReply Apply(const model::BindOrder& order) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar let_go_;
  std::map<model::PodKey, model::Pod> pods_ GUARDED_BY(mutex_);
  std::deque<BindFate> fates_ GUARDED_BY(mutex_);
  std::deque<model::WriteOutcome> patch_outcomes_ GUARDED_BY(mutex_);
  std::vector<model::BindOrder> orders_ GUARDED_BY(mutex_);
  std::vector<model::PodEvent> events_ GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, model::PodCondition>> conditions_ GUARDED_BY(mutex_);
  bool readable_ GUARDED_BY(mutex_) = true;
  bool hold_binds_ GUARDED_BY(mutex_) = false;
  bool hold_reads_ GUARDED_BY(mutex_) = false;
  int reads_ GUARDED_BY(mutex_) = 0;
  int patches_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::extender
