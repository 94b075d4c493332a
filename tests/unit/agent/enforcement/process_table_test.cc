// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_table.h"

#include "agent/enforcement/mapped_identity.h"
#include "tests/unit/agent/enforcement/fake_proc.h"
#include "tests/unit/agent/enforcement/held_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::seconds;

class ProcessTableTest : public HeldTest {
 protected:
  ProcessTableTest() {
    std::ofstream(folder_ + "/libaliquot.so") << "ours";
    given_ = {*IdentityOf(folder_ + "/libaliquot.so"), "libaliquot.so"};
    proc_.Put(70, Uid(1), ContainerId(1));
  }
  LoadedLibrary Look(seconds after = seconds(0)) {
    clock_.Advance(after);
    return table_.Find(70, clock_.SteadyNow()) ? table_.LibraryOf(70, given_, clock_.SteadyNow())
                                               : LoadedLibrary::kUnknown;
  }

  FakeProc proc_{folder_ + "/proc"};
  ProcessReader reader_{proc_.root()};
  ProcessTable table_{reader_, ProcessTable::Options()};
  GivenLibrary given_;
};

TEST_F(ProcessTableTest, WhoseAProcessIs) {
  const auto known = table_.Find(70, clock_.SteadyNow());
  ASSERT_TRUE(known);
  EXPECT_EQ(known->owner.pod_uid, Uid(1));
  EXPECT_EQ(known->owner.container_id, ContainerId(1));
  EXPECT_EQ(known->start_ticks, 500U);
  EXPECT_FALSE(table_.Find(71, clock_.SteadyNow()));
}

TEST_F(ProcessTableTest, TheFileCountsAndNotItsName) {
  EXPECT_EQ(Look(), LoadedLibrary::kNone);
  proc_.Map(70, folder_ + "/libaliquot.so", "/moved/away.so (deleted)");
  EXPECT_EQ(Look(), LoadedLibrary::kOurs);
}

TEST_F(ProcessTableTest, AnotherFileOfThatNameIsNotOurs) {
  std::ofstream(folder_ + "/other") << "theirs";
  proc_.Map(70, folder_ + "/other", "/usr/local/aliquot/libaliquot.so");
  EXPECT_EQ(Look(), LoadedLibrary::kOther);
}

// 33 MiB of text, more than is read: a look at it several times a second would take the time of
// all.
TEST_F(ProcessTableTest, MoreMappingsThanAreReadAreNotReadAtEachLook) {
  const std::string line = "1-2 r-xp 0 00:1b 7 /" + std::string(4000, 'x') + "\n";
  std::ofstream maps(proc_.root() + "/70/maps", std::ios::trunc);
  for (std::size_t size = 0; size < (33U << 20); size += line.size()) {
    maps << line;
  }
  maps.close();
  ASSERT_EQ(Look(), LoadedLibrary::kUnknown);
  proc_.MapNothing(70);
  EXPECT_EQ(Look(seconds(9)), LoadedLibrary::kUnknown);
  EXPECT_EQ(Look(seconds(1)), LoadedLibrary::kNone);
}

TEST_F(ProcessTableTest, AFoundLibraryIsBelievedForAWhile) {
  proc_.Map(70, folder_ + "/libaliquot.so", "/usr/local/aliquot/libaliquot.so");
  ASSERT_EQ(Look(), LoadedLibrary::kOurs);
  proc_.MapNothing(70);
  EXPECT_EQ(Look(seconds(9)), LoadedLibrary::kOurs);
  EXPECT_EQ(Look(seconds(1)), LoadedLibrary::kNone);
}

TEST_F(ProcessTableTest, AnotherProgramInTheSameProcessIsLookedAtAtOnce) {
  proc_.Map(70, folder_ + "/libaliquot.so", "/usr/local/aliquot/libaliquot.so");
  ASSERT_EQ(Look(), LoadedLibrary::kOurs);
  proc_.MapNothing(70);
  proc_.Program(70, "static");
  EXPECT_EQ(Look(), LoadedLibrary::kNone);
}

TEST_F(ProcessTableTest, AnotherProcessWithThatNumberIsLookedAtAtOnce) {
  proc_.Map(70, folder_ + "/libaliquot.so", "/usr/local/aliquot/libaliquot.so");
  ASSERT_EQ(Look(), LoadedLibrary::kOurs);
  proc_.Put(70, Uid(2), ContainerId(2), 501);
  EXPECT_EQ(Look(), LoadedLibrary::kNone);
  EXPECT_EQ(table_.Find(70, clock_.SteadyNow())->owner.pod_uid, Uid(2));
}

TEST_F(ProcessTableTest, AProcessThatIsEndingHasNothingMappedAndIsNotAccused) {
  proc_.Map(70, folder_ + "/libaliquot.so", "/usr/local/aliquot/libaliquot.so");
  ASSERT_EQ(Look(), LoadedLibrary::kOurs);
  proc_.Leave(70);
  EXPECT_EQ(Look(seconds(10)), LoadedLibrary::kUnknown);
}

// Otherwise a process could map so many files that the library's absence is never seen.
TEST_F(ProcessTableTest, MoreFilesThanAreKeptHideNothing) {
  std::ofstream maps(proc_.root() + "/70/maps");
  for (int i = 1; i <= 9000; ++i) {
    maps << "1-2 r-xp 0 00:00 " << i << " /f\n";
  }
  maps.close();
  EXPECT_EQ(Look(), LoadedLibrary::kNone);
  proc_.Map(70, folder_ + "/libaliquot.so", "/usr/local/aliquot/libaliquot.so");
  EXPECT_EQ(Look(), LoadedLibrary::kOurs);
}

TEST_F(ProcessTableTest, MapsThatCannotBeReadSayNothing) {
  std::filesystem::remove(proc_.root() + "/70/maps");
  EXPECT_EQ(Look(), LoadedLibrary::kUnknown);
}

// What another process's maps would show of it: here this program's own.
TEST_F(ProcessTableTest, AFileIsKnownByWhatMapsShow) {
  const auto program = IdentityInMaps(std::filesystem::read_symlink("/proc/self/exe").string());
  ASSERT_TRUE(program);
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_EQ(JudgeMapped(ParseMaps(text), {*program, "x"}), LoadedLibrary::kOurs);
  EXPECT_FALSE(IdentityInMaps(folder_));
  EXPECT_FALSE(IdentityInMaps(folder_ + "/nothing"));
}

}  // namespace
}  // namespace aliquot::agent
