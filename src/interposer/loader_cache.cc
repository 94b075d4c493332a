// SPDX-License-Identifier: Apache-2.0
#include "interposer/loader_cache.h"

#include <cstdint>

#include "interposer/text.h"

namespace aliquot::interposer {
namespace {

constexpr char kOldMagic[] = "ld.so-1.7.0";
constexpr char kNewMagic[] = "glibc-ld.so.cache1.1";
constexpr std::size_t kOldHeader = 16;  // magic, padding, number of entries
constexpr std::size_t kOldEntry = 12;
constexpr std::size_t kNewHeader = 48;
constexpr std::size_t kNewEntry = 24;
constexpr std::size_t kCountAt = 20;  // in the new header

// flags: the low byte says ELF for glibc 2 and later, the next one x86-64.
constexpr std::uint32_t kWantedFlags = 0x0303;

class Bytes {
 public:
  Bytes(const void* data, std::size_t size) : data_(static_cast<const char*>(data)), size_(size) {}

  bool Has(const char* text, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i) {
      if (i >= size_ || data_[i] != text[i]) {
        return false;
      }
    }
    return true;
  }
  std::uint32_t Number(std::size_t offset) const {
    std::uint32_t value = 0;
    if (offset + sizeof value <= size_) {
      __builtin_memcpy(&value, data_ + offset, sizeof value);
    }
    return value;
  }
  // A string that ends within the file, or null.
  const char* Text(std::size_t offset) const {
    for (std::size_t end = offset; end < size_; ++end) {
      if (data_[end] == '\0') {
        return data_ + offset;
      }
    }
    return nullptr;
  }
  Bytes From(std::size_t offset) const {
    return offset < size_ ? Bytes(data_ + offset, size_ - offset) : Bytes(data_, 0);
  }
  std::size_t size() const { return size_; }

 private:
  const char* data_;
  std::size_t size_;
};

// The new format follows the old table at the next multiple of 8.
Bytes NewFormat(const Bytes& file) {
  if (!file.Has(kOldMagic, sizeof kOldMagic - 1)) {
    return file;
  }
  const std::size_t end = kOldHeader + kOldEntry * std::size_t{file.Number(12)};
  return file.From((end + 7) & ~std::size_t{7});
}

}  // namespace

void FindInLoaderCache(const void* cache, std::size_t size, const char* library,
                       bool (*visit)(const char* path, void* context), void* context) {
  const Bytes table = NewFormat(Bytes(cache, size));
  if (!table.Has(kNewMagic, sizeof kNewMagic - 1)) {
    return;
  }
  const std::uint32_t count = table.Number(kCountAt);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = kNewHeader + kNewEntry * std::size_t{i};
    if (entry + kNewEntry > table.size()) {
      return;
    }
    const char* const name = table.Text(table.Number(entry + 4));
    const char* const path = table.Text(table.Number(entry + 8));
    if (name == nullptr || path == nullptr) {
      return;
    }
    if (table.Number(entry) == kWantedFlags && Equal(name, library) && !visit(path, context)) {
      return;
    }
  }
}

}  // namespace aliquot::interposer
