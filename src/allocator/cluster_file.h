// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "model/node.h"
#include "model/pod.h"
#include "program/problems.h"

namespace aliquot::allocator {

// A cluster described in one YAML file; docs/reference/cluster-file.md is the format. Plain values.
struct FileClusterState {
  std::vector<model::Node> nodes;
  std::vector<model::Pod> pods;  // bound ones carry the records that Aliquot would have written
};

inline constexpr std::size_t kMaxClusterFileBytes = 64 << 20;

// Reports every problem, each with its line; nothing is returned when there was any. Memory: some
// times the text while reading, then the result alone. Thread-safe.
std::optional<FileClusterState> ReadClusterFile(std::string_view text, const std::string& file,
                                                const model::ResourceNames& names,
                                                program::Problems& problems);
std::optional<FileClusterState> LoadClusterFile(const std::string& file,
                                                const model::ResourceNames& names,
                                                program::Problems& problems);

}  // namespace aliquot::allocator
