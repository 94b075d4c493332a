// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/health/health_book.h"
#include "base/clock.h"
#include "base/status.h"

namespace aliquot::agent {

// The file that keeps which cards wait for a reset over a restart of the agent (health_record.h),
// in the state directory, which a restart of the node empties. Not thread-safe.
class HealthStore {
 public:
  // `root` is the host's root as this process sees it, "" for its own (DriverIncarnation).
  HealthStore(std::string path, std::string root)
      : path_(std::move(path)), root_(std::move(root)) {}

  // Marks the cards in `book`, which has seen nothing yet. No file: none. The error is one
  // sentence; the book is as it was, and the next Save replaces the file.
  Status Load(SteadyTime now, HealthBook& book);
  // Writes when what waits for a reset has changed since the last Load or Save: aside, then
  // renamed. After an error the next call tries again.
  Status Save(const HealthBook& book);

 private:
  const std::string path_;
  const std::string root_;
  std::vector<std::pair<std::string, std::uint64_t>> written_;
  bool damaged_ = false;  // the file does not say what written_ does
};

}  // namespace aliquot::agent
