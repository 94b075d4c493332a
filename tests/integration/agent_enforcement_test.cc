// SPDX-License-Identifier: Apache-2.0
// What the agent does while containers run: it lends idle cores, measures what is not charged,
// finds what gets past the library, and ends by policy exactly that. Processes are children of this
// test, which a /proc of its own puts into containers; the library's part is played by the test.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "quota/limits_record.h"
#include "quota/usage_region.h"
#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::uint64_t MonotonicNs() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// A process that does nothing until it is ended.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) {
        pause();
      }
    }
  }
  ~Child() {
    if (!over_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  bool Lives() {
    over_ = over_ || waitpid(pid_, nullptr, WNOHANG) == pid_;
    return !over_;
  }

 private:
  const pid_t pid_;
  bool over_ = false;
};

class AgentEnforcement : public AgentTest {
 protected:
  AgentEnforcement() {
    configuration_.library_path =
        directory_.Write("libaliquot.so", std::string("\177ELF", 4) + " stands for the library");
    options_.enforcement.proc = directory_.PathOf("proc");
    options_.enforcement.lender.idle = milliseconds(50);
    options_.enforcement.lender.busy = milliseconds(50);
    options_.enforcement.watchdog.idle = milliseconds(50);
    options_.enforcement.watchdog.busy = milliseconds(50);
    std::filesystem::create_directory(options_.enforcement.proc);
  }
  ~AgentEnforcement() override {
    for (const auto& [name, descriptor] : owners_) {
      close(descriptor);
    }
  }

  static std::string Uid(int number) {
    return "1f0e0000-0000-4000-8000-00000000000" + std::to_string(number);
  }
  TestPod Pod(int number, int core, std::int64_t mib = 3072) {
    TestPod pod = OneShare("pod-" + std::to_string(number), Uuid(0), core, mib);
    pod.uid = Uid(number);
    return pod;
  }
  // Started; the name of its grant.
  std::string Run(const TestPod& pod) {
    Admit(pod);
    StartsWithin(pod, "work");
    const auto names = GrantsOf(pod.uid);
    EXPECT_EQ(names.size(), 1u);
    return names.empty() ? "" : names[0];
  }

  // The child is in that pod's container; with `grant`, it has its library mapped as code.
  void PutIntoPod(const Child& child, int number, const std::string& grant = "") {
    const std::string folder = options_.enforcement.proc + "/" + std::to_string(child.pid());
    std::filesystem::create_directories(folder + "/fd");
    std::ofstream(folder + "/cgroup")
        << "0::/kubepods/pod" << Uid(number) << "/" << std::string(64, 'c') << "\n";
    std::ofstream(folder + "/stat")
        << std::ifstream("/proc/" + std::to_string(child.pid()) + "/stat").rdbuf();
    std::ofstream maps(folder + "/maps");
    maps << "7ffd1000-7ffd2000 rw-p 00000000 00:00 0 [stack]\n";
    struct stat facts {};
    const std::string library = State("/grants/" + grant + "/library/libaliquot.so");
    if (!grant.empty() && stat(library.c_str(), &facts) == 0) {
      char line[160];
      std::snprintf(line, sizeof line, "7f00-7f01 r-xp 00000000 %02x:%02x %llu /renamed\n",
                    major(facts.st_dev), minor(facts.st_dev),
                    static_cast<unsigned long long>(facts.st_ino));
      maps << line;
    }
  }
  // What the driver says of card 0.
  void PutOnCard(const std::vector<std::pair<pid_t, int>>& processes) {
    std::string body = "cards:\n- uuid: " + Uuid(0) + "\n  processes:\n";
    for (const auto& [pid, mib] : processes) {
      body += "  - {pid: " + std::to_string(pid) + ", mib: " + std::to_string(mib) + "}\n";
    }
    const std::string aside = directory_.Write(
        "machine.new", "apiVersion: aliquot.io/v1alpha1\nkind: MachineState\n" + body);
    std::filesystem::rename(aside, directory_.PathOf("machine.yaml"));
  }

  // The library's part: a process of the container holds slot 0 and has these numbers.
  void Use(const std::string& grant, std::uint64_t launches, std::uint64_t held_mib = 0) {
    int& owner = owners_.try_emplace(grant, -1).first->second;
    if (owner < 0) {
      owner = open(State("/usage/" + grant + "/region").c_str(), O_RDWR | O_CLOEXEC);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      lock.l_len = 1;
      ASSERT_EQ(fcntl(owner, F_OFD_SETLK, &lock), 0);
    }
    quota::UsageSlot slot{};
    slot.pid = 1;
    slot.card[0].launches = launches;
    slot.card[0].committed_bytes = held_mib << 20;
    ASSERT_EQ(pwrite(owner, &slot, sizeof slot, offsetof(quota::UsageRegion, slot)),
              static_cast<ssize_t>(sizeof slot));
  }
  quota::LiveCard LiveOf(const std::string& grant) const {
    auto record = std::make_unique<quota::LimitsRecord>();
    std::ifstream(State("/grants/" + grant + "/limits/record"), std::ios::binary)
        .read(reinterpret_cast<char*>(record.get()), sizeof *record);
    quota::LiveCard card{};
    quota::ReadLive(record->live, &card, 1);
    return card;
  }
  std::string ShareInfo(const std::string& pod) const {
    std::istringstream lines(Get("/metrics").body);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("aliquot_share_info{", 0) == 0 &&
          line.find("pod=\"" + pod + "\"") != std::string::npos) {
        return line;
      }
    }
    return "";
  }
  std::string Launches(const std::string& pod) const {
    std::istringstream lines(Get("/metrics").body);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("aliquot_share_launches_total{", 0) == 0 &&
          line.find("pod=\"" + pod + "\"") != std::string::npos) {
        return line.substr(line.rfind(' ') + 1);
      }
    }
    return "";
  }
  // "" where the share is held.
  std::string Unenforced(const std::string& pod, const std::string& reason) const {
    std::istringstream lines(Get("/metrics").body);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("aliquot_agent_unenforced{", 0) == 0 &&
          line.find("pod=\"" + pod + "\"") != std::string::npos &&
          line.find("reason=\"" + reason + "\"") != std::string::npos) {
        return line.substr(line.rfind(' ') + 1);
      }
    }
    return "";
  }

  std::map<std::string, int> owners_;
};

