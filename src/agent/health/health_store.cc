// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "agent/gpu/driver_incarnation.h"
#include "agent/health/health_record.h"

namespace aliquot::agent {
namespace {

std::string Why(int error) { return std::error_code(error, std::generic_category()).message(); }

// A descriptor that closes itself.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}
  ~File() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

// At most one byte more than a record may have; that is enough to refuse it.
bool ReadAll(int descriptor, std::string& text) {
  text.resize(kMaxHealthRecordBytes + 1);
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(descriptor, text.data() + filled, text.size() - filled);
    if (got < 0 && errno != EINTR) {
      return false;
    }
    if (got == 0) {
      break;
    }
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  text.resize(filled);
  return true;
}

bool WriteAll(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = write(descriptor, text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR) {
      return false;
    }
    done += put > 0 ? static_cast<std::size_t>(put) : 0;
  }
  return true;
}

}  // namespace

Status HealthStore::Load(SteadyTime now, HealthBook& book) {
  const File file(path_, O_RDONLY | O_NONBLOCK, 0);
  if (file.descriptor() < 0 && errno == ENOENT) {
    return Status::Ok();
  }
  std::string text;
  if (file.descriptor() < 0 || !ReadAll(file.descriptor(), text)) {
    damaged_ = true;
    return FailedPrecondition(path_ + " cannot be read (" + Why(errno) +
                              "); cards that waited for a reset are not known, remove it");
  }
  Status status = RestoreHealth(text, DriverIncarnation(root_), now, book);
  damaged_ = !status.ok();
  written_ = book.NeedingReset();
  return status.ok() ? status : status.WithContext(path_);
}

Status HealthStore::Save(const HealthBook& book) {
  auto needing = book.NeedingReset();
  if (needing == written_ && !damaged_) {
    return Status::Ok();
  }
  damaged_ = true;
  const std::string fresh = path_ + ".new";
  unlink(fresh.c_str());
  {
    const File file(fresh, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file.descriptor() < 0 ||
        !WriteAll(file.descriptor(), FormatHealthRecord(book, DriverIncarnation(root_)))) {
      return FailedPrecondition(fresh + " cannot be written (" + Why(errno) +
                                "); a restarted agent would not know which cards wait for a reset");
    }
  }
  if (std::rename(fresh.c_str(), path_.c_str()) != 0) {
    return FailedPrecondition(path_ + " cannot be replaced (" + Why(errno) +
                              "); a restarted agent would not know which cards wait for a reset");
  }
  damaged_ = false;
  written_ = std::move(needing);
  return Status::Ok();
}

}  // namespace aliquot::agent
