// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/mapped_identity.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <fstream>

namespace aliquot::agent {
namespace {

// One page of a file, mapped. Not read: a file that is cut short meanwhile does no harm.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
      address_ = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, file, 0);
      close(file);
    }
  }
  ~Mapping() {
    if (mapped()) {
      munmap(address_, 1);
    }
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  bool mapped() const { return address_ != MAP_FAILED; }
  std::uint64_t start() const { return reinterpret_cast<std::uintptr_t>(address_); }

 private:
  void* address_ = MAP_FAILED;
};

}  // namespace

std::optional<FileIdentity> IdentityInMaps(const std::string& path) {
  const Mapping mapping(path);
  if (!mapping.mapped()) {
    return std::nullopt;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t start = 0;
    std::from_chars(line.data(), line.data() + line.size(), start, 16);
    if (start == mapping.start()) {
      const MappedFiles found = ParseMaps(line);
      return found.files.empty() ? std::nullopt : std::optional(found.files.front().identity);
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::agent
