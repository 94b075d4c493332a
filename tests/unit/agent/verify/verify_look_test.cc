// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/verify_look.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "agent/grant/limits_of_grant.h"
#include "agent/verify/verify_rows.h"
#include "quota/usage_region.h"
#include "tests/support/test_certificates.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using Outcome = VerifyRow::Outcome;

constexpr char kUid[] = "1f0e0000-0000-4000-8000-000000000001";
const std::string kMainId(64, 'a');
const std::string kSideId(64, 'b');

// Counts memory of process 70 on GPU-a.
class OneProcessBackend final : public GpuBackend {
 public:
  std::string_view name() const override { return "fixed"; }
  Result<Machine> Look() override { return Unavailable("not asked"); }
  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds) override {
    return std::vector<GpuEvent>();
  }
  Result<std::vector<CardCheck>> CheckCards() override { return std::vector<CardCheck>(); }
  Result<CardFigures> Figures(std::string_view) override {
    if (lost) {
      return Unavailable("the driver is gone");
    }
    CardFigures figures;
    figures.processes = {{70, mib, -1}};
    return figures;
  }
  void Release() override {}

  bool lost = false;
  std::int64_t mib = 300;
};

template <typename T>
std::string Bytes(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// A grant on disk, a /proc and the root of one container, all below one directory. Device nodes are
// made for real, so it runs as root.
class VerifyLookTest : public ::testing::Test {
 protected:
  VerifyLookTest()
      : layout_(directory_.PathOf("state")), proc_(directory_.PathOf("proc")), reader_(proc_) {
    inputs_.node = "n1";
    inputs_.pod = {"team", "train"};
    inputs_.context_bytes = std::uint64_t{512} << 20;
    AddCard("GPU-a", 0);
    AddCard("GPU-b", 1);
    inputs_.machine.control = {{"nvidiactl", 195, 255}};
    inputs_.containers[kMainId] = {kUid, "main"};
    inputs_.containers[kSideId] = {kUid, "side"};
    grant_ = std::make_shared<GrantRecord>();
    grant_->name = "g0";
    grant_->identity.key = inputs_.pod;
    grant_->identity.uid = kUid;
    grant_->identity.container = "main";
    grant_->cards = {{"GPU-a", 0, 30, 4096}};
    grant_->library = "0123456789abcdef";
    grant_->enforcement = "library";
    inputs_.grants = {grant_};
    model::Allocation allocation;
    allocation.containers = {{"main", {{"GPU-a", 30, 4096}}, 0, "auto"}};
    inputs_.allocations.emplace(kUid, allocation);
    MakeGrant();
    MakeProcess(70, kMainId);
  }
  ~VerifyLookTest() override {
    if (usage_ >= 0) {
      close(usage_);
    }
  }

  void AddCard(const std::string& uuid, unsigned minor) {
    MachineCard card;
    card.card.uuid = uuid;
    card.node = {"nvidia" + std::to_string(minor), 195, minor};
    inputs_.machine.cards.push_back(card);
  }

  static void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  void MakeGrant() {
    const std::string at = layout_.Grant("g0");
    const auto limits = std::make_unique<quota::LimitsRecord>();
    ASSERT_TRUE(LimitsOfGrant(*grant_, *limits).ok());
    limits->live.card[0].overhead_bytes = std::uint64_t{300} << 20;
    Write(at + "/limits/record", Bytes(*limits));
    Write(at + "/preload/ld.so.preload", "/usr/local/aliquot/libaliquot.so\n");
    Write(at + "/library/libaliquot.so", "a library");
    const auto region = std::make_unique<quota::UsageRegion>();
    quota::InitialiseUsage(*region);
    region->slot[0].pid = 9;  // as the container sees process 70
    Write(layout_.UsageRegion("g0"), Bytes(*region));
    // What a living process does: its lock makes the slot count. One of another description, as
    // locks of one do not exclude each other.
    usage_ = open(layout_.UsageRegion("g0").c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    ASSERT_EQ(fcntl(usage_, F_OFD_SETLK, &lock), 0);
  }

  std::string Root(int pid) const { return proc_ + "/" + std::to_string(pid) + "/root"; }

  // A process of that container that has a card open and the library loaded.
  void MakeProcess(int pid, const std::string& container) {
    const std::string at = proc_ + "/" + std::to_string(pid);
    Write(at + "/cgroup", "0::/kubepods/pod" + std::string(kUid) + "/" + container + "\n");
    Write(at + "/stat", "1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 500 0\n");
    Write(at + "/comm", "python3\n");
    Write(at + "/status", "NSpid:\t" + std::to_string(pid) + "\t9\n");
    fs::create_directories(at + "/fd");
    fs::create_directories(Root(pid) + "/run/aliquot/limits");
    fs::create_directories(Root(pid) + "/etc");
    fs::create_directories(Root(pid) + "/dev");
    fs::create_hard_link(layout_.Grant("g0") + "/limits/record",
                         Root(pid) + "/run/aliquot/limits/record");
    fs::create_hard_link(layout_.Grant("g0") + "/preload/ld.so.preload",
                         Root(pid) + "/etc/ld.so.preload");
    const std::string card = Root(pid) + "/dev/nvidia0";
    ASSERT_EQ(mknod(card.c_str(), S_IFCHR | 0666, makedev(195, 0)), 0)
        << "these tests make device nodes; run them as root";
    fs::create_symlink(card, at + "/fd/3");
    SetMaps(pid, layout_.Grant("g0") + "/library/libaliquot.so");
  }

  void SetMaps(int pid, const std::string& library) {
    struct stat facts {};
    ASSERT_EQ(stat(library.c_str(), &facts), 0);
    char line[128];
    std::snprintf(line, sizeof line, "7f00-7f10 r-xp 0 %02x:%02x %llu ", major(facts.st_dev),
                  minor(facts.st_dev), static_cast<unsigned long long>(facts.st_ino));
    Write(proc_ + "/" + std::to_string(pid) + "/maps",
          std::string(line) + "/usr/local/aliquot/libaliquot.so\n" +
              "7f20-7f30 r-xp 0 00:01 77 /usr/lib/libcuda.so.535\n");
  }

  Result<VerifyFacts> Look() { return LookAtPod(inputs_, reader_, layout_, backend_); }

  // "check result" of each row that is not ok.
  std::string NotOk() {
    const auto facts = Look();
    if (!facts.ok()) {
      return facts.status().message();
    }
    std::string text;
    for (const VerifyRow& row : JudgePod(*facts)) {
      if (row.outcome != Outcome::kOk) {
        text += row.check + " " + std::string(OutcomeName(row.outcome)) + ": " + row.says + "\n";
      }
    }
    return text;
  }

  test::TemporaryDirectory directory_;
  const StateLayout layout_;
  const std::string proc_;
  const ProcessReader reader_;
  OneProcessBackend backend_;
  VerifyInputs inputs_;
  std::shared_ptr<GrantRecord> grant_;
  int usage_ = -1;
};

TEST_F(VerifyLookTest, SeesAContainerThatIsHeld) {
  EXPECT_EQ(NotOk(), "");
  const auto facts = Look();
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  ASSERT_EQ(facts->containers.size(), 1u);
  const SeenContainer& seen = facts->containers[0];
  EXPECT_EQ(seen.slot_pids, std::set<std::uint32_t>{9});
  EXPECT_EQ(seen.cards[0].overhead_bytes, std::uint64_t{300} << 20);
  ASSERT_EQ(seen.processes.size(), 1u);
  EXPECT_EQ(seen.processes[0].driver_bytes.at("GPU-a"), std::uint64_t{300} << 20);
  EXPECT_EQ(seen.processes[0].open_devices, std::set<dev_t>{makedev(195, 0)});
}

TEST_F(VerifyLookTest, APodWithoutAGrantAndAContainerWithoutOneAreToldApart) {
  inputs_.container = "side";
  EXPECT_EQ(NotOk(), "pod team/train has no container side with a share of a card");
  inputs_.container = "";
  inputs_.pod.name = "other";
  EXPECT_NE(NotOk().find("pod team/other holds no card of node n1"), std::string::npos);
}

// Deleted by force and created again: the grant of the first goes a moment later.
TEST_F(VerifyLookTest, AnEarlierPodOfTheSameNameIsNotTakenForIt) {
  auto earlier = std::make_shared<GrantRecord>(*grant_);
  earlier->name = "g1";
  earlier->identity.uid = "1f0e0000-0000-4000-8000-00000000000a";
  earlier->cards = {{"GPU-b", 1, 50, 1024}};
  inputs_.grants = {earlier, grant_};
  EXPECT_EQ(NotOk(), "");
  const auto facts = Look();
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->containers.size(), 1u);
}

TEST_F(VerifyLookTest, ALookEndsInTimeAndSaysWhatItDidNotSee) {
  MakeProcess(71, kMainId);
  inputs_.longest = std::chrono::milliseconds(0);
  EXPECT_NE(NotOk().find("processes unknown: 2 processes of the pod were not looked at"),
            std::string::npos);
}

TEST_F(VerifyLookTest, ALibraryOfTheSameNameThatIsAnotherFileIsFound) {
  directory_.Write("libaliquot.so", "another library");
  SetMaps(70, directory_.PathOf("libaliquot.so"));
  EXPECT_NE(NotOk().find("library failed: it has loaded a file of the library's name"),
            std::string::npos);
}

TEST_F(VerifyLookTest, LimitsThatTheContainerPutThereItselfAreFound) {
  const std::string path = Root(70) + "/run/aliquot/limits/record";
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(NotOk().find("inside failed: in its file system /run/aliquot/limits/record is no "
                         "regular file"),
            std::string::npos);
  fs::remove(path);
  fs::create_symlink("/etc/passwd", path);
  EXPECT_NE(NotOk().find("record is not there"), std::string::npos);
  fs::remove(path);
  fs::copy_file(layout_.Grant("g0") + "/limits/record", path);
  EXPECT_NE(NotOk().find("inside failed: the limits that it sees are a copy"), std::string::npos);
}

TEST_F(VerifyLookTest, AProcessOfAContainerWithoutAGrantThatUsesACardIsAStranger) {
  MakeProcess(71, kSideId);
  EXPECT_NE(NotOk().find("strangers failed"), std::string::npos);
  fs::remove(proc_ + "/71/fd/3");
  Write(proc_ + "/71/maps", "7f00-7f10 r-xp 0 00:01 5 /bin/sh\n");
  EXPECT_EQ(NotOk(), "");
}

TEST_F(VerifyLookTest, ProcessesOfOtherPodsAreNotLookedAt) {
  MakeProcess(71, kMainId);
  Write(proc_ + "/71/cgroup",
        "0::/kubepods/pod1f0e0000-0000-4000-8000-000000000002/" + kMainId + "\n");
  const auto facts = Look();
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->containers[0].processes.size(), 1u);
}

TEST_F(VerifyLookTest, OneThatUsesNoCardIsOnlyCounted) {
  MakeProcess(71, kMainId);
  fs::remove(proc_ + "/71/fd/3");
  Write(proc_ + "/71/maps", "7f00-7f10 r-xp 0 00:01 5 /bin/sh\n");
  const auto facts = Look();
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->containers[0].others, 1u);
}

TEST_F(VerifyLookTest, WithoutADriverMemoryIsUnknownAndTheRestIsStillLookedAt) {
  backend_.lost = true;
  EXPECT_EQ(NotOk(),
            "memory unknown: the driver tells no memory of processes: the driver is gone\n");
  backend_.lost = false;
  backend_.mib = -1;
  EXPECT_NE(NotOk().find("memory unknown"), std::string::npos);
}

TEST_F(VerifyLookTest, AGrantWhoseFilesWereTakenAwayFails) {
  fs::remove_all(layout_.Grant("g0"));
  const std::string text = NotOk();
  EXPECT_NE(text.find("limits failed"), std::string::npos);
  EXPECT_NE(text.find("library unknown: the grant's library is not on this node"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::agent
