// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/verify_rows.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/grant/limits_of_grant.h"

namespace aliquot::agent {
namespace {

using Outcome = VerifyRow::Outcome;
using State = InsideFile::State;

constexpr std::uint64_t kMiB = 1 << 20;

std::string LimitsText(const GrantRecord& grant) {
  const auto record = std::make_unique<quota::LimitsRecord>();
  EXPECT_TRUE(LimitsOfGrant(grant, *record).ok());
  return std::string(reinterpret_cast<const char*>(record.get()), sizeof *record);
}

// A container with 30 % and 4,096 MiB of GPU-a (nvidia0) on a node with GPU-b (nvidia1) beside it,
// held by the library, and one process that does everything right.
class VerifyRowsTest : public ::testing::Test {
 protected:
  VerifyRowsTest() {
    facts_.node = "n1";
    facts_.pod = {"team", "train"};
    facts_.uid = "uid-1";
    facts_.context_bytes = 512 * kMiB;
    AddCard("GPU-a", 0);
    AddCard("GPU-b", 1);
    SeenContainer seen;
    seen.grant.identity.key = facts_.pod;
    seen.grant.identity.uid = facts_.uid;
    seen.grant.identity.container = "main";
    seen.grant.cards = {{"GPU-a", 0, 30, 4096}};
    seen.grant.limit = 50;
    seen.grant.library = "0123456789abcdef";
    seen.grant.enforcement = "library";
    seen.allocated = model::AllocatedContainer{"main", {{"GPU-a", 30, 4096}}, 50, "auto"};
    seen.limits_file = LimitsText(seen.grant);
    seen.limits_identity = {1, 10};
    seen.preload_file = "/usr/local/aliquot/libaliquot.so\n";
    seen.library = GivenLibrary{{1, 11}, "libaliquot.so"};
    seen.slot_pids = {7};
    seen.cards = {{4096 * kMiB, 1000 * kMiB, 300 * kMiB, true, ""}};
    SeenProcess process;
    process.pid = 4711;
    process.own_pid = 7;
    process.name = "python3";
    process.library = LoadedLibrary::kOurs;
    process.maps_driver = true;
    process.open_devices = {makedev(195, 0), makedev(195, 255)};
    process.devices = std::set<dev_t>{makedev(195, 0), makedev(195, 255), makedev(1, 3)};
    process.driver_bytes["GPU-a"] = 1300 * kMiB;
    process.limits = {State::kRead, seen.limits_identity, seen.limits_file, ""};
    process.preload = {State::kRead, {1, 12}, seen.preload_file, ""};
    seen.processes = {process};
    facts_.containers = {seen};
  }

  void AddCard(const std::string& uuid, unsigned minor) {
    MachineCard card;
    card.card.uuid = uuid;
    card.node = {"nvidia" + std::to_string(minor), 195, minor};
    facts_.machine.push_back(card);
  }
  SeenContainer& seen() { return facts_.containers[0]; }
  SeenProcess& process() { return seen().processes[0]; }

  // "check says" of everything that is not ok.
  std::vector<std::string> Bad(Outcome outcome = Outcome::kFailed) const {
    std::vector<std::string> bad;
    for (const VerifyRow& row : JudgePod(facts_)) {
      if (row.outcome == outcome) {
        bad.push_back(row.check + ": " + row.says);
      }
    }
    return bad;
  }
  // The only row that is not ok.
  std::string OnlyBad(Outcome outcome = Outcome::kFailed) const {
    EXPECT_EQ(WorstOf(JudgePod(facts_)), outcome);
    const auto bad = Bad(outcome);
    EXPECT_EQ(bad.size(), 1u) << ::testing::PrintToString(bad);
    return bad.empty() ? "" : bad[0];
  }

