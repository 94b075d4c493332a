// SPDX-License-Identifier: Apache-2.0
#include "certificates/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace aliquot::certificates {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

Status Failed(const std::string& what) {
  return Unavailable(what + ": " + std::generic_category().message(errno) +
                     "; give managedTls.directory a directory that this process may write");
}

bool Has(const std::string& path, const std::string& content) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.number() < 0) return false;
  std::string found(content.size() + 1, '\0');
  std::size_t size = 0;
  while (size < found.size()) {
    const ssize_t got = read(file.number(), found.data() + size, found.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return found.compare(0, size, content) == 0;
}

}  // namespace

Status ReplacePrivateFile(const std::string& directory, const std::string& name,
                          const std::string& content) {
  const std::string path = directory + "/" + name;
  if (Has(path, content)) return Status::Ok();
  const std::string unfinished = directory + "/." + name + ".new";
  {
    const Descriptor file(
        open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number() < 0) return Failed("file " + unfinished + " cannot be opened");
    std::size_t written = 0;
    while (written < content.size()) {
      const ssize_t put = write(file.number(), content.data() + written, content.size() - written);
      if (put < 0) return Failed("file " + unfinished + " cannot be written");
      written += static_cast<std::size_t>(put);
    }
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Failed("file " + path + " cannot be replaced");
  }
  return Status::Ok();
}

}  // namespace aliquot::certificates
