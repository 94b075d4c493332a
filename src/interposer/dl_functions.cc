// SPDX-License-Identifier: Apache-2.0
#include "interposer/dl_functions.h"

#include <dlfcn.h>

#include <cstdint>

#include "interposer/text.h"

namespace aliquot::interposer {
namespace {

// The tables of one loaded object that a lookup needs.
struct SymbolTables {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* old_hash = nullptr;
  const std::uint16_t* versions = nullptr;
  std::uint64_t soname = 0;
  bool has_soname = false;
};

// glibc relocates the pointers of .dynamic where it lies, except in an object that maps it
// read-only.
template <typename T>
const T* Pointer(const link_map* map, std::uint64_t value) {
  return reinterpret_cast<const T*>(value < map->l_addr ? map->l_addr + value : value);
}

SymbolTables TablesOf(const link_map* map) {
  SymbolTables tables;
  for (const ElfW(Dyn)* entry = map->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const std::uint64_t value = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = Pointer<ElfW(Sym)>(map, value);
        break;
      case DT_STRTAB:
        tables.strings = Pointer<char>(map, value);
        break;
      case DT_GNU_HASH:
        tables.gnu_hash = Pointer<std::uint32_t>(map, value);
        break;
      case DT_HASH:
        tables.old_hash = Pointer<std::uint32_t>(map, value);
        break;
      case DT_VERSYM:
        tables.versions = Pointer<std::uint16_t>(map, value);
        break;
      case DT_SONAME:
        tables.soname = value;
        tables.has_soname = true;
        break;
      default:
        break;
    }
  }
  return tables;
}

std::uint32_t GnuHash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) {
    hash = hash * 33 + static_cast<unsigned char>(*name);
  }
  return hash;
}

// Whether a program that asks for no version would be given this symbol: defined, a function, and
// not one kept only for old programs (the hidden bit of its version).
bool IsDefault(const SymbolTables& tables, std::uint32_t index) {
  const ElfW(Sym)& symbol = tables.symbols[index];
  constexpr std::uint16_t kHiddenVersion = 0x8000;
  return symbol.st_shndx != SHN_UNDEF && (symbol.st_info & 0xf) == STT_FUNC &&
         (tables.versions == nullptr || (tables.versions[index] & kHiddenVersion) == 0);
}

bool IsCalled(const SymbolTables& tables, std::uint32_t index, const char* name) {
  return IsDefault(tables, index) && Equal(tables.strings + tables.symbols[index].st_name, name);
}

// The index of a symbol by DT_GNU_HASH, 0 = none. The section: numbers of buckets, first symbol,
// words of the bloom filter, shift; then the filter, the buckets and the chains, in which the
// lowest bit of a hash marks a chain's end.
std::uint32_t FindByGnuHash(const SymbolTables& tables, const char* name) {
  const std::uint32_t bucket_count = tables.gnu_hash[0];
  const std::uint32_t first = tables.gnu_hash[1];
  const std::uint32_t bloom_words = tables.gnu_hash[2];
  const std::uint32_t* const buckets = tables.gnu_hash + 4 + 2 * std::size_t{bloom_words};
  const std::uint32_t* const chains = buckets + bucket_count;
  const std::uint32_t hash = GnuHash(name);
  std::uint32_t index = bucket_count == 0 ? 0 : buckets[hash % bucket_count];
  for (; index >= first && index != 0; ++index) {
    const std::uint32_t link = chains[index - first];
    if ((link | 1) == (hash | 1) && IsCalled(tables, index, name)) {
      return index;
    }
    if ((link & 1) != 0) {
      break;
    }
  }
  return 0;
}

// The hash function of the System V ABI, "Hash Table".
std::uint32_t OldHash(const char* name) {
  std::uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + static_cast<unsigned char>(*name);
    const std::uint32_t high = hash & 0xf0000000U;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

// The same by DT_HASH, which is all that NVIDIA's NVML has: numbers of buckets and symbols,
// buckets, chains.
std::uint32_t FindByOldHash(const SymbolTables& tables, const char* name) {
  const std::uint32_t bucket_count = tables.old_hash[0];
  const std::uint32_t* const buckets = tables.old_hash + 2;
  const std::uint32_t* const chains = buckets + bucket_count;
  std::uint32_t index = bucket_count == 0 ? 0 : buckets[OldHash(name) % bucket_count];
  while (index != 0 && !IsCalled(tables, index, name)) {
    index = chains[index];
  }
  return index;
}

const link_map* own_map;
void* real_dlsym;
void* real_dlvsym;
void* real_dlopen;
void* real_dlmopen;

void* SearchIn(const char* library, const char* name) {
  for (const link_map* map = FirstMap(); map != nullptr; map = map->l_next) {
    if (map != OwnMap() && Equal(SonameOf(map), library)) {
      if (void* const found = FunctionIn(map, name)) {
        return found;
      }
    }
  }
  return nullptr;
}

void* Known(void** slot, const char* name) {
  void* found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (found == nullptr) {
    found = SearchIn("libc.so.6", name);
    if (found == nullptr) {
      found = SearchIn("libdl.so.2", name);
    }
    __atomic_store_n(slot, found, __ATOMIC_RELEASE);
  }
  return found;
}

}  // namespace

const link_map* MapOf(const void* address) {
  Dl_info information;
  void* map = nullptr;
  return dladdr1(address, &information, &map, RTLD_DL_LINKMAP) == 0 ? nullptr
                                                                    : static_cast<link_map*>(map);
}

void* FunctionIn(const link_map* map, const char* name) {
  const SymbolTables tables = TablesOf(map);
  if (tables.symbols == nullptr || tables.strings == nullptr) {
    return nullptr;
  }
  const std::uint32_t index = tables.gnu_hash != nullptr   ? FindByGnuHash(tables, name)
                              : tables.old_hash != nullptr ? FindByOldHash(tables, name)
                                                           : 0;
  return index == 0 ? nullptr
                    : reinterpret_cast<void*>(map->l_addr + tables.symbols[index].st_value);
}

const link_map* OwnMap() {
  const link_map* map = __atomic_load_n(&own_map, __ATOMIC_ACQUIRE);
  if (map == nullptr) {
    map = MapOf(&own_map);
    __atomic_store_n(&own_map, map, __ATOMIC_RELEASE);
  }
  return map;
}

link_map* FirstMap() {
  link_map* map = const_cast<link_map*>(OwnMap());
  while (map != nullptr && map->l_prev != nullptr) {
    map = map->l_prev;
  }
  return map;
}

const char* SonameOf(const link_map* map) {
  const SymbolTables tables = TablesOf(map);
  return tables.has_soname && tables.strings != nullptr ? tables.strings + tables.soname : "";
}

DlsymFunction RealDlsym() { return reinterpret_cast<DlsymFunction>(Known(&real_dlsym, "dlsym")); }
DlvsymFunction RealDlvsym() {
  return reinterpret_cast<DlvsymFunction>(Known(&real_dlvsym, "dlvsym"));
}
DlopenFunction RealDlopen() {
  return reinterpret_cast<DlopenFunction>(Known(&real_dlopen, "dlopen"));
}
DlmopenFunction RealDlmopen() {
  return reinterpret_cast<DlmopenFunction>(Known(&real_dlmopen, "dlmopen"));
}

}  // namespace aliquot::interposer
