// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/world/engine.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/simgpu/world/world_file.h"

namespace aliquot::simgpu {
namespace {

// A world of two cards with 1,000 bytes each, 100 of them the driver's; times are plain numbers.
class Engine : public testing::Test {
 protected:
  Engine() : path_(testing::TempDir() + "engine-" + std::to_string(getpid())) {
    world_ = CreateWorld(path_);
    world_->cards = 2;
    world_->processes_used = 3;
    for (CardLayout& card : world_->card) {
      card.memory = 1000;
      card.reserved = 100;
    }
  }
  ~Engine() override {
    munmap(world_, sizeof(WorldLayout));
    unlink(path_.c_str());
  }

  std::uint64_t Busy(int process) const { return world_->process[process].cards[0].busy_ns; }

  std::string path_;
  WorldLayout* world_;
};

TEST_F(Engine, AKernelRunsForItsDurationFromItsSubmission) {
  const int queue = OpenQueue(*world_, 0, 0);
  const auto item = Submit(*world_, queue, 1, 50, 100);
  AdvanceCard(*world_, 0, 149);
  EXPECT_FALSE(Done(world_->queue[queue], item));
  EXPECT_EQ(Busy(0), 49u);
  AdvanceCard(*world_, 0, 1000);
  EXPECT_TRUE(Done(world_->queue[queue], item));
  EXPECT_EQ(FinishedAt(world_->queue[queue], item), 150u);
  EXPECT_EQ(Busy(0), 50u);
}

TEST_F(Engine, WorkOfOneContextIsDoneInOrder) {
  const int queue = OpenQueue(*world_, 0, 0);
  Submit(*world_, queue, 1, 10, 0);
  const auto second = Submit(*world_, queue, 2, 10, 5);
  AdvanceCard(*world_, 0, 100);
  EXPECT_EQ(FinishedAt(world_->queue[queue], second), 20u);
}

TEST_F(Engine, ContextsTakeTurnsByKernels) {
  const int a = OpenQueue(*world_, 0, 0);
  const int b = OpenQueue(*world_, 1, 0);
  for (int i = 0; i < 3; ++i) {
    Submit(*world_, a, 1, 30, 0);
    Submit(*world_, b, 1, 10, 0);
  }
  // a 0-30, b 30-40, a 40-70, b 70-80, a 80-110, b 110-120
  AdvanceCard(*world_, 0, 80);
  EXPECT_EQ(Busy(0), 60u);
  EXPECT_EQ(Busy(1), 20u);
  AdvanceCard(*world_, 0, 1000);
  EXPECT_EQ(FinishedAt(world_->queue[a], 2), 110u);
  EXPECT_EQ(FinishedAt(world_->queue[b], 2), 120u);
}

TEST_F(Engine, WithSlicesContextsShareTheTimeHoweverLongTheirKernelsAre) {
  world_->slice_ns = 10;
  const int a = OpenQueue(*world_, 0, 0);
  const int b = OpenQueue(*world_, 1, 0);
  Submit(*world_, a, 1, 1000, 0);
  for (int i = 0; i < 100; ++i) {
    Submit(*world_, b, 1, 10, 0);
  }
  AdvanceCard(*world_, 0, 200);
  EXPECT_EQ(Busy(0), 100u);
  EXPECT_EQ(Busy(1), 100u);
}

TEST_F(Engine, AnIdleCardIsNotBusy) {
  const int queue = OpenQueue(*world_, 0, 0);
  Submit(*world_, queue, 1, 10, 0);
  AdvanceCard(*world_, 0, 500);
  Submit(*world_, queue, 1, 10, 500);
  AdvanceCard(*world_, 0, 1000);
  EXPECT_EQ(Busy(0), 20u);
  EXPECT_EQ(FinishedAt(world_->queue[queue], 1), 510u);
}

TEST_F(Engine, CardsWorkSideBySide) {
  const int a = OpenQueue(*world_, 0, 0);
  const int b = OpenQueue(*world_, 0, 1);
  Submit(*world_, a, 1, 100, 0);
  Submit(*world_, b, 1, 100, 0);
  AdvanceCard(*world_, 0, 100);
  AdvanceCard(*world_, 1, 100);
  EXPECT_TRUE(Done(world_->queue[a], 0));
  EXPECT_TRUE(Done(world_->queue[b], 0));
}

TEST_F(Engine, AClosedQueueGivesTheCardToTheNextAtOnce) {
  const int a = OpenQueue(*world_, 0, 0);
  const int b = OpenQueue(*world_, 1, 0);
  Submit(*world_, a, 1, 1000, 0);
  Submit(*world_, b, 1, 10, 0);
  AdvanceCard(*world_, 0, 100);
  CloseQueue(*world_, a);
  AdvanceCard(*world_, 0, 110);
  EXPECT_EQ(Busy(0), 100u);
  EXPECT_EQ(FinishedAt(world_->queue[b], 0), 110u);
}

TEST_F(Engine, VirtualTimeGoesToTheEndOfWhatIsWaitedForAndNoFurther) {
  world_->virtual_clock = 1;
  const int a = OpenQueue(*world_, 0, 0);
  const int b = OpenQueue(*world_, 1, 0);
  Submit(*world_, a, 1, 30, 0);
  const auto mine = Submit(*world_, b, 1, 10, 0);
  Submit(*world_, a, 1, 500, 0);
  AdvanceUntilDone(*world_, b, mine);
  EXPECT_EQ(world_->virtual_now, 40u);
  EXPECT_EQ(Busy(0), 30u);
}

TEST_F(Engine, AFullQueueSaysSo) {
  const int queue = OpenQueue(*world_, 0, 0);
  while (HasRoom(world_->queue[queue])) {
    Submit(*world_, queue, 1, 1, 0);
  }
  EXPECT_EQ(world_->queue[queue].next, kQueueItems - 1);
  AdvanceCard(*world_, 0, 1);
  EXPECT_TRUE(HasRoom(world_->queue[queue]));
}

TEST_F(Engine, MemoryOfAnEndedProcessIsFree) {
  world_->process[0].cards[0].memory_bytes = 300;
  world_->process[1].cards[0].context_bytes = 200;
  EXPECT_EQ(MemoryFree(*world_, 0), 400u);  // 1000 - 100 - 300 - 200
  ClearProcess(*world_, 0);
  EXPECT_EQ(MemoryFree(*world_, 0), 700u);
}

TEST_F(Engine, ASharedBlockStaysWithWhoStillHoldsIt) {
  world_->process[0].cards[0].memory_bytes = 300;
  BlockLayout& block = world_->block[7];
  block.used = 1;
  block.owner = 0;
  block.bytes = 300;
  block.references[0] = 1;
  block.references[1] = 2;
  ClearProcess(*world_, 0);
  EXPECT_EQ(block.owner, 1);
  EXPECT_EQ(world_->process[1].cards[0].memory_bytes, 300u);
  DropBlock(*world_, 7, 1, 1);
  EXPECT_EQ(MemoryUsed(*world_, 0), 300u);
  DropBlock(*world_, 7, 1, 1);
  EXPECT_EQ(MemoryUsed(*world_, 0), 0u);
  EXPECT_EQ(block.used, 0);
}

}  // namespace
}  // namespace aliquot::simgpu
