// SPDX-License-Identifier: Apache-2.0
#include "interposer/driver_search.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "interposer/dl_functions.h"
#include "interposer/driver_names.h"
#include "interposer/loader_cache.h"
#include "interposer/system_calls.h"
#include "interposer/text.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kLongestPath = 4096;

// A file mapped read-only for as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = OpenFile(path, O_RDONLY);
    if (file < 0) {
      return;
    }
    struct stat status {};
    if (FileStatus(file, status) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = MapMemory(nullptr, size_, PROT_READ, MAP_PRIVATE, file);
    }
    CloseFile(file);
  }
  ~MappedFile() {
    if (data_ != nullptr) {
      UnmapMemory(data_, size_);
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

bool ReadFully(int file, void* to, std::size_t size, std::uint64_t offset) {
  return ReadFile(file, to, size, static_cast<std::int64_t>(offset)) == static_cast<long>(size);
}

bool ReadHeader(int file, Elf64_Ehdr* header) {
  return ReadFully(file, header, sizeof *header, 0) && header->e_ident[EI_MAG0] == ELFMAG0 &&
         header->e_ident[EI_MAG1] == 'E' && header->e_ident[EI_MAG2] == 'L' &&
         header->e_ident[EI_MAG3] == 'F' && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_machine == EM_X86_64 && header->e_type == ET_DYN;
}

// By inode, so that no name or link leads back to this library.
bool IsOwnFile(const struct stat& status) {
  struct stat own {};
  const link_map* const map = OwnMap();
  return map != nullptr && PathStatus(map->l_name, own) && own.st_dev == status.st_dev &&
         own.st_ino == status.st_ino;
}

struct Search {
  const char* soname;
  bool (*visit)(const char* path, void* context);
  void* context;
  bool ended = false;

  void TryPath(const char* path) {
    if (ended || IsStubFolder(path)) {
      return;
    }
    const int file = OpenFile(path, O_RDONLY);
    if (file < 0) {
      return;
    }
    struct stat status {};
    Elf64_Ehdr header{};
    const bool usable = FileStatus(file, status) && !IsOwnFile(status) && ReadHeader(file, &header);
    CloseFile(file);
    ended = usable && !visit(path, context);
  }

  void TryFolder(const char* folder) {
    char path[kLongestPath];
    const std::size_t length = Length(folder);
    const std::size_t name = Length(soname);
    if (length == 0 || length + 1 + name + 1 > sizeof path) {
      return;
    }
    __builtin_memcpy(path, folder, length);
    path[length] = '/';
    __builtin_memcpy(path + length + 1, soname, name + 1);
    TryPath(path);
  }

  void TryCache() {
    const MappedFile cache("/etc/ld.so.cache");
    if (cache.data() != nullptr) {
      FindInLoaderCache(
          cache.data(), cache.size(), soname,
          [](const char* path, void* self) {
            static_cast<Search*>(self)->TryPath(path);
            return !static_cast<Search*>(self)->ended;
          },
          this);
    }
  }
};

// How many of the last folders are the loader's own: each of them once, at the end.
unsigned DefaultFolders(const Dl_serinfo& info) {
  unsigned count = 0;
  for (; count < info.dls_cnt; ++count) {
    const char* const folder = info.dls_serpath[info.dls_cnt - 1 - count].dls_name;
    if (!IsDefaultFolder(folder)) {
      break;
    }
    for (unsigned later = 0; later < count; ++later) {
      if (Equal(folder, info.dls_serpath[info.dls_cnt - 1 - later].dls_name)) {
        return count;
      }
    }
  }
  return count;
}

void TryLoaderFolders(Search& search, const Dl_serinfo& info) {
  const unsigned own = info.dls_cnt - DefaultFolders(info);
  for (unsigned i = 0; i < own; ++i) {
    search.TryFolder(info.dls_serpath[i].dls_name);
  }
  search.TryCache();
  for (unsigned i = own; i < info.dls_cnt; ++i) {
    search.TryFolder(info.dls_serpath[i].dls_name);
  }
}

// False when the loader does not tell.
bool TryLoaderFolders(Search& search) {
  link_map* const program = FirstMap();
  Dl_serinfo size;
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) {
    return false;
  }
  void* const memory =
      MapMemory(nullptr, size.dls_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (memory == nullptr) {
    return false;
  }
  auto* const info = static_cast<Dl_serinfo*>(memory);
  const std::size_t bytes = size.dls_size;
  info->dls_size = size.dls_size;
  info->dls_cnt = size.dls_cnt;
  const bool told = dlinfo(program, RTLD_DI_SERINFO, info) == 0;
  if (told) {
    TryLoaderFolders(search, *info);
  }
  UnmapMemory(memory, bytes);
  return told;
}

}  // namespace

void FindDriverFiles(const char* soname, bool (*visit)(const char* path, void* context),
                     void* context) {
  Search search{soname, visit, context};
  if (!TryLoaderFolders(search)) {
    search.TryCache();
  }
  for (int i = 0; !search.ended && DriverFolder(i) != nullptr; ++i) {
    search.TryFolder(DriverFolder(i));
  }
}

bool IsSymbolic(const char* path) {
  const int file = OpenFile(path, O_RDONLY);
  if (file < 0) {
    return false;
  }
  bool symbolic = false;
  Elf64_Ehdr header{};
  const bool readable = ReadHeader(file, &header) && header.e_phentsize == sizeof(Elf64_Phdr);
  for (unsigned i = 0; readable && i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadFully(file, &segment, sizeof segment, header.e_phoff + i * sizeof segment) ||
        segment.p_type != PT_DYNAMIC) {
      continue;
    }
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!ReadFully(file, &entry, sizeof entry, segment.p_offset + at) || entry.d_tag == DT_NULL) {
        break;
      }
      symbolic = symbolic || entry.d_tag == DT_SYMBOLIC ||
                 (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC) != 0);
    }
  }
  CloseFile(file);
  return symbolic;
}

}  // namespace aliquot::interposer
