// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/figures_collector.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace aliquot::agent {
namespace {

// Says the same of every card: 3,000 of 16,000 MiB used by what `processes` names.
class FixedBackend final : public GpuBackend {
 public:
  std::string_view name() const override { return "fixed"; }
  Result<Machine> Look() override { return Unavailable("not asked"); }
  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds) override {
    return std::vector<GpuEvent>();
  }
  Result<std::vector<CardCheck>> CheckCards() override { return std::vector<CardCheck>(); }
  Result<CardFigures> Figures(std::string_view uuid) override {
    if (uuid == lost) {
      return NotFound("lost");
    }
    CardFigures figures;
    figures.mib_used = 3000;
    figures.mib_total = 16000;
    figures.gpu_percent = 70;
    figures.processes = processes;
    return figures;
  }
  void Release() override {}

  std::vector<CardProcess> processes;
  std::string lost;
};

class FiguresCollector : public testing::Test {
 protected:
  FiguresCollector() {
    inputs_.node = "node-a";
    AddCard("GPU-0", 0);
    AddCard("GPU-1", 1);
  }

  void AddCard(const std::string& uuid, int minor) {
    MachineCard card;
    card.card.uuid = uuid;
    card.card.minor = minor;
    card.card.mib = 16000;
    inputs_.machine.cards.push_back(card);
    inputs_.standing[uuid] = {"ok", ""};
  }
  void AddGrant(const std::string& pod, const std::string& container, int core,
                const std::string& uuid = "GPU-0") {
    auto grant = std::make_shared<GrantRecord>();
    grant->identity.key = {"ns", pod};
    grant->identity.uid = "uid-" + pod;
    grant->identity.container = container;
    grant->cards.push_back({uuid, uuid.back() - '0', core, core * 100});
    inputs_.grants.push_back(grant);
  }
  NodeFigures Read() {
    return TakeReading(
        inputs_, backend_, StateLayout("/no-such-directory"),
        [this](pid_t pid) -> std::optional<ProcessOwner> {
          const auto found = owners_.find(pid);
          return found == owners_.end() ? std::nullopt : std::optional(found->second);
        },
        counters_);
  }

  ReadingInputs inputs_;
  FixedBackend backend_;
  ShareCounters counters_;
  std::map<pid_t, ProcessOwner> owners_;
};

TEST_F(FiguresCollector, SumsGrantsByCard) {
  AddGrant("a", "main", 20);
  AddGrant("b", "main", 30);
  const NodeFigures figures = Read();
  EXPECT_EQ(figures.cards[0].granted_core, 50);
  EXPECT_EQ(figures.cards[0].granted_mib, 5000);  // 20 x 100 + 30 x 100
  EXPECT_EQ(figures.cards[0].shares, 2);
  EXPECT_EQ(figures.cards[1].shares, 0);
}

TEST_F(FiguresCollector, GivesAProcessToItsContainer) {
  AddGrant("a", "main", 20);
  AddGrant("a", "side", 10);
  inputs_.containers["id-side"] = {"uid-a", "side"};
  owners_[7] = {"uid-a", "id-side"};
  backend_.processes = {{7, 900, 33}};
  const NodeFigures figures = Read();
  EXPECT_EQ(figures.shares[0].processes, 0);  // main
  EXPECT_EQ(figures.shares[1].processes, 1);
  EXPECT_EQ(figures.shares[1].used_mib, 900);
  EXPECT_EQ(figures.shares[1].sm_percent, 33);
}

TEST_F(FiguresCollector, AProcessOfAPodWithOneContainerNeedsNoContainerId) {
  AddGrant("a", "main", 20);
  owners_[7] = {"uid-a", "id-not-told-yet"};
  backend_.processes = {{7, 900, -1}};
  EXPECT_EQ(Read().shares[0].used_mib, 900);
}

TEST_F(FiguresCollector, AProcessOfNobodyIsAStranger) {
  AddGrant("a", "main", 20);
  owners_[8] = {"uid-other", "id"};
  backend_.processes = {{7, 500, -1}, {8, 400, -1}};
  const NodeFigures figures = Read();
  EXPECT_EQ(figures.cards[0].strangers, 2);
  EXPECT_EQ(figures.cards[0].stranger_mib, 900);
  EXPECT_FALSE(figures.shares[0].used_mib.has_value());
}

TEST_F(FiguresCollector, ALostCardCostsOnlyItsOwnFigures) {
  backend_.lost = "GPU-0";
  const NodeFigures figures = Read();
  EXPECT_FALSE(figures.cards[0].used_mib.has_value());
  EXPECT_EQ(figures.cards[0].total_mib, 16000);
  EXPECT_EQ(figures.cards[1].used_mib, 3000);
}

TEST_F(FiguresCollector, SaysWhatHoldsAShareToItsPart) {
  AddGrant("a", "main", 20);
  AddGrant("b", "main", 100, "GPU-1");
  const NodeFigures figures = Read();
  EXPECT_EQ(figures.shares[0].enforcement, "none");
  EXPECT_EQ(figures.shares[1].enforcement, "whole");
}

}  // namespace
}  // namespace aliquot::agent