  VerifyFacts facts_;
};

TEST_F(VerifyRowsTest, APodThatIsHeldHasEachCheckOk) {
  std::string checks;
  for (const VerifyRow& row : JudgePod(facts_)) {
    EXPECT_EQ(row.outcome, Outcome::kOk) << row.check << ": " << row.says;
    checks += row.check + " ";
  }
  EXPECT_EQ(checks, "grant record limits usage memory library preload slot inside cards ");
  EXPECT_EQ(WorstOf(JudgePod(facts_)), Outcome::kOk);
}

TEST_F(VerifyRowsTest, AProcessWithoutTheLibraryIsFound) {
  process().library = LoadedLibrary::kNone;
  EXPECT_NE(OnlyBad().find("library: it uses the card without"), std::string::npos);
}

TEST_F(VerifyRowsTest, AnotherFileOfItsNameIsNotTheLibrary) {
  process().library = LoadedLibrary::kOther;
  EXPECT_NE(OnlyBad().find("not the one of the grant"), std::string::npos);
}

TEST_F(VerifyRowsTest, LimitsThatTheProcessSeesAreComparedByteByByteUpToTheLiveValues) {
  process().limits.bytes.back() ^= 1;  // a live value: it changes several times a second
  EXPECT_TRUE(Bad().empty());
  process().limits.bytes[600] ^= 1;
  EXPECT_NE(OnlyBad().find("inside: the limits that it sees are not those"), std::string::npos);
}

TEST_F(VerifyRowsTest, ACopyOfTheLimitsIsNotTheFile) {
  process().limits.identity.inode = 99;
  EXPECT_NE(OnlyBad().find("a copy"), std::string::npos);
}

TEST_F(VerifyRowsTest, LimitsThatAreGoneInsideFail) {
  process().limits = {State::kMissing, {}, "", "/run/aliquot/limits/record is not there"};
  EXPECT_NE(OnlyBad().find("in its file system /run/aliquot/limits/record is not there"),
            std::string::npos);
}

TEST_F(VerifyRowsTest, AnEmptiedPreloadFails) {
  process().preload.bytes = "";
  EXPECT_NE(OnlyBad().find("preload: /etc/ld.so.preload is not what was granted"),
            std::string::npos);
}

TEST_F(VerifyRowsTest, AForeignCardInDevOrOpenFails) {
  process().devices->insert(makedev(195, 1));
  EXPECT_NE(OnlyBad().find("its /dev has cards that it was not granted: nvidia1"),
            std::string::npos);
  process().open_devices.insert(makedev(195, 1));
  EXPECT_NE(OnlyBad().find("it has cards open that it was not granted: nvidia1"),
            std::string::npos);
}

TEST_F(VerifyRowsTest, AGrantedCardThatIsNotThereFails) {
  process().devices->erase(makedev(195, 0));
  EXPECT_NE(OnlyBad().find("lacks granted cards: nvidia0"), std::string::npos);
}

TEST_F(VerifyRowsTest, MemoryMayExceedTheShareByContextsOnly) {
  seen().cards[0].charged_bytes = 4096 * kMiB;
  process().driver_bytes["GPU-a"] = (4096 + 512) * kMiB;
  EXPECT_TRUE(Bad().empty());
  process().driver_bytes["GPU-a"] += 1;
  EXPECT_NE(OnlyBad().find("more than share and contexts explain"), std::string::npos);
}

TEST_F(VerifyRowsTest, MemoryThatNobodyChargedFailsWithinTheShareToo) {
  seen().cards[0].charged_bytes = 0;  // 1,300 MiB by the driver, a context may be 512
  EXPECT_NE(OnlyBad().find("far more than was charged"), std::string::npos);
}

TEST_F(VerifyRowsTest, WithoutTheDriversFiguresMemoryIsUnknown) {
  seen().cards[0].driver_told = false;
  seen().cards[0].driver_problem = "the driver is being replaced";
  EXPECT_EQ(OnlyBad(Outcome::kUnknown),
            "memory: the driver tells no memory of processes: the driver is being replaced");
}

TEST_F(VerifyRowsTest, ADamagedUsageFileFails) {
  seen().usage_problem = "usage file x is damaged: magic";
  EXPECT_NE(OnlyBad().find("usage: usage file x is damaged"), std::string::npos);
}

TEST_F(VerifyRowsTest, MemoryWithoutAPlaceInTheUsageFileIsUnknownOrFails) {
  seen().slot_pids.clear();
  EXPECT_NE(OnlyBad(Outcome::kUnknown).find("slot: it has no place"), std::string::npos);
  process().library = LoadedLibrary::kNone;
  EXPECT_EQ(Bad().size(), 2u);  // library and slot
}

TEST_F(VerifyRowsTest, TheRecordAndTheFileOnTheNodeAreComparedWithTheGrant) {
  seen().allocated->cards[0].core = 80;
  EXPECT_NE(OnlyBad().find("record: "), std::string::npos);
  seen().allocated.reset();
  seen().allocation_problem = "not shown yet";
  EXPECT_NE(OnlyBad(Outcome::kUnknown).find("not shown yet"), std::string::npos);
}

TEST_F(VerifyRowsTest, ALimitsFileThatSaysMoreFails) {
  GrantRecord larger = seen().grant;
  larger.cards[0].mib = 8192;
  seen().limits_file = process().limits.bytes = LimitsText(larger);
  EXPECT_NE(OnlyBad().find("limits: the limits file on this node says something else"),
            std::string::npos);
}

TEST_F(VerifyRowsTest, AShareThatNothingHoldsFailsAndItsProcessesAreNotJudgedByTheLibrary) {
  seen().grant.library = "";
  seen().grant.enforcement = "none";
  seen().limits_file = process().limits.bytes = LimitsText(seen().grant);
  process().library = LoadedLibrary::kNone;
  EXPECT_NE(OnlyBad().find("grant: has 30 % and 4096 MiB of GPU-a and nothing holds it"),
            std::string::npos);
}

TEST_F(VerifyRowsTest, AWholeCardIsItsOwn) {
  seen().grant.cards[0].core = 100;
  seen().allocated->cards[0].core = 100;
  seen().limits_file = process().limits.bytes = LimitsText(seen().grant);
  process().library = LoadedLibrary::kNone;
  EXPECT_TRUE(Bad().empty()) << ::testing::PrintToString(Bad());
}

TEST_F(VerifyRowsTest, AProcessThatCantBeLookedAtIsUnknown) {
  process() = SeenProcess();
  process().pid = 4711;
  process().name = "process";
  process().problem = "/proc/4711/maps cannot be read: Permission denied";
  EXPECT_EQ(OnlyBad(Outcome::kUnknown),
            "process: /proc/4711/maps cannot be read: Permission denied");
}

TEST_F(VerifyRowsTest, AContainerThatUsesNoCardNowIsOk) {
  seen().processes.clear();
  seen().others = 3;
  const auto rows = JudgePod(facts_);
  EXPECT_EQ(rows.back().says, "none of its 3 processes uses a card now");
  EXPECT_EQ(WorstOf(rows), Outcome::kOk);
}

TEST_F(VerifyRowsTest, StrangersFailAndUnseenProcessesAreUnknown) {
  facts_.strangers = {"side, miner (9)"};
  facts_.unseen = 12;
  EXPECT_NE(Bad().at(0).find("granted none"), std::string::npos);
  EXPECT_NE(Bad(Outcome::kUnknown).at(0).find("12 processes"), std::string::npos);
}

TEST_F(VerifyRowsTest, NothingFoundIsNotOk) { EXPECT_EQ(WorstOf({}), Outcome::kUnknown); }

TEST_F(VerifyRowsTest, ThePageHoldsEachRowAndTheWorstOfAll) {
  process().name = "odd\xff\"name";
  process().library = LoadedLibrary::kNone;
  const auto rows = JudgePod(facts_);
  const auto page = nlohmann::json::parse(VerifyPage(facts_, rows));
  EXPECT_EQ(page["v"], 1);
  EXPECT_EQ(page["node"], "n1");
  EXPECT_EQ(page["pod"], "team/train");
  EXPECT_EQ(page["uid"], "uid-1");
  EXPECT_EQ(page["result"], "failed");
  ASSERT_EQ(page["checks"].size(), rows.size());
  EXPECT_EQ(page["checks"][5]["check"], "library");
  EXPECT_EQ(page["checks"][5]["container"], "main");
  EXPECT_EQ(page["checks"][5]["result"], "failed");
}

}  // namespace
}  // namespace aliquot::agent