TEST_F(AgentEnforcement, AProcessWithoutTheLibraryIsReportedAndByThatPolicyLeftAlone) {
  StartReady();
  const std::string grant = Run(Pod(1, 30));
  Child sound;
  Child odd;
  PutIntoPod(sound, 1, grant);
  PutOnCard({{sound.pid(), 300}});
  EXPECT_TRUE(
      Eventually([&] { return ShareInfo("pod-1").find("\"library\"") != std::string::npos; }));
  EXPECT_EQ(Unenforced("pod-1", "no_library"), "");
  PutIntoPod(odd, 1);
  PutOnCard({{sound.pid(), 300}, {odd.pid(), 300}});
  EXPECT_TRUE(Eventually([&] { return Unenforced("pod-1", "no_library") == "1"; }));
  EXPECT_THAT(ShareInfo("pod-1"), HasSubstr("enforcement=\"unenforced\""));
  EXPECT_TRUE(Eventually([&] { return !EventsOf("pod-1").empty(); }));
  EXPECT_THAT(EventsOf("pod-1"),
              Contains(AllOf(HasSubstr("GpuUnenforced: container work with 30 % and 3072 MiB"),
                             HasSubstr("has not loaded the enforcement library"))));
  EXPECT_TRUE(odd.Lives());
  EXPECT_EQ(Metric("aliquot_agent_processes_ended_total{reason=\"no_library\"}"), "0");
  PutOnCard({{sound.pid(), 300}});
  EXPECT_TRUE(Eventually([&] { return Unenforced("pod-1", "no_library").empty(); }));
}

TEST_F(AgentEnforcement, ThePolicyKillEndsTheProcessThatGetsPastAndNoOther) {
  configuration_.enforcement.on_overshoot = "kill";
  StartReady();
  const std::string one = Run(Pod(1, 30));
  const std::string two = Run(Pod(2, 30));
  Child sound;
  Child neighbour;
  Child of_no_container;
  Child odd;
  PutIntoPod(sound, 1, one);
  PutIntoPod(neighbour, 2, two);
  PutIntoPod(odd, 1);
  PutOnCard(
      {{sound.pid(), 300}, {neighbour.pid(), 300}, {of_no_container.pid(), 300}, {odd.pid(), 300}});
  EXPECT_TRUE(Eventually([&] { return !odd.Lives(); }));
  EXPECT_TRUE(Eventually(
      [&] { return Metric("aliquot_agent_processes_ended_total{reason=\"no_library\"}") == "1"; }));
  EXPECT_TRUE(sound.Lives());
  EXPECT_TRUE(neighbour.Lives());
  EXPECT_TRUE(of_no_container.Lives());
  EXPECT_TRUE(Eventually([&] { return !EventsOf("pod-1").empty(); }));
  EXPECT_THAT(EventsOf("pod-1"), Contains(HasSubstr("by enforcement.onOvershoot")));
  EXPECT_THAT(EventsOf("pod-2"), IsEmpty());
}

// 3072 MiB of share and 512 for the context; the container says that it holds nothing.
TEST_F(AgentEnforcement, AContainerThatWipesItsChargesToTakeMoreIsFound) {
  StartReady();
  const std::string grant = Run(Pod(1, 30));
  Child child;
  PutIntoPod(child, 1, grant);
  Use(grant, 1, 0);
  PutOnCard({{child.pid(), 4000}});
  EXPECT_TRUE(Eventually([&] { return Unenforced("pod-1", "over_memory") == "1"; }));
  EXPECT_TRUE(Eventually([&] { return !EventsOf("pod-1").empty(); }));
  EXPECT_THAT(EventsOf("pod-1"), Contains(HasSubstr("GpuOverLimit: ")));
}

