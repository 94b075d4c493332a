// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a description of a node's links from any of the formats of
// docs/reference/topology-files.md. Pure and thread-safe. Every error is one sentence: file, line,
// what is wrong, what to do.

#include <string_view>

#include "base/status.h"
#include "topology/description.h"

namespace aliquot::topology {

// Finds the format by the text: NCCL's XML, MAPA's pair list, `nvidia-smi topo -m`, or a table of
// measured GB/s (whose classes are then unknown). `file` is for messages. A matrix that carries
// measured tables in its comments gets them too.
Result<Description> ReadTopology(std::string_view text, std::string_view file);

}  // namespace aliquot::topology
