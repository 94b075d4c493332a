// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/usage_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace aliquot::agent {
namespace {

using quota::UsageRegion;
using testing::HasSubstr;

// A folder with one usage file, and the lock of a process that lives.
class UsageFile : public testing::Test {
 protected:
  UsageFile() {
    std::string name = (std::filesystem::temp_directory_path() / "usage-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/region";
    quota::InitialiseUsage(*region_);
  }
  ~UsageFile() override {
    if (holder_ >= 0) {
      ::close(holder_);
    }
    std::filesystem::remove_all(folder_);
  }

  void Write() {
    const int file = ::open(path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ASSERT_EQ(::write(file, region_.get(), sizeof *region_), static_cast<ssize_t>(sizeof *region_));
    ::close(file);
  }
  // As the library does for its slot.
  void HoldSlot(int slot) {
    if (holder_ < 0) {
      holder_ = ::open(path_.c_str(), O_RDWR);
    }
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = slot;
    lock.l_len = 1;
    ASSERT_EQ(::fcntl(holder_, F_OFD_SETLK, &lock), 0);
  }
  std::string Problem() { return ReadUsageFile(path_, 1).status().message(); }

  std::string folder_;
  std::string path_;
  std::unique_ptr<UsageRegion> region_ = std::make_unique<UsageRegion>();
  int holder_ = -1;
};

TEST_F(UsageFile, CountsTheSlotsThatAProcessHolds) {
  region_->slot[3].card[1].committed_bytes = 500;
  region_->slot[3].card[1].busy_ns = 7;
  region_->slot[4].card[1].committed_bytes = 9000;  // nobody holds it: its process was killed
  Write();
  HoldSlot(3);
  const auto usage = ReadUsageFile(path_, 2);
  ASSERT_TRUE(usage.ok()) << usage.status().message();
  EXPECT_EQ(usage->processes, 1);
  ASSERT_EQ(usage->cards.size(), 2U);
  EXPECT_EQ(usage->cards[0].held_bytes, 0U);
  EXPECT_EQ(usage->cards[1].held_bytes, 500U);
  EXPECT_EQ(usage->cards[1].busy_ns, 7U);
  EXPECT_EQ(usage->region->slot[4].card[1].committed_bytes, 9000U) << "the copy has every slot";
}

TEST_F(UsageFile, AMissingOneIsOneSentence) {
  EXPECT_EQ(Problem(), "usage file " + path_ +
                           " can't be opened: No such file or directory; the container's figures "
                           "are left out until it is started again");
}

TEST_F(UsageFile, ATruncatedOneIsRefused) {
  Write();
  ASSERT_EQ(::truncate(path_.c_str(), 100), 0);
  EXPECT_THAT(Problem(), HasSubstr("has 100 bytes instead of 73728"));
}

TEST_F(UsageFile, ALinkIsNotFollowed) {
  Write();
  std::filesystem::rename(path_, folder_ + "/other");
  std::filesystem::create_symlink(folder_ + "/other", path_);
  EXPECT_THAT(Problem(), HasSubstr("can't be opened"));
}

TEST_F(UsageFile, AFifoIsRefusedAndNobodyWaitsForIt) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(Problem(), HasSubstr("is no regular file any more"));
}

TEST_F(UsageFile, ADirectoryIsRefused) {
  std::filesystem::create_directory(path_);
  EXPECT_THAT(Problem(), HasSubstr("can't be opened"));
}

TEST_F(UsageFile, AForgedHeaderIsRefused) {
  region_->magic[2] = 'x';
  Write();
  EXPECT_THAT(Problem(), HasSubstr("is damaged: not a usage region"));
}

TEST_F(UsageFile, NumbersOfAStrangerDoNotWrap) {
  region_->slot[0].card[0].committed_bytes = ~std::uint64_t{0};
  region_->slot[1].card[0].committed_bytes = 1;
  Write();
  HoldSlot(0);
  HoldSlot(1);
  EXPECT_EQ(ReadUsageFile(path_, 1)->cards[0].held_bytes, ~std::uint64_t{0});
}

TEST_F(UsageFile, IsInUseWhileAnySlotIsHeld) {
  EXPECT_FALSE(UsageFileInUse(path_)) << "there is none";
  Write();
  EXPECT_FALSE(UsageFileInUse(path_));
  HoldSlot(63);
  EXPECT_TRUE(UsageFileInUse(path_));
  ::close(holder_);
  holder_ = -1;
  EXPECT_FALSE(UsageFileInUse(path_));
}

}  // namespace
}  // namespace aliquot::agent
