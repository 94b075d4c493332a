// SPDX-License-Identifier: Apache-2.0
#include "interposer/card_names.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace aliquot::interposer {
namespace {

constexpr unsigned kNoPermission = 4;
constexpr unsigned kLost = 15;

TEST(ReadUuid, TakesEitherCaseAndGivesTheBytesInOrder) {
  std::array<std::uint8_t, kUuidBytes> uuid = {};
  ASSERT_TRUE(ReadUuid("GPU-00112233-4455-6677-8899-aAbBcCdDeEfF", uuid.data()));
  const std::array<std::uint8_t, kUuidBytes> expected = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                                         0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
                                                         0xcc, 0xdd, 0xee, 0xff};
  EXPECT_EQ(uuid, expected);
}

TEST(ReadUuid, RefusesWhatIsNotACard) {
  std::array<std::uint8_t, kUuidBytes> uuid = {};
  for (const char* text :
       {"", "GPU-", "MIG-00112233-4455-6677-8899-aabbccddeeff",
        "GPU-00112233-4455-6677-8899-aabbccddeef", "GPU-00112233-4455-6677-8899-aabbccddeeff0",
        "GPU-00112233_4455-6677-8899-aabbccddeeff", "GPU-0011223g-4455-6677-8899-aabbccddeeff",
        "00112233-4455-6677-8899-aabbccddeeff"}) {
    EXPECT_FALSE(ReadUuid(text, uuid.data())) << text;
  }
}

// Handles are numbers of the test.
void* Handle(int number) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number)); }

CardCandidate Shown(int number, int card, std::uint64_t place) {
  return {Handle(number), 0, card, place};
}
CardCandidate Failed(unsigned answer) { return {nullptr, answer, -1, 0}; }

// The handles that are kept, 0 for a card without one.
std::vector<std::uintptr_t> Arranged(std::vector<CardCandidate> candidates, int record_cards) {
  const int kept = ArrangeCards(candidates.data(), static_cast<int>(candidates.size()),
                                record_cards, kNoPermission);
  std::vector<std::uintptr_t> handles;
  for (int i = 0; i < kept; ++i) {
    handles.push_back(
        reinterpret_cast<std::uintptr_t>(candidates[static_cast<std::size_t>(i)].handle));
  }
  return handles;
}

using Handles = std::vector<std::uintptr_t>;

TEST(ArrangeCards, KeepsTheRecordsCardsInPciOrderWhateverTheRecordsOrder) {
  EXPECT_EQ(Arranged({Shown(1, 1, 0x50), Shown(2, -1, 0x40), Shown(3, 0, 0x30)}, 2),
            (Handles{3, 1}));
}

TEST(ArrangeCards, ACardThatTheDriverCannotNameKeepsItsNumberWhileOneIsMissing) {
  // Of two cards the first is lost: the other one stays number 1.
  EXPECT_EQ(Arranged({Failed(kLost), Shown(2, 1, 0x40)}, 2), (Handles{0, 2}));
  EXPECT_EQ(Arranged({Shown(1, 0, 0x30), Failed(kLost), Shown(3, 1, 0x50)}, 3), (Handles{1, 0, 3}));
}

TEST(ArrangeCards, AnothersLostCardIsNotShown) {
  EXPECT_EQ(Arranged({Failed(kLost), Shown(2, 0, 0x40)}, 1), (Handles{2}));
}

TEST(ArrangeCards, NoMoreUnnamedCardsThanAreMissing) {
  EXPECT_EQ(Arranged({Failed(kLost), Failed(kLost), Shown(3, 0, 0x40)}, 2), (Handles{0, 3}));
}

TEST(ArrangeCards, ACardThatTheContainerMayNotOpenIsAnothers) {
  EXPECT_EQ(Arranged({Failed(kNoPermission), Shown(2, 0, 0x40)}, 2), (Handles{2}));
}

}  // namespace
}  // namespace aliquot::interposer
