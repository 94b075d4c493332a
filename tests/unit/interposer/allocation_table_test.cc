// SPDX-License-Identifier: Apache-2.0
#include "interposer/allocation_table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "interposer/process_state.h"

namespace aliquot::interposer {
namespace {

constexpr auto kPointer = AllocationKind::kPointer;

std::unique_ptr<AllocationTable> Empty() { return std::make_unique<AllocationTable>(); }

Allocation Pointer(std::uint64_t key, std::uint64_t bytes) {
  return {kPointer, 0, 0, 1, key, bytes, 0};
}

TEST(AllocationTable, GivesBackWhatItWasTold) {
  const auto table = Empty();
  ASSERT_TRUE(table->Remember({kPointer, 3, 1, 2, 0x1000, 77, 99}));
  Allocation was{};
  ASSERT_TRUE(table->Find(kPointer, 0x1000, was));
  ASSERT_TRUE(table->Forget(kPointer, 0x1000, was));
  EXPECT_EQ(was.card, 3);
  EXPECT_EQ(was.bytes, 77U);
  EXPECT_EQ(was.other, 99U);
  EXPECT_FALSE(table->Forget(kPointer, 0x1000, was));
}

TEST(AllocationTable, OneKeyOfTwoKindsIsTwoEntries) {
  const auto table = Empty();
  ASSERT_TRUE(table->Remember({kPointer, 0, 0, 0, 5, 1, 0}));
  ASSERT_TRUE(table->Remember({AllocationKind::kArray, 0, 0, 0, 5, 2, 0}));
  Allocation was{};
  ASSERT_TRUE(table->Forget(AllocationKind::kArray, 5, was));
  EXPECT_EQ(was.bytes, 2U);
  EXPECT_TRUE(table->Find(kPointer, 5, was));
}

TEST(AllocationTable, AnsweringASecondTimeReplaces) {
  const auto table = Empty();
  ASSERT_TRUE(table->Remember(Pointer(5, 1)));
  ASSERT_TRUE(table->Remember(Pointer(5, 2)));
  Allocation was{};
  ASSERT_TRUE(table->Forget(kPointer, 5, was));
  EXPECT_EQ(was.bytes, 2U);
  EXPECT_FALSE(table->Find(kPointer, 5, was));
}

TEST(AllocationTable, AgreesWithAMapThroughAnyOrderOfAddingAndRemoving) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto table = Empty();
  std::map<std::uint64_t, std::uint64_t> model;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t key = random() % 5000 * 512;  // grows past several doublings
    Allocation was{};
    if (random() % 2 == 0) {
      ASSERT_TRUE(table->Remember(Pointer(key, random())));
      ASSERT_TRUE(table->Find(kPointer, key, was));
      model[key] = was.bytes;
    } else {
      const auto known = model.find(key);
      ASSERT_EQ(table->Forget(kPointer, key, was), known != model.end()) << key;
      if (known != model.end()) {
        ASSERT_EQ(was.bytes, known->second);
        model.erase(known);
      }
    }
  }
  std::map<std::uint64_t, std::uint64_t> left;
  table->ChangeAll(
      kPointer,
      [](Allocation& entry, void* to) {
        (*static_cast<std::map<std::uint64_t, std::uint64_t>*>(to))[entry.key] = entry.bytes;
        return Fate::kKeep;
      },
      &left);
  EXPECT_EQ(left, model);
}

TEST(AllocationTable, ASweepRemovesAllThatItNamesAndNothingElse) {
  const auto table = Empty();
  for (std::uint64_t key = 1; key <= 3000; ++key) {
    ASSERT_TRUE(table->Remember(Pointer(key, key % 3)));
  }
  std::uint64_t removed = 0;
  table->ChangeAll(
      kPointer,
      [](Allocation& entry, void* count) {
        if (entry.bytes != 0) {
          return Fate::kKeep;
        }
        ++*static_cast<std::uint64_t*>(count);
        return Fate::kRemove;
      },
      &removed);
  EXPECT_EQ(removed, 1000U);
  Allocation was{};
  for (std::uint64_t key = 1; key <= 3000; ++key) {
    ASSERT_EQ(table->Find(kPointer, key, was), key % 3 != 0) << key;
  }
}

TEST(AllocationTable, OfThreadsThatReleaseOnePointerOneGetsIt) {
  const auto table = Empty();
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(table->Remember(Pointer(static_cast<std::uint64_t>(i) * 512, 1)));
  }
  int got[4] = {};
  std::vector<std::thread> threads;
  for (int& mine : got) {
    threads.emplace_back([&] {
      Allocation was{};
      for (int i = 0; i < kRounds; ++i) {
        mine += table->Forget(kPointer, static_cast<std::uint64_t>(i) * 512, was) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(got[0] + got[1] + got[2] + got[3], kRounds);
}

TEST(ProcessState, AForkedChildBeginsWithNothingAndNoLockHeld) {
  ProcessState* const state = StateOfProcess();
  ASSERT_NE(state, nullptr);
  ASSERT_TRUE(Allocations().Remember(Pointer(5, 1)));
  state->slot = 7;
  state->opening.Acquire();  // as another thread of the parent might
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Allocation was{};
    const bool fresh =
        KnownState() == state && state->slot == 0 && !Allocations().Find(kPointer, 5, was);
    state->opening.Acquire();
    const bool usable =
        Allocations().Remember(Pointer(6, 2)) && Allocations().Find(kPointer, 6, was);
    ::_exit(fresh && usable ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  state->opening.Release();
  Allocation was{};
  EXPECT_TRUE(Allocations().Forget(kPointer, 5, was));
  EXPECT_EQ(state->slot, 7);
}

}  // namespace
}  // namespace aliquot::interposer
