// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/watchdog.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/agent/enforcement/fake_proc.h"
#include "tests/unit/agent/enforcement/held_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMib = 1 << 20;

// Says of each card what the test put there.
class FakeCards final : public GpuBackend {
 public:
  std::string_view name() const override { return "fake"; }
  Result<Machine> Look() override { return Unavailable("not asked"); }
  Result<std::vector<GpuEvent>> WaitForEvents(milliseconds) override {
    return std::vector<GpuEvent>();
  }
  Result<std::vector<CardCheck>> CheckCards() override { return std::vector<CardCheck>(); }
  Result<CardFigures> Figures(std::string_view) override { return Unavailable("not asked"); }
  Result<CardWork> Work(std::string_view uuid, std::uint64_t) override {
    ++asked;
    order.push_back(std::string(uuid));
    if (hangs || uuid == hanging) {
      return Status(StatusCode::kDeadlineExceeded, "the driver has not answered");
    }
    return work[std::string(uuid)];
  }
  void Release() override {}

  std::map<std::string, CardWork> work;
  bool hangs = false;
  int asked = 0;
  std::string hanging;  // of this card alone
  std::vector<std::string> order;
};

class WatchdogTest : public HeldTest {
 protected:
  // A process of a pod on GPU-0, with or without the library.
  void Process(pid_t pid, int pod, std::uint64_t mib, bool library = true) {
    proc_.Put(pid, Uid(pod), ContainerId(pod));
    if (library) {
      proc_.Map(pid, layout_->Grant("g" + std::to_string(pod)) + "/library/libaliquot.so",
                "/usr/local/aliquot/libaliquot.so");
    }
    cards_.work["GPU-0"].processes.push_back({pid, mib * kMib});
  }
  milliseconds Look() {
    clock_.Advance(milliseconds(300));
    reports_.clear();
    return watchdog_.Look();
  }
  std::vector<std::string> Verdicts(const std::string& grant) {
    const auto all = board_.Snapshot();
    const auto at = all.find(grant);
    return at == all.end() ? std::vector<std::string>{"unknown"} : at->second.at(0).verdicts;
  }
  std::uint64_t Overhead(const std::string& grant) {
    return board_.Snapshot().at(grant).at(0).overhead_bytes;
  }

  FakeProc proc_{folder_ + "/proc"};
  ProcessReader reader_{proc_.root()};
  FakeCards cards_;
  Watchdog::Containers containers_;
  std::vector<ShareReport> reports_;
  WatchdogOptions options_;
  Watchdog watchdog_{
      options_, Watchdog::Parts{live_, cards_, board_, *layout_, reader_, clock_, log_,
                                [this] { return containers_; },
                                [this](const ShareReport& report) { reports_.push_back(report); }}};
};

TEST_F(WatchdogTest, NothingHeldIsNothingAsked) {
  EXPECT_EQ(Look(), milliseconds(1000));
  EXPECT_EQ(cards_.asked, 0);
}

TEST_F(WatchdogTest, AProcessWithTheLibraryIsWellAndLookedAtOften) {
  const std::string grant = Grant(1, 30, 30);
  Process(70, 1, 300);
  EXPECT_EQ(Look(), milliseconds(300));
  EXPECT_THAT(Verdicts(grant), IsEmpty());
  EXPECT_THAT(reports_, IsEmpty());
  cards_.work.clear();
  EXPECT_EQ(Look(), milliseconds(1000));
}

TEST_F(WatchdogTest, AStaticProgramIsFoundByTheSecondLook) {
  const std::string grant = Grant(1, 30, 30);
  Process(70, 1, 300, /*library=*/false);
  EXPECT_EQ(Look(), milliseconds(300)) << "soon";
  EXPECT_THAT(Verdicts(grant), IsEmpty());
  Look();
  EXPECT_THAT(Verdicts(grant), ElementsAre("no_library"));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].grant->name, grant);
  EXPECT_EQ(reports_[0].sentence,
            "container main with 30 % and 1024 MiB of card GPU-0 has a process there that has not "
            "loaded the enforcement library, as a static or musl program does; link it dynamically "
            "with glibc, or ask for a whole card");
  EXPECT_EQ(reports_[0].ended, 0U);
  cards_.work.clear();
  Look();
  EXPECT_THAT(Verdicts(grant), IsEmpty()) << "it is gone";
}

