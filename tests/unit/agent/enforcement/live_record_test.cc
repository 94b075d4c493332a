// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/live_record.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/enforcement/held_fixture.h"

namespace aliquot::agent {
namespace {

using testing::HasSubstr;

class LiveRecordTest : public HeldTest {
 protected:
  std::string Problem(const std::string& path) {
    const auto opened = LiveRecord::Open(path);
    return opened.ok() ? "none" : opened.status().message();
  }
};

TEST_F(LiveRecordTest, WhatIsWrittenIsWhatTheContainerReads) {
  const std::string grant = Grant(1, 30, 60);
  auto record = LiveRecord::Open(RecordPath(grant));
  ASSERT_TRUE(record.ok()) << record.status().message();
  quota::LiveCard card{};
  card.core_now = 60;
  card.expires_ns = 7;
  card.overhead_bytes = 9;
  card.busy_correction_ns = -3;
  (*record)->Write({card});
  EXPECT_EQ(LiveOf(grant).core_now, 60U);
  EXPECT_EQ(LiveOf(grant).overhead_bytes, 9U);
  ASSERT_EQ((*record)->Read().size(), 1U);
  EXPECT_EQ((*record)->Read()[0].busy_correction_ns, -3);
}

TEST_F(LiveRecordTest, AFileThatWasReplacedIsNotedByItsNumber) {
  const std::string grant = Grant(1, 30, 60);
  auto record = LiveRecord::Open(RecordPath(grant));
  ASSERT_TRUE(record.ok());
  EXPECT_TRUE((*record)->IsAt(RecordPath(grant)));
  PutRecord(*live_.Snapshot()->front());
  EXPECT_FALSE((*record)->IsAt(RecordPath(grant)));
  std::filesystem::remove(RecordPath(grant));
  EXPECT_FALSE((*record)->IsAt(RecordPath(grant)));
  (*record)->Write({{}});  // what was removed is written to without harm
}

TEST_F(LiveRecordTest, WhatIsNoRecordIsOneSentence) {
  const std::string grant = Grant(1, 30, 60);
  const std::string path = RecordPath(grant);
  EXPECT_THAT(Problem(path + "x"), HasSubstr("can't be opened: No such file or directory"));
  std::filesystem::create_symlink(path, path + ".link");
  EXPECT_THAT(Problem(path + ".link"), HasSubstr("can't be opened"));
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(30).put('x');
  EXPECT_THAT(Problem(path), HasSubstr("is damaged: "));
  std::filesystem::resize_file(path, 100);
  EXPECT_THAT(Problem(path), HasSubstr("is not a file of 3088 bytes"));
}

}  // namespace
}  // namespace aliquot::agent
