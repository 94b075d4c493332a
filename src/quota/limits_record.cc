// SPDX-License-Identifier: Apache-2.0
#include "quota/limits_record.h"

#include "quota/checksum.h"

namespace aliquot::quota {
namespace {

constexpr std::size_t kSealedFrom = offsetof(LimitsRecord, cards);
constexpr std::size_t kSealedTo = offsetof(LimitsRecord, live);

// Byte by byte: the library that links this has no memcpy it may rely on.
void Copy(void* to, const void* from, std::size_t size) {
  auto* target = static_cast<volatile unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  for (std::size_t i = 0; i < size; ++i) {
    target[i] = source[i];
  }
}

bool EndsWithZero(const char* field, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (field[i] == '\0') {
      return true;
    }
  }
  return false;
}

bool GoodText(const LimitsRecord& record) {
  bool good = EndsWithZero(record.pod_uid, sizeof record.pod_uid) &&
              EndsWithZero(record.container, sizeof record.container) &&
              EndsWithZero(record.pod_name, sizeof record.pod_name) &&
              EndsWithZero(record.pod_namespace, sizeof record.pod_namespace);
  for (std::uint32_t i = 0; i < record.cards; ++i) {
    good = good && record.card[i].uuid[0] != '\0' &&
           EndsWithZero(record.card[i].uuid, sizeof record.card[i].uuid);
  }
  return good;
}

bool GoodNumbers(const LimitsRecord& record) {
  bool good = record.isolation <= Isolation::kMig;
  for (std::uint32_t i = 0; i < record.cards; ++i) {
    const CardLimits& card = record.card[i];
    good = good && card.core_percent >= 1 && card.core_percent <= 100 &&
           card.ceiling_percent >= card.core_percent && card.ceiling_percent <= 100;
  }
  return good;
}

}  // namespace

const char* LimitsFaultName(LimitsFault fault) {
  switch (fault) {
    case LimitsFault::kNone:
      return "none";
    case LimitsFault::kTooShort:
      return "too short";
    case LimitsFault::kMagic:
      return "not a limits record";
    case LimitsFault::kMajor:
      return "unknown version";
    case LimitsFault::kSize:
      return "wrong size";
    case LimitsFault::kChecksum:
      return "wrong checksum";
    case LimitsFault::kCardCount:
      return "wrong number of cards";
    case LimitsFault::kText:
      return "text without an end";
    case LimitsFault::kNumber:
      return "number out of range";
  }
  return "unknown";
}

void InitialiseLimits(LimitsRecord& record) {
  auto* bytes = reinterpret_cast<volatile unsigned char*>(&record);
  for (std::size_t i = 0; i < sizeof record; ++i) {
    bytes[i] = 0;
  }
  Copy(record.magic, kLimitsMagic, sizeof kLimitsMagic);
  record.major = kLimitsMajor;
  record.minor = kLimitsMinor;
  record.size = sizeof record;
}

bool SetText(char* field, std::size_t size, const char* text, std::size_t length) {
  if (length >= size) {
    return false;
  }
  Copy(field, text, length);
  for (std::size_t i = length; i < size; ++i) {
    field[i] = '\0';
  }
  return true;
}

void SealLimits(LimitsRecord& record) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
  record.checksum = Checksum(bytes + kSealedFrom, kSealedTo - kSealedFrom);
}

LimitsFault CheckLimits(const void* bytes, std::size_t size) {
  if (size < sizeof(LimitsRecord)) {
    return LimitsFault::kTooShort;
  }
  LimitsRecord record;
  Copy(&record, bytes, sizeof record);
  for (std::size_t i = 0; i < sizeof kLimitsMagic; ++i) {
    if (record.magic[i] != kLimitsMagic[i]) {
      return LimitsFault::kMagic;
    }
  }
  if (record.major != kLimitsMajor) {
    return LimitsFault::kMajor;
  }
  // A later minor form may be longer; ours is exactly as long as it says.
  if (record.size < sizeof record || record.size != size) {
    return LimitsFault::kSize;
  }
  const auto* all = static_cast<const unsigned char*>(bytes);
  if (record.checksum != Checksum(all + kSealedFrom, kSealedTo - kSealedFrom)) {
    return LimitsFault::kChecksum;
  }
  if (record.cards == 0 || record.cards > kMaxCards) {
    return LimitsFault::kCardCount;
  }
  if (!GoodText(record)) {
    return LimitsFault::kText;
  }
  return GoodNumbers(record) ? LimitsFault::kNone : LimitsFault::kNumber;
}

}  // namespace aliquot::quota
