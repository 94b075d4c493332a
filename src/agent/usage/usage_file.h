// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "quota/usage_region.h"

namespace aliquot::agent {

// What one container uses, as its usage file says (src/quota/FORMAT.md). By card, in the order of
// the container's limits.
struct ContainerUsage {
  std::vector<quota::CardUsage> cards;
  int processes = 0;  // slots that a living process holds
  // What those slots say of their owners: numbers in the container's own process namespace.
  std::set<std::uint32_t> pids;
  // What all of it was taken from.
  std::unique_ptr<const quota::UsageRegion> region;
};

// A copy of the whole file, checked.
struct UsageSnapshot {
  std::unique_ptr<quota::UsageRegion> region;
  std::uint64_t alive = 0;  // bit i: a living process holds slot i
};

// Reads a container's usage file. The container can write it, truncate it and, where the kernel
// lets it, put something else in its place: so it is opened without following links and without
// waiting (a FIFO), must be a regular file of exactly the right size, is read once into memory of
// our own and never mapped. A slot counts while a process holds its lock. Errors are one sentence
// that names the file. Thread-safe.
Result<UsageSnapshot> ReadUsageSnapshot(const std::string& path);
// The same, summed over the slots that are held.
Result<ContainerUsage> ReadUsageFile(const std::string& path, std::size_t cards);

// Whether any process holds a slot, by one question to the kernel and without reading: for those
// who look several times a second. False also where there is no such file. Thread-safe.
bool UsageFileInUse(const std::string& path);

}  // namespace aliquot::agent
