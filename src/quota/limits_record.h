// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quota/live_limits.h"

// The limits of one container, version 1: the file `record` in the directory that a grant mounts
// read-only at /run/aliquot/limits. The agent writes it, the interception library reads it;
// FORMAT.md describes every byte.
//
// Plain memory in the machine's own byte order, since both sides run on one machine. No function
// here allocates, throws, or calls the C library. A file is mapped or read as it is.

namespace aliquot::quota {

inline constexpr char kLimitsMagic[8] = {'A', 'L', 'Q', 'L', 'I', 'M', 'I', 'T'};
inline constexpr std::uint16_t kLimitsMajor = 1;  // another one is refused
inline constexpr std::uint16_t kLimitsMinor = 0;  // a higher one only adds what may be ignored
inline constexpr std::size_t kMaxCards = 16;      // of one container

// How the container is held to its share.
enum class Isolation : std::uint32_t { kNone = 0, kLibrary = 1, kDriver = 2, kMps = 3, kMig = 4 };

struct CardLimits {
  char uuid[48];  // "GPU-..", ends with a zero byte
  std::uint32_t minor;
  std::uint32_t core_percent;     // guaranteed, 1..100
  std::uint32_t ceiling_percent;  // up to this while the card is idle; >= core_percent
  std::uint32_t reserved0;
  std::uint64_t memory_bytes;  // 0 = the whole card
  std::uint8_t reserved[56];
};
static_assert(sizeof(CardLimits) == 128);

struct LimitsRecord {
  char magic[8];
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t size;      // of the file: sizeof(LimitsRecord)
  std::uint64_t checksum;  // of all that follows up to `live`
  std::uint32_t cards;     // used entries of `card`
  Isolation isolation;
  char pod_uid[40];  // ends with a zero byte, as all text here
  char container[64];
  char pod_name[256];
  char pod_namespace[64];
  std::uint8_t reserved[64];
  CardLimits card[kMaxCards];
  // Written in place while the container runs; everything above is replaced by a rename only.
  LiveLimits live;
};
static_assert(offsetof(LimitsRecord, checksum) == 16);
static_assert(offsetof(LimitsRecord, card) == 520);
static_assert(offsetof(LimitsRecord, live) == 520 + 128 * kMaxCards);
static_assert(sizeof(LimitsRecord) == 520 + 128 * kMaxCards + sizeof(LiveLimits));

// What is wrong with a record; the reader says so and holds the container to nothing it can't read.
enum class LimitsFault {
  kNone,
  kTooShort,
  kMagic,
  kMajor,  // of a version that this reader does not know
  kSize,
  kChecksum,
  kCardCount,  // none, or more than kMaxCards
  kText,       // a text without its zero byte
  kNumber,     // a share out of range
};

// For messages: "too short", ...
const char* LimitsFaultName(LimitsFault fault);

// All zero but magic, version and size.
void InitialiseLimits(LimitsRecord& record);
// Copies text into a field of `size` bytes; false when it does not fit with its zero byte.
bool SetText(char* field, std::size_t size, const char* text, std::size_t length);
// Call last, after every change of what is above `live`.
void SealLimits(LimitsRecord& record);
// `bytes` need not be aligned. kNone: it can be read as a LimitsRecord.
LimitsFault CheckLimits(const void* bytes, std::size_t size);

}  // namespace aliquot::quota
