// SPDX-License-Identifier: Apache-2.0
#include "interposer/limits_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace aliquot::interposer {
namespace {

constexpr char kUuid[] = "GPU-00112233-4455-6677-8899-aabbccddeeff";

class LimitsViewTest : public testing::Test {
 protected:
  LimitsViewTest() {
    std::string name = testing::TempDir() + "limits-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/record";
    quota::InitialiseLimits(record_);
    record_.cards = 1;
    record_.isolation = quota::Isolation::kLibrary;
    SetUuid(0, kUuid);
    record_.card[0].core_percent = 30;
    record_.card[0].ceiling_percent = 50;
    record_.card[0].memory_bytes = 1000;
  }
  ~LimitsViewTest() override { std::filesystem::remove_all(folder_); }

  void SetUuid(int card, const std::string& uuid) {
    ASSERT_TRUE(quota::SetText(record_.card[card].uuid, sizeof record_.card[card].uuid, uuid.data(),
                               uuid.size()));
  }

  // As the agent does: aside, then renamed.
  void Write(std::size_t size = sizeof(quota::LimitsRecord)) {
    quota::SealLimits(record_);
    std::ofstream(path_ + ".new", std::ios::binary)
        .write(reinterpret_cast<const char*>(&record_), static_cast<std::streamsize>(size));
    std::filesystem::rename(path_ + ".new", path_);
  }

  // In place, behind every mapping.
  void WriteLiveValues(std::uint64_t sequence, const quota::LiveCard& card) {
    quota::LiveLimits live{};
    live.sequence = sequence;
    live.card[0] = card;
    const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::pwrite(file, &live, sizeof live, offsetof(quota::LimitsRecord, live)),
              static_cast<ssize_t>(sizeof live));
    ::close(file);
  }

  std::string folder_;
  std::string path_;
  quota::LimitsRecord record_;
  std::unique_ptr<LimitsView> view_ = std::make_unique<LimitsView>();
};

TEST_F(LimitsViewTest, ReadsWhatTheAgentWrote) {
  Write();
  ASSERT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kEnforced);
  EXPECT_EQ(view_->cards(), 1);
  EXPECT_EQ(view_->memory_bytes(0), 1000U);
  EXPECT_EQ(view_->guaranteed_percent(0), 30U);
  EXPECT_EQ(view_->uuid(0)[0], 0x00);
  EXPECT_EQ(view_->uuid(0)[15], 0xff);
}

TEST_F(LimitsViewTest, AWholeCardHasNoMemoryLimit) {
  record_.card[0].memory_bytes = 0;
  Write();
  ASSERT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kEnforced);
  EXPECT_EQ(view_->memory_bytes(0), ~std::uint64_t{0});
}

TEST_F(LimitsViewTest, NoRecordAndAnotherIsolationHoldNothing) {
  EXPECT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kAbsent);
  record_.isolation = quota::Isolation::kMps;
  Write();
  EXPECT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kNotOurs);
}

TEST_F(LimitsViewTest, ADamagedOneSaysHow) {
  Write(100);
  EXPECT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kDamaged);
  EXPECT_EQ(view_->fault(), quota::LimitsFault::kTooShort);
  record_.major = 9;
  Write();
  EXPECT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kDamaged);
  EXPECT_EQ(view_->fault(), quota::LimitsFault::kMajor);
}

TEST_F(LimitsViewTest, ANewRecordIsTakenWhenItIsLookedFor) {
  Write();
  ASSERT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kEnforced);
  record_.card[0].memory_bytes = 2000;
  record_.card[0].core_percent = 40;
  Write();
  EXPECT_EQ(view_->memory_bytes(0), 1000U);
  view_->Follow(path_.c_str());
  EXPECT_EQ(view_->memory_bytes(0), 2000U);
  EXPECT_EQ(view_->guaranteed_percent(0), 40U);
  WriteLiveValues(2, {45, 0, 9, 7, -3});  // the new file's live values are the ones that count
  EXPECT_EQ(view_->live(0).core_now, 45U);
}

TEST_F(LimitsViewTest, ADamagedOrForeignNewRecordLeavesTheLastOne) {
  Write();
  ASSERT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kEnforced);
  Write(50);
  view_->Follow(path_.c_str());
  EXPECT_EQ(view_->memory_bytes(0), 1000U);
  record_.card[0].memory_bytes = 3000;
  SetUuid(0, "GPU-00112233-4455-6677-8899-aabbccddee00");  // cells are counted by place
  Write();
  view_->Follow(path_.c_str());
  EXPECT_EQ(view_->memory_bytes(0), 1000U);
  std::filesystem::remove(path_);
  view_->Follow(path_.c_str());
  EXPECT_EQ(view_->memory_bytes(0), 1000U);
  SetUuid(0, kUuid);
  Write();
  view_->Follow(path_.c_str());
  EXPECT_EQ(view_->memory_bytes(0), 3000U);
}

TEST_F(LimitsViewTest, LiveValuesAreReadInPlaceAndATornReadKeepsTheLast) {
  Write();
  ASSERT_EQ(view_->Open(path_.c_str()), LimitsAnswer::kEnforced);
  EXPECT_EQ(view_->live(0).core_now, 0U);
  WriteLiveValues(2, {80, 0, 1234, 55, -6});
  const quota::LiveCard read = view_->live(0);
  EXPECT_EQ(read.core_now, 80U);
  EXPECT_EQ(read.expires_ns, 1234U);
  EXPECT_EQ(read.overhead_bytes, 55U);
  EXPECT_EQ(read.busy_correction_ns, -6);
  WriteLiveValues(3, {1, 0, 1, 1, 1});  // a writer that died inside
  EXPECT_EQ(view_->live(0).core_now, 80U);
  EXPECT_EQ(view_->live(0).overhead_bytes, 55U);
}

}  // namespace
}  // namespace aliquot::interposer
