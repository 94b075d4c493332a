// SPDX-License-Identifier: Apache-2.0
#include "interposer/card_names.h"

namespace aliquot::interposer {
namespace {

int HexDigit(char character) {
  if (character >= '0' && character <= '9') {
    return character - '0';
  }
  const char lower = static_cast<char>(character | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool DashBefore(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

bool ReadUuid(const char* text, std::uint8_t* uuid) {
  if (text[0] != 'G' || text[1] != 'P' || text[2] != 'U' || text[3] != '-') {
    return false;
  }
  text += 4;
  for (std::size_t byte = 0; byte < kUuidBytes; ++byte) {
    if (DashBefore(byte) && *text++ != '-') {
      return false;
    }
    const int high = HexDigit(*text);
    const int low = high < 0 ? -1 : HexDigit(text[1]);
    if (low < 0) {
      return false;
    }
    uuid[byte] = static_cast<std::uint8_t>(high << 4 | low);
    text += 2;
  }
  return *text == '\0';
}

int ArrangeCards(CardCandidate* candidates, int count, int record_cards, unsigned no_permission) {
  int missing = record_cards;
  for (int i = 0; i < count; ++i) {
    missing -= candidates[i].card >= 0 ? 1 : 0;
  }
  int kept = 0;
  std::uint64_t before = 0;
  for (int i = 0; i < count; ++i) {
    CardCandidate candidate = candidates[i];
    if (candidate.handle == nullptr) {
      candidate.place = before;
      if (candidate.answer == no_permission || missing <= 0) {
        continue;
      }
      --missing;
    } else {
      before = candidate.place;
      if (candidate.card < 0) {
        continue;
      }
    }
    int at = kept++;
    for (; at > 0 && candidates[at - 1].place > candidate.place; --at) {
      candidates[at] = candidates[at - 1];
    }
    candidates[at] = candidate;
  }
  return kept;
}

}  // namespace aliquot::interposer
