// SPDX-License-Identifier: Apache-2.0
#include "signing/key_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace aliquot::signing {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int number() const { return number_; }

 private:
  const int number_;
};

Status ErrnoStatus() { return InvalidArgument(std::generic_category().message(errno)); }

// Up to `buffer`'s size; how many bytes there were, or -1.
ssize_t ReadUpTo(int descriptor, std::string& buffer) {
  std::size_t used = 0;
  while (used < buffer.size()) {
    const ssize_t got = read(descriptor, buffer.data() + used, buffer.size() - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return -1;
    }
    if (got == 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(used);
}

bool IsKeyName(const std::string& name) {
  constexpr std::string_view kEnding = ".pem";
  return name.size() > kEnding.size() && name.front() != '.' &&
         std::string_view(name).substr(name.size() - kEnding.size()) == kEnding;
}

}  // namespace

Result<std::string> ReadKeyFile(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about {};
  if (file.number() < 0 || fstat(file.number(), &about) != 0) {
    return ErrnoStatus();
  }
  if (!S_ISREG(about.st_mode)) {
    return InvalidArgument("it is not a regular file");
  }
  std::string bytes(kMaxKeyFileBytes + 1, '\0');
  const ssize_t size = ReadUpTo(file.number(), bytes);
  if (size < 0) {
    const Status status = ErrnoStatus();
    Wipe(bytes);
    return status;
  }
  if (static_cast<std::size_t>(size) > kMaxKeyFileBytes) {
    Wipe(bytes);
    return InvalidArgument("it is longer than " + std::to_string(kMaxKeyFileBytes) + " bytes");
  }
  bytes.resize(static_cast<std::size_t>(size));  // shrinks in place: no copy is left behind
  return bytes;
}

Result<std::vector<std::string>> KeyFilesAt(const std::string& path) {
  std::error_code error;
  const bool directory = std::filesystem::is_directory(path, error);
  if (error) {
    return InvalidArgument(error.message());
  }
  if (!directory) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  auto entry = std::filesystem::directory_iterator(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (IsKeyName(entry->path().filename().string())) {
      files.push_back(entry->path().string());
    }
  }
  if (error) {
    return InvalidArgument(error.message());
  }
  if (files.empty()) {
    return NotFound("no file in it has a name that ends in .pem");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string DigestOf(std::string_view bytes) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash, &size, EVP_sha256(), nullptr);
  return std::string(reinterpret_cast<const char*>(hash), size);
}

void Wipe(std::string& bytes) { OPENSSL_cleanse(bytes.data(), bytes.size()); }

}  // namespace aliquot::signing