TEST_F(WatchdogTest, WhoIsNotOfTheContainerIsNotItsFault) {
  const std::string grant = Grant(1, 30, 30);
  Process(70, 2, 300, /*library=*/false);  // of a pod without a grant
  cards_.work["GPU-0"].processes.push_back({71, 5 * kMib});
  Look();
  Look();
  EXPECT_THAT(Verdicts(grant), IsEmpty());
}

// Two containers of one pod on one card: only the pod's status tells whose a process is.
TEST_F(WatchdogTest, OfTwoContainersTheStatusTells) {
  const std::string one = Grant(1, 30, 30);
  GrantRecord second = *live_.Snapshot()->front();
  second.name = "g2";
  second.identity.container = "side";
  MakeFiles(second);
  live_.Recall({second});
  Process(70, 1, 300, /*library=*/false);
  Look();
  Look();
  EXPECT_THAT(Verdicts(one), IsEmpty());
  EXPECT_THAT(Verdicts("g2"), IsEmpty());
  containers_[ContainerId(1)] = {Uid(1), "side"};
  Look();
  Look();
  EXPECT_THAT(Verdicts(one), IsEmpty());
  EXPECT_THAT(Verdicts("g2"), ElementsAre("no_library"));
}

// 1000 MiB by the driver, 700 charged: 300 are the context's.
TEST_F(WatchdogTest, OverheadIsWhatTheDriverCountsBeyondTheCharges) {
  const std::string grant = Grant(1, 30, 30);
  Use(grant, 1, 700 * kMib);
  Process(70, 1, 1000);
  Look();
  Look();
  EXPECT_EQ(Overhead(grant), 0U);
  Look();
  EXPECT_EQ(Overhead(grant), 300 * kMib);
}

// 1024 MiB of share and 512 for the context.
TEST_F(WatchdogTest, ChargesThatAreWipedToTakeMoreAreFoundByTheSecondLook) {
  const std::string grant = Grant(1, 30, 30);
  Use(grant, 1, 0);
  Process(70, 1, 1600);
  Look();
  EXPECT_THAT(Verdicts(grant), IsEmpty());
  Look();
  EXPECT_THAT(Verdicts(grant), ElementsAre("over_memory"));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_THAT(reports_[0].sentence, HasSubstr("has more memory there than its share"));
}

TEST_F(WatchdogTest, ADamagedUsageFileIsFoundByTheSecondLook) {
  const std::string grant = Grant(1, 30, 30);
  Use(grant, 1, 0);
  Process(70, 1, 10);
  std::filesystem::resize_file(layout_->UsageRegion(grant), 100);
  Look();
  Look();
  EXPECT_THAT(Verdicts(grant), ElementsAre("usage_damaged"));
}

TEST_F(WatchdogTest, AProcessThatTheDriverStillListsWhileItEndsIsNotAccused) {
  const std::string grant = Grant(1, 30, 30);
  Process(70, 1, 300);
  Look();
  proc_.Program(70, "none any more");
  proc_.Leave(70);
  Look();
  Look();
  EXPECT_THAT(Verdicts(grant), IsEmpty());
}

TEST_F(WatchdogTest, ADriverThatHangsAccusesNobodyAndIsSaidOnce) {
  const std::string grant = Grant(1, 30, 30);
  Process(70, 1, 300);
  Look();
  const auto measured = board_.Measures(HeldKey(*live_.Snapshot()->front()))[0].looked;
  cards_.hangs = true;
  Look();
  Look();
  EXPECT_THAT(Verdicts(grant), IsEmpty());
  EXPECT_EQ(board_.Measures(HeldKey(*live_.Snapshot()->front()))[0].looked, measured);
  EXPECT_EQ(log_.lines(), 1);
}

