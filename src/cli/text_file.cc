// SPDX-License-Identifier: Apache-2.0
#include "cli/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) {
      static_cast<void>(std::fclose(file));
    }
  }
};
using File = std::unique_ptr<std::FILE, Close>;

Status Failed(const std::string& path, std::string_view what) {
  return InvalidArgument(Printable(path, 200) + ": " + std::string(what) + ": " +
                         std::strerror(errno));
}

}  // namespace

Result<std::string> ReadTextFile(const std::string& path, std::size_t max_bytes) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return Failed(path, "cannot be opened");
  }
  std::string text;
  char buffer[65536];
  for (;;) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get());
    text.append(buffer, got);
    if (text.size() > max_bytes) {
      return InvalidArgument(Printable(path, 200) + ": the file has more than " +
                             std::to_string(max_bytes >> 20) + " MiB; is it the right one?");
    }
    if (got < sizeof buffer) {
      break;
    }
  }
  if (std::ferror(file.get()) != 0) {
    return Failed(path, "cannot be read");
  }
  return text;
}

Status WriteTextFile(const std::string& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) {
    return Failed(path, "cannot be written");
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (std::fclose(file.release()) != 0 || !written) {
    return Failed(path, "cannot be written");
  }
  return Status::Ok();
}

}  // namespace aliquot::cli
