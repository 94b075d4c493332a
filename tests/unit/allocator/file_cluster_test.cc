// SPDX-License-Identifier: Apache-2.0
#include "allocator/file_cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "observability/log.h"

namespace aliquot::allocator {
namespace {

using model::WriteOutcome;

// Keeps what it is told, and lets a test wait for it.
class RecordingObserver final : public model::ClusterObserver {
 public:
  void NodeSeen(const model::Node& node) override { Note("node " + node.name); }
  void NodeGone(std::string_view name) override { Note("node gone " + std::string(name)); }
  void NodesListed(const std::vector<std::string>& names) override {
    Note("nodes listed " + std::to_string(names.size()));
  }
  void PodSeen(const model::Pod& pod) override {
    MutexLock lock(mutex_);
    pods_[pod.key.ToString()] = pod;
    notes_.push_back("pod " + pod.key.ToString() + " on " + pod.node_name);
    changed_.NotifyAll();
  }
  void PodGone(const model::Pod& last) override { Note("pod gone " + last.key.ToString()); }
  void PodsListed(const std::vector<std::string>& uids) override {
    Note("pods listed " + std::to_string(uids.size()));
  }

  // False when it was not told so within the time.
  bool WaitFor(const std::string& note) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    MutexLock lock(mutex_);
    while (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
      if (!changed_.WaitUntil(mutex_, deadline)) {
        return false;
      }
    }
    return true;
  }
  std::vector<std::string> notes() {
    MutexLock lock(mutex_);
    return notes_;
  }
  model::Pod pod(const std::string& key) {
    MutexLock lock(mutex_);
    return pods_[key];
  }

 private:
  void Note(std::string note) {
    MutexLock lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.NotifyAll();
  }

  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> notes_ GUARDED_BY(mutex_);
  std::map<std::string, model::Pod> pods_ GUARDED_BY(mutex_);
};

model::Pod PendingPod(const std::string& name) {
  model::Pod pod;
  pod.key = {"default", name};
  pod.uid = "uid-" + name;
  return pod;
}

class FileClusterTest : public testing::Test {
 protected:
  FileClusterTest() : cluster_(State(), log_) {
    cluster_.Start(observer_);
    EXPECT_TRUE(observer_.WaitFor("pods listed 2"));
  }
  ~FileClusterTest() override { cluster_.Stop(); }

  static FileClusterState State() {
    FileClusterState state;
    state.nodes.resize(1);
    state.nodes[0].name = "n";
    state.pods = {PendingPod("p"), PendingPod("bound")};
    state.pods[1].node_name = "n";
    return state;
  }

  static model::BindOrder Order(const std::string& name, const std::string& uid) {
    return {{"default", name}, uid, "n", {{"aliquot.io/allocation", "{}"}}};
  }

  observability::NullLog log_;
  RecordingObserver observer_;
  FileCluster cluster_;
};

TEST_F(FileClusterTest, TellsNodesThenPodsThenThatTheListsAreComplete) {
  EXPECT_EQ(observer_.notes(),
            (std::vector<std::string>{"node n", "nodes listed 1", "pod default/bound on n",
                                      "pod default/p on ", "pods listed 2"}));
}

TEST_F(FileClusterTest, ABindIsSeenWithNodeAndAnnotationsTogether) {
  EXPECT_EQ(cluster_.Bind(Order("p", "uid-p"), SteadyTime::max()).outcome, WriteOutcome::kDone);
  ASSERT_TRUE(observer_.WaitFor("pod default/p on n"));
  EXPECT_EQ(*observer_.pod("default/p").Annotation("aliquot.io/allocation"), "{}");
  EXPECT_EQ(cluster_.GetPod({"default", "p"}).pod.node_name, "n");
}

TEST_F(FileClusterTest, ASecondBindIsAConflictEvenToTheSameNode) {
  EXPECT_TRUE(cluster_.Bind(Order("p", "uid-p"), SteadyTime::max()).done());
  EXPECT_EQ(cluster_.Bind(Order("p", "uid-p"), SteadyTime::max()).outcome, WriteOutcome::kConflict);
  EXPECT_EQ(cluster_.Bind(Order("bound", "uid-bound"), SteadyTime::max()).outcome,
            WriteOutcome::kConflict);
}

TEST_F(FileClusterTest, AnotherPodsUidIsNotFound) {
  EXPECT_EQ(cluster_.Bind(Order("p", "uid-other"), SteadyTime::max()).outcome,
            WriteOutcome::kNotFound);
  EXPECT_EQ(cluster_.PatchPod({"default", "p"}, "uid-other", {}, {}).outcome,
            WriteOutcome::kNotFound);
}

TEST_F(FileClusterTest, APodThatOnlyRequestsKnowIsBoundOnce) {
  EXPECT_TRUE(cluster_.Bind(Order("stranger", "uid-stranger"), SteadyTime::max()).done());
  EXPECT_EQ(cluster_.Bind(Order("stranger", "uid-stranger"), SteadyTime::max()).outcome,
            WriteOutcome::kConflict);
}

TEST_F(FileClusterTest, APatchIsSeenAndLeavesOtherAnnotationsAlone) {
  EXPECT_TRUE(
      cluster_
          .PatchPod({"default", "bound"}, "uid-bound", {{"a", "1"}}, {{"aliquot.io/gpu", "true"}})
          .done());
  EXPECT_TRUE(cluster_.PatchPod({"default", "bound"}, "uid-bound", {{"b", "2"}}, {}).done());
  const model::Pod pod = cluster_.GetPod({"default", "bound"}).pod;
  EXPECT_EQ(*pod.Annotation("a"), "1");
  EXPECT_EQ(*pod.Annotation("b"), "2");
  EXPECT_TRUE(pod.has_gpu_label);
}

TEST_F(FileClusterTest, AnUnknownPodIsNotFound) {
  EXPECT_EQ(cluster_.GetPod({"default", "nobody"}).outcome, model::PodLookup::Outcome::kNotFound);
  EXPECT_EQ(cluster_.SetPodCondition({"default", "nobody"}, "u", {}).outcome,
            WriteOutcome::kNotFound);
}

}  // namespace
}  // namespace aliquot::allocator
