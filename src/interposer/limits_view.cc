// SPDX-License-Identifier: Apache-2.0
#include "interposer/limits_view.h"

#include <errno.h>

#include "interposer/card_names.h"
#include "interposer/system_calls.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kMapped = 4096;
static_assert(sizeof(quota::LimitsRecord) <= kMapped);

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

template <typename T>
void Store(T& to, T value) {
  if (Load(to) != value) {  // keeps the line in every processor's cache
    __atomic_store_n(&to, value, __ATOMIC_RELAXED);
  }
}

struct OpenRecord {
  const quota::LimitsRecord* record = nullptr;  // mapped; null when it can't be used
  int descriptor = -1;
  struct stat status {};
  LimitsAnswer answer = LimitsAnswer::kAbsent;
  quota::LimitsFault fault = quota::LimitsFault::kNone;
};

bool RunsOut(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

// Pre: the caller closes the descriptor and unmaps the record.
OpenRecord OpenRecordAt(const char* path) {
  OpenRecord opened;
  opened.descriptor = OpenFile(path, O_RDONLY | O_NONBLOCK);
  if (opened.descriptor < 0) {
    opened.answer = RunsOut(-opened.descriptor) ? LimitsAnswer::kNotNow : LimitsAnswer::kAbsent;
    return opened;
  }
  opened.answer = LimitsAnswer::kDamaged;
  opened.fault = quota::LimitsFault::kTooShort;
  if (!FileStatus(opened.descriptor, opened.status) || !S_ISREG(opened.status.st_mode) ||
      opened.status.st_size < static_cast<off_t>(sizeof(quota::LimitsRecord))) {
    return opened;
  }
  void* const bytes = MapMemory(nullptr, kMapped, PROT_READ, MAP_SHARED, opened.descriptor);
  if (bytes == nullptr) {
    opened.answer = LimitsAnswer::kNotNow;
    return opened;
  }
  opened.fault = quota::CheckLimits(bytes, static_cast<std::size_t>(opened.status.st_size));
  if (opened.fault != quota::LimitsFault::kNone) {
    UnmapMemory(bytes, kMapped);
    return opened;
  }
  opened.record = static_cast<const quota::LimitsRecord*>(bytes);
  opened.answer = opened.record->isolation == quota::Isolation::kLibrary ? LimitsAnswer::kEnforced
                                                                         : LimitsAnswer::kNotOurs;
  return opened;
}

void Drop(const OpenRecord& opened) {
  if (opened.record != nullptr) {
    UnmapMemory(const_cast<quota::LimitsRecord*>(opened.record), kMapped);
  }
  if (opened.descriptor >= 0) {
    CloseFile(opened.descriptor);
  }
}

}  // namespace

LimitsAnswer LimitsView::Open(const char* path) {
  const OpenRecord opened = OpenRecordAt(path);
  fault_ = opened.fault;
  if (opened.answer != LimitsAnswer::kEnforced) {
    Drop(opened);
    return opened.answer;
  }
  CloseFile(opened.descriptor);
  record_ = opened.record;
  device_ = opened.status.st_dev;
  inode_ = opened.status.st_ino;
  cards_ = static_cast<int>(record_->cards);
  for (int card = 0; card < cards_; ++card) {
    // A name that is no UUID stays all zero: a card that no driver shows.
    static_cast<void>(ReadUuid(record_->card[card].uuid, card_[card].uuid));
  }
  Take(*record_);
  return LimitsAnswer::kEnforced;
}

void LimitsView::Take(const quota::LimitsRecord& record) {
  for (int card = 0; card < cards_; ++card) {
    const std::uint64_t bytes = record.card[card].memory_bytes;
    Store(card_[card].memory_bytes, bytes == 0 ? ~std::uint64_t{0} : bytes);
    Store(card_[card].core_percent, record.card[card].core_percent);
  }
}

bool LimitsView::SameCards(const quota::LimitsRecord& record) const {
  bool same = static_cast<int>(record.cards) == cards_;
  for (int card = 0; same && card < cards_; ++card) {
    std::uint8_t uuid[16] = {};
    static_cast<void>(ReadUuid(record.card[card].uuid, uuid));
    for (int i = 0; i < 16; ++i) {
      same = same && uuid[i] == card_[card].uuid[i];
    }
  }
  return same;
}

void LimitsView::Follow(const char* path) {
  if (__atomic_exchange_n(&following_, 1U, __ATOMIC_ACQUIRE) != 0) {
    return;  // another thread does
  }
  struct stat status {};
  if (PathStatus(path, status) && (status.st_dev != device_ || status.st_ino != inode_)) {
    const OpenRecord opened = OpenRecordAt(path);
    // One that can't be used is looked at again the next time; until then the last one holds.
    if (opened.answer == LimitsAnswer::kEnforced && SameCards(*opened.record)) {
      // In the old one's place by one step, so that a thread that reads never finds nothing.
      void* const place = const_cast<quota::LimitsRecord*>(record_);
      if (MapMemory(place, kMapped, PROT_READ, MAP_SHARED | MAP_FIXED, opened.descriptor) !=
          nullptr) {
        Take(*record_);
        device_ = opened.status.st_dev;
        inode_ = opened.status.st_ino;
      }
    }
    Drop(opened);
  }
  __atomic_store_n(&following_, 0U, __ATOMIC_RELEASE);
}

std::uint64_t LimitsView::memory_bytes(int card) const { return Load(card_[card].memory_bytes); }

std::uint32_t LimitsView::guaranteed_percent(int card) const {
  return Load(card_[card].core_percent);
}

quota::LiveCard LimitsView::live(int card) {
  Card& last = card_[card];
  quota::LiveCard now[quota::kMaxCards];
  const auto wanted = static_cast<std::size_t>(card);
  if (quota::ReadLive(record_->live, now, wanted + 1)) {
    Store(last.core_now, now[wanted].core_now);
    Store(last.expires_ns, now[wanted].expires_ns);
    Store(last.overhead_bytes, now[wanted].overhead_bytes);
    Store(last.busy_correction_ns, now[wanted].busy_correction_ns);
    return now[wanted];
  }
  return {Load(last.core_now), 0, Load(last.expires_ns), Load(last.overhead_bytes),
          Load(last.busy_correction_ns)};
}

}  // namespace aliquot::interposer