// 1000 MiB by the driver, 700 charged.
TEST_F(AgentEnforcement, OverheadIsWrittenAndCarriedOverARestart) {
  StartReady();
  const std::string grant = Run(Pod(1, 30));
  Child child;
  PutIntoPod(child, 1, grant);
  Use(grant, 1, 700);
  PutOnCard({{child.pid(), 1000}});
  EXPECT_TRUE(Eventually([&] { return LiveOf(grant).overhead_bytes == 300U << 20; }));
  KillAgent();
  EXPECT_EQ(LiveOf(grant).overhead_bytes, 300U << 20);
  StartReady();
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(LiveOf(grant).overhead_bytes, 300U << 20) << "at no moment is it forgotten";
    std::this_thread::sleep_for(milliseconds(4));
  }
}

// 5 of a process that ends and 2 of the next one in its slot.
TEST_F(AgentEnforcement, CountersOfAShareOutliveItsProcesses) {
  StartReady();
  const std::string grant = Run(Pod(1, 30));
  EXPECT_EQ(Launches("pod-1"), "0");
  Use(grant, 5);
  EXPECT_EQ(Launches("pod-1"), "5");
  close(owners_.at(grant));
  owners_.erase(grant);
  EXPECT_EQ(Launches("pod-1"), "5");
  Use(grant, 2);
  EXPECT_EQ(Launches("pod-1"), "7");
}

TEST_F(AgentEnforcement, IdleCoresAreLentAndGivenBackWithinASecond) {
  StartReady();
  std::vector<std::string> grants;
  for (int number = 1; number <= 2; ++number) {
    const TestPod pod = Pod(number, 40);
    Json shown = PodJson(pod);
    std::string record = RecordOf(pod);
    record.replace(record.find("}]"), 2, "}],\"limit\":90");
    shown["metadata"]["annotations"]["aliquot.io/allocation"] = record;
    AdmitShown(pod, shown);
    StartsWithin(pod, "work");
    grants.push_back(GrantsOf(pod.uid).at(0));
  }
  std::uint64_t launches = 0;
  const auto work = [&](const std::string& grant) { Use(grant, ++launches); };
  EXPECT_TRUE(Eventually([&] {
    work(grants[0]);
    return LiveOf(grants[0]).core_now == 90;
  }));
  const std::uint64_t before = MonotonicNs();
  EXPECT_TRUE(Eventually([&] {
    work(grants[0]);
    work(grants[1]);
    return LiveOf(grants[0]).core_now == 50;  // 40 and half of the 20 that nobody has
  }));
  EXPECT_LT(MonotonicNs() - before, 1'000'000'000U);
  EXPECT_TRUE(Eventually([&] {
    work(grants[0]);
    work(grants[1]);
    return LiveOf(grants[1]).core_now == 50;
  }));
}

TEST_F(AgentEnforcement, WhatIsLentEndsWithTheAgentThatLentIt) {
  StartReady();
  const TestPod pod = Pod(1, 30);
  Json shown = PodJson(pod);
  std::string record = RecordOf(pod);
  record.replace(record.find("}]"), 2, "}],\"limit\":100");
  shown["metadata"]["annotations"]["aliquot.io/allocation"] = record;
  AdmitShown(pod, shown);
  StartsWithin(pod, "work");
  const std::string grant = GrantsOf(pod.uid).at(0);
  std::uint64_t launches = 0;
  EXPECT_TRUE(Eventually([&] {
    Use(grant, ++launches);
    return LiveOf(grant).core_now == 100;
  }));
  KillAgent();
  const std::uint64_t killed = MonotonicNs();
  EXPECT_LE(LiveOf(grant).expires_ns, killed + 1'000'000'000U);
  const auto left = LiveOf(grant);
  Use(grant, ++launches);
  EXPECT_EQ(LiveOf(grant).expires_ns, left.expires_ns) << "nobody renews it";
}

TEST_F(AgentEnforcement, AShareMayGoWithoutOnlyWhereTheNodeAllowsIt) {
  StartReady();
  const TestPod pod = Pod(1, 30);
  std::string record = RecordOf(pod);
  record.replace(record.find("\"auto\""), 6, "\"none\"");
  AdmitWithRecord(pod, record);
  EXPECT_THAT(Refused(pod, "work"),
              AllOf(HasSubstr("isolation: container work"), HasSubstr("whole cards only")));
  KillAgent();
  configuration_.enforcement.allow_none = true;
  StartReady();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({0}));
  EXPECT_TRUE(Eventually([&] { return ShareInfo("pod-1").find("\"none\"") != std::string::npos; }));
}

}  // namespace
}  // namespace aliquot::agent
