// SPDX-License-Identifier: Apache-2.0
#include "interposer/usage_slot.h"

#include "interposer/system_calls.h"
#include "quota/charge.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kPage = 4096;

class ScopedFile {
 public:
  explicit ScopedFile(const char* path) : descriptor_(OpenFile(path, O_RDWR | O_NONBLOCK)) {}
  ~ScopedFile() {
    if (descriptor_ >= 0) {
      CloseFile(descriptor_);
    }
  }
  ScopedFile(const ScopedFile&) = delete;
  ScopedFile& operator=(const ScopedFile&) = delete;

  bool open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  bool Take(int slot) const { return Set(F_WRLCK, slot); }
  void Leave(int slot) const { Set(F_UNLCK, slot); }
  // Held through another open file description.
  bool IsHeld(int slot) const {
    struct flock lock = Of(F_WRLCK, slot);
    return LockByte(descriptor_, F_OFD_GETLK, lock) == 0 && lock.l_type != F_UNLCK;
  }

 private:
  static struct flock Of(int type, int slot) {
    struct flock lock {};
    lock.l_type = static_cast<short>(type);
    lock.l_whence = SEEK_SET;
    lock.l_start = slot;
    lock.l_len = 1;
    return lock;
  }
  bool Set(int type, int slot) const {
    struct flock lock = Of(type, slot);
    return LockByte(descriptor_, F_OFD_SETLK, lock) == 0;
  }

  const int descriptor_;
};

bool IsUsageFile(int descriptor) {
  struct stat status {};
  return FileStatus(descriptor, status) && S_ISREG(status.st_mode) &&
         status.st_size == static_cast<off_t>(sizeof(quota::UsageRegion));
}

// Keeps the open file description, and with it its locks, for as long as this address space.
void* Pin(int descriptor) {
  void* const page = MapMemory(nullptr, kPage, PROT_READ, MAP_SHARED, descriptor);
  if (page != nullptr && !AdviseMemory(page, kPage, MADV_DONTFORK)) {
    UnmapMemory(page, kPage);
    return nullptr;
  }
  return page;
}

void Enter(quota::UsageRegion& region, int slot) {
  quota::UsageSlot& own = region.slot[slot];
  quota::ClearSlot(own);
  __atomic_fetch_add(&own.generation, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&own.version, ALIQUOT_VERSION_MAJOR << 16 | ALIQUOT_VERSION_MINOR,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&own.pid, ProcessId(), __ATOMIC_RELEASE);
  quota::RaiseHighWater(region, static_cast<std::size_t>(slot));
}

}  // namespace

quota::UsageRegion* MapUsage(const char* path) {
  const ScopedFile file(path);
  if (!file.open() || !IsUsageFile(file.descriptor())) {
    return nullptr;
  }
  constexpr std::size_t kSize = sizeof(quota::UsageRegion);
  void* const bytes =
      MapMemory(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor());
  if (bytes == nullptr) {
    return nullptr;
  }
  if (quota::CheckUsage(bytes, kSize) != quota::UsageFault::kNone ||
      !AdviseMemory(bytes, kSize, MADV_DONTFORK)) {
    UnmapMemory(bytes, kSize);
    return nullptr;
  }
  return static_cast<quota::UsageRegion*>(bytes);
}

quota::UsageRegion* PrivateUsage() {
  constexpr std::size_t kSize = sizeof(quota::UsageRegion);
  void* const bytes =
      MapMemory(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (bytes == nullptr) {
    return nullptr;
  }
  AdviseMemory(bytes, kSize, MADV_DONTFORK);
  auto* const region = static_cast<quota::UsageRegion*>(bytes);
  quota::InitialiseUsage(*region);
  Enter(*region, 0);
  return region;
}

ClaimResult ClaimSlot(const char* path, quota::UsageRegion& region, int& slot) {
  int claimed = -1;
  void* pin = nullptr;
  {
    const ScopedFile file(path);
    if (!file.open()) {
      return ClaimResult::kDoesNotHold;
    }
    // Twice: somebody who clears a dead slot holds its lock for a moment.
    for (int i = 0; i < 2 * static_cast<int>(quota::kUsageSlots) && claimed < 0; ++i) {
      const int tried = i % static_cast<int>(quota::kUsageSlots);
      claimed = file.Take(tried) ? tried : -1;
    }
    if (claimed < 0) {
      return ClaimResult::kNoneFree;
    }
    pin = Pin(file.descriptor());
    if (pin == nullptr) {
      return ClaimResult::kDoesNotHold;
    }
  }
  const ScopedFile another(path);
  if (!another.open() || !another.IsHeld(claimed)) {
    UnmapMemory(pin, kPage);
    return ClaimResult::kDoesNotHold;
  }
  Enter(region, claimed);
  slot = claimed;
  return ClaimResult::kClaimed;
}

int ClearDeadSlots(const char* path, quota::UsageRegion& region, int own) {
  const ScopedFile file(path);
  if (!file.open() || !IsUsageFile(file.descriptor())) {
    return 0;
  }
  int cleared = 0;
  for (int slot = 0; slot < static_cast<int>(quota::kUsageSlots); ++slot) {
    if (slot == own || !quota::HoldsAnything(region.slot[slot]) || !file.Take(slot)) {
      continue;
    }
    quota::ClearSlot(region.slot[slot]);
    file.Leave(slot);
    ++cleared;
  }
  return cleared;
}

}  // namespace aliquot::interposer
