// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/enforcement/board.h"
#include "agent/grant/limits_of_grant.h"
#include "agent/grant/live_grants.h"
#include "agent/grant/state_layout.h"
#include "base/clock.h"
#include "observability/log.h"
#include "quota/usage_region.h"

namespace aliquot::agent {

// Counts its lines. Thread-safe.
class CountingLog final : public observability::Log {
 public:
  void Write(observability::Level, std::string_view, std::string_view,
             std::initializer_list<observability::Field>) override {
    ++lines_;
  }
  int lines() const { return lines_; }

 private:
  std::atomic<int> lines_{0};
};

// A state directory with grants that hold shares, their records and their usage files, in which
// the test plays the library.
class HeldTest : public testing::Test {
 protected:
  HeldTest() {
    std::string name = (std::filesystem::temp_directory_path() / "held-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    layout_ = std::make_unique<StateLayout>(folder_);
  }
  ~HeldTest() override {
    for (const auto& [name, descriptor] : owners_) {
      close(descriptor);
    }
    std::filesystem::remove_all(folder_);
  }

  static std::string Uid(int pod) {
    return "1f0e0000-0000-4000-8000-00000000000" + std::to_string(pod);
  }
  static std::string ContainerId(int pod) { return std::string(63, 'c') + std::to_string(pod); }

  // A grant of one share, live, with its files.
  std::string Grant(int pod, int core, int ceiling, std::int64_t mib = 1024,
                    const std::string& uuid = "GPU-0") {
    GrantRecord record;
    record.name = "g" + std::to_string(pod);
    record.device_ids = {"c" + std::to_string(pod)};
    record.identity.key = {"team", "pod-" + std::to_string(pod)};
    record.identity.uid = Uid(pod);
    record.identity.container = "main";
    record.cards = {{uuid, 0, core, mib}};
    record.limit = ceiling;
    record.enforcement = "library";
    record.library = "00aa";
    MakeFiles(record);
    live_.Recall({record});
    return record.name;
  }

  void MakeFiles(const GrantRecord& record) {
    std::filesystem::create_directories(layout_->Grant(record.name) + "/limits");
    std::filesystem::create_directories(layout_->Grant(record.name) + "/library");
    std::filesystem::create_directories(layout_->UsageDirectory(record.name));
    PutRecord(record);
    std::ofstream(layout_->Grant(record.name) + "/library/libaliquot.so") << "library";
    const auto region = std::make_unique<quota::UsageRegion>();
    quota::InitialiseUsage(*region);
    std::ofstream(layout_->UsageRegion(record.name), std::ios::binary)
        .write(reinterpret_cast<const char*>(region.get()), sizeof *region);
  }

  // As the store does: aside, then renamed into place.
  void PutRecord(const GrantRecord& record) {
    const auto limits = std::make_unique<quota::LimitsRecord>();
    ASSERT_TRUE(LimitsOfGrant(record, *limits).ok());
    const std::string path = RecordPath(record.name);
    std::ofstream(path + ".new", std::ios::binary)
        .write(reinterpret_cast<const char*>(limits.get()), sizeof *limits);
    std::filesystem::rename(path + ".new", path);
  }
  std::string RecordPath(const std::string& grant) const {
    return layout_->Grant(grant) + "/limits/record";
  }

  // What the container would read.
  quota::LiveCard LiveOf(const std::string& grant) const {
    auto record = std::make_unique<quota::LimitsRecord>();
    std::ifstream(RecordPath(grant), std::ios::binary)
        .read(reinterpret_cast<char*>(record.get()), sizeof *record);
    quota::LiveCard card{};
    EXPECT_TRUE(quota::ReadLive(record->live, &card, 1));
    return card;
  }

  // A process of the container takes slot 0, and its numbers are these.
  void Use(const std::string& grant, std::uint64_t launches, std::uint64_t held_bytes = 0) {
    int& owner = owners_.try_emplace(grant, -1).first->second;
    if (owner < 0) {
      owner = open(layout_->UsageRegion(grant).c_str(), O_RDWR | O_CLOEXEC);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      lock.l_len = 1;
      ASSERT_EQ(fcntl(owner, F_OFD_SETLK, &lock), 0);
    }
    quota::UsageSlot slot{};
    slot.pid = 1;
    slot.card[0].launches = launches;
    slot.card[0].committed_bytes = held_bytes;
    ASSERT_EQ(pwrite(owner, &slot, sizeof slot, offsetof(quota::UsageRegion, slot)),
              static_cast<ssize_t>(sizeof slot));
  }
  // The process ends, however it does.
  void EndUse(const std::string& grant) {
    close(owners_.at(grant));
    owners_.erase(grant);
  }

  std::string folder_;
  std::unique_ptr<StateLayout> layout_;
  FakeClock clock_;
  CountingLog log_;
  LiveGrants live_;
  EnforcementBoard board_;
  std::map<std::string, int> owners_;
};

}  // namespace aliquot::agent
