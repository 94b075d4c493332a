// SPDX-License-Identifier: Apache-2.0
// The state directory: full, read-only, crowded, and what a tenant does to its one file in it.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "quota/usage_region.h"
#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A file system of which the n-th write from now on fails, and all after it.
class FailingFiles final : public FileSystem {
 public:
  void FailFrom(int call, int error) {
    error_ = error;
    left_ = call;
  }
  void Heal() { left_ = -1; }
  // Calls that wrote since FailFrom.
  bool failed() const { return left_ == 0; }

  int MakeDirectory(const std::string& path, mode_t mode) const override {
    return Fails() ? error_.load() : FileSystem::MakeDirectory(path, mode);
  }
  int MakeNode(const std::string& path, const DeviceNode& node) const override {
    return Fails() ? error_.load() : FileSystem::MakeNode(path, node);
  }
  int WriteNew(const std::string& path, std::string_view text, mode_t mode) const override {
    return Fails() ? error_.load() : FileSystem::WriteNew(path, text, mode);
  }
  int Rename(const std::string& from, const std::string& to) const override {
    return Fails() ? error_.load() : FileSystem::Rename(from, to);
  }
  int Exchange(const std::string& a, const std::string& b) const override {
    return Fails() ? error_.load() : FileSystem::Exchange(a, b);
  }

 private:
  // Counts down to 0 and stays there.
  bool Fails() const {
    int left = left_.load();
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
    }
    return left == 0;
  }

  mutable std::atomic<int> left_{-1};  // -1: nothing fails
  std::atomic<int> error_{0};
};

// Removes a directory in the end.
struct Removed {
  ~Removed() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

class AgentStorage : public AgentTest {
 protected:
  AgentStorage() { options_.files = &files_; }
  ~AgentStorage() override { application_.reset(); }  // before the files

  std::string Region(const TestPod& pod) {
    return State("/usage/" + GrantsOf(pod.uid).at(0) + "/region");
  }

  FailingFiles files_;
  Removed removed_;
};

// Whichever write is the first to fail: a clear refusal, nothing half done, and a start once there
// is room.
TEST_F(AgentStorage, AFullDiskAtAnyWriteIsARefusalWithoutHalfAGrant) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  int failed = 0;
  for (int call = 0; call < 60; ++call) {
    files_.FailFrom(call, ENOSPC);
    const auto nodes = StartContainer(pod, "work");
    if (nodes.ok()) {
      EXPECT_EQ(*nodes, Nodes({1}));
      break;
    }
    ++failed;
    EXPECT_THAT(
        std::string(nodes.status().message()),
        AllOf(HasSubstr("storage: "), HasSubstr(directory_.path()), HasSubstr("No space left")));
    EXPECT_THAT(GrantsOf(pod.uid), IsEmpty()) << "write " << call;
    files_.Heal();
    EXPECT_THAT(NamesIn(State("/grants")), IsEmpty()) << "write " << call;
    EXPECT_THAT(NamesIn(configuration_.grant.cdi_directory), IsEmpty()) << "write " << call;
  }
  EXPECT_GE(failed, 5) << "the loop must have met the writes of a grant";
  files_.Heal();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  EXPECT_TRUE(Eventually([&] { return EventsOf("a").size() >= 1; }));
}

TEST_F(AgentStorage, AReadOnlyStateDirectoryIsNamedWithItsRemedy) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  files_.FailFrom(0, EROFS);
  EXPECT_THAT(Refused(pod, "work"),
              AllOf(HasSubstr("storage: "), HasSubstr("Read-only file system"),
                    HasSubstr("mount it writable")));
  files_.Heal();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentStorage, AStateDirectoryThatCannotBeMadeEndsTheStartWithOneSentence) {
  configuration_.grant.state_directory = directory_.Write("a-file", "") + "/state";
  program::Problems problems;
  Application application(configuration_, log_, options_);
  EXPECT_FALSE(application.Start(problems));
  ASSERT_EQ(problems.lines().size(), 1u);
  EXPECT_THAT(problems.lines()[0], AllOf(HasSubstr("grant.stateDirectory"), HasSubstr("a-file")));
}

// Each step does a bounded piece of work, however much lies there.
TEST_F(AgentStorage, TenThousandStaleDirectoriesAreSweptInBoundedSteps) {
  // In memory, as on a node.
  configuration_.grant.state_directory = "/dev/shm/aliquot-test-" + std::to_string(getpid());
  removed_.path = State();
  constexpr int kStale = 10000;
  for (int i = 0; i < kStale; ++i) {
    char name[40];
    std::snprintf(name, sizeof(name), "g%032d", i);
    fs::create_directories(State("/grants/") + name);
  }
  // One boot: else all are taken away at once as another boot's.
  std::ifstream id("/proc/sys/kernel/random/boot_id");
  std::string boot_id;
  std::getline(id, boot_id);
  std::ofstream(State("/boot-id")) << boot_id << "\n";
  options_.tick = std::chrono::milliseconds(1);
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1})) << "a start does not wait for the sweep";
  // Ten steps, each of which says how many it has removed.
  const auto steps = [this] {
    std::vector<std::string> counts;
    std::istringstream lines(log_.Text());
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("leftovers removed count=", 0) == 0) {
        counts.push_back(line.substr(line.find('=') + 1));
      }
    }
    return counts;
  };
  ASSERT_TRUE(Eventually([&] { return steps().size() >= 10; }));
  EXPECT_THAT(steps(), testing::Each(std::to_string(GrantStore::kMostPerSweep)));
  EXPECT_THAT(GrantsOf(pod.uid), SizeIs(1));
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentStorage, ATruncatedUsageFileIsMadeAnewAtTheNextStartAndHurtsNobodyBefore) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const std::string region = Region(pod);
  ASSERT_EQ(truncate(region.c_str(), 3), 0);
  EXPECT_EQ(Get("/metrics").status, 200);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  EXPECT_EQ(fs::file_size(region), sizeof(quota::UsageRegion));
}

TEST_F(AgentStorage, AFifoOrALinkInThePlaceOfTheUsageFileIsNeverOpenedAndReplaced) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const std::string region = Region(pod);
  const std::string victim = directory_.Write("victim", "untouched");
  for (const bool link : {false, true}) {
    fs::remove(region);
    if (link) {
      fs::create_symlink(victim, region);
    } else {
      ASSERT_EQ(mkfifo(region.c_str(), 0666), 0);
    }
    EXPECT_EQ(Get("/metrics").status, 200) << "a FIFO must not make it wait";
    EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(region)));
    EXPECT_EQ(fs::file_size(region), sizeof(quota::UsageRegion));
  }
  std::ifstream read(victim);
  std::string text;
  std::getline(read, text);
  EXPECT_EQ(text, "untouched");
}

TEST_F(AgentStorage, WhatARuntimeMadeOfMissingMountSourcesIsNoObstacle) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  const auto given = kubelet_->DeviceIds(pod.uid, "work", configuration_.resource_names.core);
  ASSERT_FALSE(given.empty());
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const std::string name = GrantsOf(pod.uid).at(0);
  Remove(pod);
  ASSERT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
  fs::create_directories(State("/grants/" + name + "/limits"));
  fs::create_directories(State("/usage/" + name + "/region"));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

}  // namespace
}  // namespace aliquot::agent