TEST_F(WatchdogTest, ACardThatHangsIsAskedLastTheNextTime) {
  Grant(1, 30, 30, 1024, "GPU-0");
  Grant(2, 30, 30, 1024, "GPU-1");
  Grant(3, 30, 30, 1024, "GPU-2");
  cards_.hanging = "GPU-0";
  Look();
  EXPECT_THAT(cards_.order, ElementsAre("GPU-0")) << "the driver answers one at a time";
  cards_.order.clear();
  Look();
  EXPECT_THAT(cards_.order, ElementsAre("GPU-1", "GPU-2", "GPU-0"));
}

TEST_F(WatchdogTest, ProcessesThatProcDoesNotHaveAreSaidAfterThreeLooks) {
  Grant(1, 30, 30);
  cards_.work["GPU-0"].processes.push_back({4000000, 5 * kMib});
  Look();
  Look();
  EXPECT_FALSE(watchdog_.blind());
  Look();
  EXPECT_TRUE(watchdog_.blind());
  Process(70, 1, 300);
  Look();
  EXPECT_FALSE(watchdog_.blind());
}

// Real processes, which the policy may end.
class WatchdogEndsTest : public WatchdogTest {
 protected:
  WatchdogEndsTest() { options_.kill = true; }
  ~WatchdogEndsTest() override {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

  pid_t Child(const std::string& container, std::uint64_t mib, bool library) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        pause();
      }
    }
    children_.push_back(child);
    Process(child, 1, mib, library);
    std::ofstream(proc_.root() + "/" + std::to_string(child) + "/cgroup")
        << "0::/kubepods/pod" << Uid(1) << "/" << container << "\n";
    return child;
  }
  // How many it ended in two looks.
  std::size_t Ended() {
    Watchdog watchdog(options_, Watchdog::Parts{live_, cards_, board_, *layout_, reader_, clock_,
                                                log_, [this] { return containers_; },
                                                [this](const ShareReport& report) {
                                                  reports_.push_back(report);
                                                }});
    for (int look = 0; look < 2; ++look) {
      clock_.Advance(milliseconds(300));
      watchdog.Look();
    }
    std::size_t ended = 0;
    for (const ShareReport& report : reports_) {
      ended += report.ended;
    }
    return ended;
  }

  const std::string other_ = std::string(64, 'd');
  std::vector<pid_t> children_;
};

TEST_F(WatchdogEndsTest, AProcessOfTheContainerWithoutTheLibraryIsEnded) {
  Grant(1, 30, 30);
  containers_[ContainerId(1)] = {Uid(1), "main"};
  Child(ContainerId(1), 300, /*library=*/false);
  EXPECT_EQ(Ended(), 1U);
}

// kubectl debug: a container of the same pod that no status of ours names.
TEST_F(WatchdogEndsTest, AContainerPutBesideTheOneThatTheStatusNamesIsLeftAlone) {
  const std::string grant = Grant(1, 30, 30);
  containers_[ContainerId(1)] = {Uid(1), "main"};
  Child(other_, 300, /*library=*/false);
  EXPECT_EQ(Ended(), 0U);
  EXPECT_THAT(Verdicts(grant), ElementsAre("no_library")) << "it is told all the same";
}

// 1024 MiB of share and a context each: 900 + 1200 MiB are more, 900 are not.
TEST_F(WatchdogEndsTest, NobodyIsEndedForTheMemoryOfAContainerPutBesideHis) {
  Grant(1, 30, 30);
  containers_[ContainerId(1)] = {Uid(1), "main"};
  Child(ContainerId(1), 900, /*library=*/true);
  Child(other_, 1200, /*library=*/true);
  EXPECT_EQ(Ended(), 0U);
}

// A container whose status has no ID yet: of a pod with one container on the card it is that one.
TEST_F(WatchdogEndsTest, BeforeTheStatusNamesTheContainerThePodIsEnough) {
  Grant(1, 30, 30);
  Child(ContainerId(1), 300, /*library=*/false);
  EXPECT_EQ(Ended(), 1U);
}

}  // namespace
}  // namespace aliquot::agent
