// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/usage_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  }
  ~OpenFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

Status Unusable(const std::string& path, const std::string& why) {
  return FailedPrecondition("usage file " + Printable(path) + " " + why +
                            "; the container's figures are left out until it is started again");
}

Status CheckKind(const std::string& path, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    return Unusable(path, std::string("can't be looked at: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return Unusable(path, "is no regular file any more");
  }
  if (status.st_size != static_cast<off_t>(sizeof(quota::UsageRegion))) {
    return Unusable(path, "has " + std::to_string(status.st_size) + " bytes instead of " +
                              std::to_string(sizeof(quota::UsageRegion)));
  }
  return Status::Ok();
}

// It may be cut short between the look at its size and the read.
bool ReadWhole(int descriptor, quota::UsageRegion& region) {
  auto* bytes = reinterpret_cast<char*>(&region);
  std::size_t at = 0;
  while (at < sizeof region) {
    const ssize_t got = ::pread(descriptor, bytes + at, sizeof region - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    at += static_cast<std::size_t>(got);
  }
  return true;
}

bool Used(const quota::UsageSlot& slot) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&slot);
  return std::any_of(bytes, bytes + sizeof slot, [](unsigned char byte) { return byte != 0; });
}

// Only slots with something in them cost a question.
std::uint64_t Alive(int descriptor, const quota::UsageRegion& region) {
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < quota::kUsageSlots; ++i) {
    if (!Used(region.slot[i])) {
      continue;
    }
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(i);
    lock.l_len = 1;
    if (::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
      alive |= std::uint64_t{1} << i;
    }
  }
  return alive;
}

}  // namespace

bool UsageFileInUse(const std::string& path) {
  const OpenFile file(path);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = static_cast<off_t>(quota::kUsageSlots);
  return file.descriptor() >= 0 && ::fcntl(file.descriptor(), F_OFD_GETLK, &lock) == 0 &&
         lock.l_type != F_UNLCK;
}

Result<UsageSnapshot> ReadUsageSnapshot(const std::string& path) {
  const OpenFile file(path);
  if (file.descriptor() < 0) {
    return Unusable(path, std::string("can't be opened: ") + std::strerror(errno));
  }
  if (Status status = CheckKind(path, file.descriptor()); !status.ok()) {
    return status;
  }
  UsageSnapshot snapshot;
  snapshot.region = std::make_unique<quota::UsageRegion>();
  if (!ReadWhole(file.descriptor(), *snapshot.region)) {
    return Unusable(path, "was cut short while it was read");
  }
  const quota::UsageFault fault = quota::CheckUsage(snapshot.region.get(), sizeof *snapshot.region);
  if (fault != quota::UsageFault::kNone) {
    return Unusable(path, std::string("is damaged: ") + quota::UsageFaultName(fault));
  }
  snapshot.alive = Alive(file.descriptor(), *snapshot.region);
  return snapshot;
}

Result<ContainerUsage> ReadUsageFile(const std::string& path, std::size_t cards) {
  auto read = ReadUsageSnapshot(path);
  if (!read.ok()) {
    return read.status();
  }
  ContainerUsage usage;
  usage.processes = __builtin_popcountll(read->alive);
  for (std::size_t i = 0; i < quota::kUsageSlots; ++i) {
    if ((read->alive >> i & 1) != 0) {
      usage.pids.insert(read->region->slot[i].pid);
    }
  }
  for (std::size_t i = 0; i < std::min(cards, quota::kMaxCards); ++i) {
    usage.cards.push_back(quota::SumUsage(*read->region, i, read->alive));
  }
  usage.region = std::move(read->region);
  return usage;
}

}  // namespace aliquot::agent
