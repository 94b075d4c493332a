// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/live_record.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

Status Unusable(const std::string& path, const std::string& why) {
  return FailedPrecondition("limits record " + Printable(path) + " " + why +
                            "; its container keeps its guaranteed share until it starts again");
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

Result<std::unique_ptr<LiveRecord>> LiveRecord::Open(const std::string& path) {
  const Descriptor file(path);
  struct stat facts {};
  if (file.get() < 0 || fstat(file.get(), &facts) != 0) {
    return Unusable(path, "can't be opened: " + std::generic_category().message(errno));
  }
  constexpr std::size_t kSize = sizeof(quota::LimitsRecord);
  if (!S_ISREG(facts.st_mode) || facts.st_size != static_cast<off_t>(kSize)) {
    return Unusable(path, "is not a file of " + std::to_string(kSize) + " bytes");
  }
  void* mapped = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    return Unusable(path, "can't be mapped: " + std::generic_category().message(errno));
  }
  const FileIdentity identity{facts.st_dev, facts.st_ino};
  std::unique_ptr<LiveRecord> record(
      new LiveRecord(static_cast<quota::LimitsRecord*>(mapped), identity));
  const quota::LimitsFault fault = quota::CheckLimits(mapped, kSize);
  if (fault != quota::LimitsFault::kNone) {
    return Unusable(path, std::string("is damaged: ") + quota::LimitsFaultName(fault));
  }
  return record;
}

LiveRecord::~LiveRecord() { munmap(record_, sizeof(quota::LimitsRecord)); }

bool LiveRecord::IsAt(const std::string& path) const {
  const auto now = IdentityOf(path);
  return now && *now == identity_;
}

// As it stands: nobody else writes. A writer that was killed in the middle leaves whole numbers,
// each its old or its new one, and the readers' sequence number odd until the next write.
std::vector<quota::LiveCard> LiveRecord::Read() const {
  return {record_->live.card, record_->live.card + record_->cards};
}

void LiveRecord::Write(const std::vector<quota::LiveCard>& cards) {
  quota::WriteLive(record_->live, cards.data(), cards.size());
}

}  // namespace aliquot::agent
