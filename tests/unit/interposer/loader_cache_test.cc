// SPDX-License-Identifier: Apache-2.0
#include "interposer/loader_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace aliquot::interposer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kX8664 = 0x0303;
constexpr std::uint32_t kI386 = 0x0003;

struct Entry {
  std::uint32_t flags;
  std::string name;
  std::string path;
};

void Append(std::string& to, std::uint32_t value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// As ldconfig writes it: a header of 48 bytes, 24 bytes an entry, then the strings.
std::string Cache(const std::vector<Entry>& entries) {
  std::string head = "glibc-ld.so.cache1.1";
  Append(head, static_cast<std::uint32_t>(entries.size()));
  head.resize(48);
  std::string strings;
  const std::size_t strings_at = 48 + 24 * entries.size();
  for (const Entry& entry : entries) {
    Append(head, entry.flags);
    Append(head, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += entry.name + '\0';
    Append(head, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += entry.path + '\0';
    head.append(12, '\0');
  }
  return head + strings;
}

// The same behind the older table of one entry: 16 + 12 bytes, then up to a multiple of 8.
std::string CacheBehindOlder(const std::string& cache) {
  std::string older = "ld.so-1.7.0";
  older.resize(12);
  Append(older, 1);
  older.resize(32);
  return older + cache;
}

std::vector<std::string> Find(const std::string& cache, const char* library) {
  // A copy of exactly its size, so that a sanitizer sees a byte read past it.
  const std::vector<char> bytes(cache.begin(), cache.end());
  std::vector<std::string> found;
  FindInLoaderCache(
      bytes.data(), bytes.size(), library,
      [](const char* path, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(path);
        return true;
      },
      &found);
  return found;
}

TEST(LoaderCache, GivesThePathsOfANameInItsOrder) {
  const std::string cache = Cache({{kX8664, "libcuda.so.1", "/compat/libcuda.so.1"},
                                   {kX8664, "libc.so.6", "/lib/libc.so.6"},
                                   {kX8664, "libcuda.so.1", "/usr/lib/libcuda.so.1"}});
  EXPECT_THAT(Find(cache, "libcuda.so.1"),
              ElementsAre("/compat/libcuda.so.1", "/usr/lib/libcuda.so.1"));
}

TEST(LoaderCache, LeavesOutLibrariesOfOtherMachines) {
  const std::string cache = Cache({{kI386, "libcuda.so.1", "/usr/lib32/libcuda.so.1"}});
  EXPECT_THAT(Find(cache, "libcuda.so.1"), IsEmpty());
}

TEST(LoaderCache, ANameIsComparedWhole) {
  const std::string cache = Cache({{kX8664, "libcuda.so.10", "/a"}, {kX8664, "libcuda.so", "/b"}});
  EXPECT_THAT(Find(cache, "libcuda.so.1"), IsEmpty());
}

TEST(LoaderCache, ReadsTheNewTableBehindTheOlderOne) {
  const std::string cache = CacheBehindOlder(Cache({{kX8664, "libcuda.so.1", "/a/libcuda.so.1"}}));
  EXPECT_THAT(Find(cache, "libcuda.so.1"), ElementsAre("/a/libcuda.so.1"));
}

TEST(LoaderCache, EndsWhenTheVisitorHasEnough) {
  const std::string cache = Cache({{kX8664, "libcuda.so.1", "/a"}, {kX8664, "libcuda.so.1", "/b"}});
  int visits = 0;
  FindInLoaderCache(
      cache.data(), cache.size(), "libcuda.so.1",
      [](const char*, void* context) {
        ++*static_cast<int*>(context);
        return false;
      },
      &visits);
  EXPECT_EQ(visits, 1);
}

TEST(LoaderCache, AnotherFormatHasNothing) {
  EXPECT_THAT(Find("", "libcuda.so.1"), IsEmpty());
  EXPECT_THAT(Find("ld.so-1.7.0", "libcuda.so.1"), IsEmpty());
  EXPECT_THAT(Find(std::string(200, 'x'), "libcuda.so.1"), IsEmpty());
}

TEST(LoaderCache, IsNeverReadPastItsEnd) {
  const std::string whole = CacheBehindOlder(Cache(
      {{kX8664, "libcuda.so.1", "/a/libcuda.so.1"}, {kX8664, "libcuda.so.1", "/b/libcuda.so.1"}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Find(whole.substr(0, size), "libcuda.so.1");
  }
}

TEST(LoaderCache, DamagedBytesAreSurvived) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string whole = Cache({{kX8664, "libcuda.so.1", "/a/libcuda.so.1"}});
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    EXPECT_LE(Find(damaged, "libcuda.so.1").size(), damaged.size() / 24);
  }
}

}  // namespace
}  // namespace aliquot::interposer
