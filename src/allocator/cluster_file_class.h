// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "allocator/cluster_file_nodes.h"
#include "program/map_reader.h"

namespace aliquot::allocator {

// Reads one entry of nodeClasses. Nothing is returned when its cards cannot be known; a class with
// a smaller problem is returned, so that the rest of the file is still checked against it.
std::optional<NodeClass> ReadNodeClass(program::YamlSource& source, const program::YamlValue& value,
                                       const program::YamlPath& path);

}  // namespace aliquot::allocator
